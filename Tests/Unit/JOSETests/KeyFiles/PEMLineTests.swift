// Line endings of PEM: LF, CR LF and CR alone (RFC 7468, 2 and 3).

import JOSE
import Testing

@Suite("PEM line endings")
struct PEMLineTests {
    private static let ends = [
        "\n", "\r\n", "\r", "\n\r", "\r\r", "\n\n", " \r", "\t\r\n", "\r \r",
    ]

    /// A root's certificate, a key in three formats, and text around them.
    private static func file() throws -> (lines: [String], key: JWK, root: [UInt8]) {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let key = try JWK.generate(.curve(.p256))
        let certified = try JWK(certificates: [root.certificate])
        var texts = ["a text before"]
        texts.append(String(decoding: try key.publicKeyFile(.pem), as: UTF8.self))
        texts.append("a text: between")
        texts.append(String(decoding: try key.privateKeyFile(.pem), as: UTF8.self))
        texts.append(String(decoding: try certified.certificateFile(.pem), as: UTF8.self))
        let lines = texts.joined(separator: "\n").split(separator: "\n").map(String.init)
        return (lines, key, root.certificate)
    }

    @Test(
        "RFC 7468 3: a file reads the same with each line ending and with a mixture",
        arguments: ends)
    func each(_ end: String) throws {
        let (lines, key, root) = try Self.file()
        for text in [lines.joined(separator: end), lines.joined(separator: end) + end] {
            let contents = try KeyFileContents(text)
            #expect(contents.formats == [.spki, .pkcs8, .certificate])
            let thumbprint = try key.thumbprint()
            #expect(try contents.keys.map { try $0.thumbprint() } == [thumbprint, thumbprint])
            #expect(contents.certificates == [root])
        }
        let first = try need(lines.lastIndex { $0.hasPrefix("-----BEGIN") })
        let anchor = lines[first...].joined(separator: end)
        #expect(throws: Never.self) { _ = try TrustStore(anchors: [Array(anchor.utf8)]) }
        var mixed = ""
        for (index, line) in lines.enumerated() {
            mixed += line + Self.ends[index % Self.ends.count]
        }
        #expect(try KeyFileContents(mixed).certificates == [root])
    }

    @Test("a wrong or missing END line is rejected with each line ending", arguments: ends)
    func rejected(_ end: String) throws {
        let lines = try Self.file().lines
        let last = try need(lines.lastIndex { $0.hasPrefix("-----END") })
        var other = lines
        other[last] = "-----END PUBLIC KEY-----"
        var header = lines
        let first = try need(lines.lastIndex { $0.hasPrefix("-----BEGIN") })
        header.insert("Proc-Type: 4,ENCRYPTED", at: first + 1)
        for changed in [other, Array(lines[..<last])] {
            expectRejection("malformed") { _ = try KeyFileContents(changed.joined(separator: end)) }
        }
        // Legacy encryption affects one block: the others are read, and alone it is the error.
        let contents = try KeyFileContents(header.joined(separator: end))
        #expect(contents.formats == [.spki, .pkcs8])
        #expect(contents.warnings.map(\.position) == [2])
        let block = header[first...]
        expectRejection("unsupported") { _ = try KeyFileContents(block.joined(separator: end)) }
        // Not at the start of a line, so no block starts.
        expectRejection("malformed") {
            _ = try KeyFileContents(lines.map { "x" + $0 }.joined(separator: end))
        }
    }

    /// RFC 8410, 10.1 and 10.3, each on one line: short enough to look like a header.
    private static let short = [
        "-----BEGIN PUBLIC KEY-----MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
            + "-----END PUBLIC KEY-----",
        "-----BEGIN PRIVATE KEY-----"
            + "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC"
            + "-----END PRIVATE KEY-----",
    ]

    @Test(
        "a colon after END is part of a comment, even with everything on one line",
        arguments: short)
    func warnings(_ block: String) throws {
        for warning in [" # owner: me", "key: b", ":", "\\n# a:b", " -----: x", " Proc-Type: 4"] {
            let contents = try KeyFileContents(block + warning)
            #expect(contents.keys.count == 1 && contents.warnings.isEmpty, "\(warning)")
            // Another label, half of the dashes, none: the block is incomplete, whatever follows.
            for end in ["-----END KEY-----", "-----END", "-----"] {
                let start = String(try need(block.split(separator: "-----END").first))
                expectRejection("malformed", end + warning) {
                    _ = try KeyFileContents(start + end + warning)
                }
            }
        }
        // Before END it is legacy encryption.
        let header = block.replacing("KEY-----M", with: "KEY-----Proc-Type: 4,ENCRYPTED\\nM")
        expectRejection("unsupported") { _ = try KeyFileContents(header) }
    }
}
