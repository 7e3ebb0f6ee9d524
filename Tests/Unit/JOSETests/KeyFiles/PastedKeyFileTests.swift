// Key files as people and programs pass them on: environment variables, JSON, editors, key
// services.

import JOSE
import Testing

@Suite("Pasted key files")
struct PastedKeyFileTests {
    private static let key = TestKeys.bare(TestKeys.signing)

    private static func pem(_ label: String, _ der: [UInt8], _ end: String = "\n") -> String {
        let lines = Independent.standardBase64(der).split(separator: "\n")
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"])
            .joined(separator: end)
    }

    private static let mark = "\u{feff}"

    /// How a PEM text is changed on its way.
    private static let changes: [(name: String, change: @Sendable (String) -> String)] = [
        ("byte order mark", { mark + $0 }),
        ("byte order mark and CR LF", { mark + with($0, "\r\n") }),
        ("byte order mark, then a line break", { mark + "\n" + $0 }),
        ("\\n as two characters", { with($0, "\\n") }),
        ("\\n as two characters at the end too", { with($0, "\\n") + "\\n" }),
        ("\\r\\n as four characters", { with($0, "\\r\\n") }),
        ("escaped twice", { with($0, "\\\\n") }),
        ("escaped slashes of JSON", { with($0, "\\n", slash: "\\/") }),
        ("one line", { with($0, "") }), ("one line with spaces", { with($0, " ") }),
        ("one line and a line break behind it", { with($0, "") + "\n" }),
        ("backslashes of a shell", { with($0, "\\\n") }),
        ("indented by spaces", { "    " + with($0, "\n    ") }),
        ("indented by tabs", { "\t\t" + with($0, "\n\t\t") }),
        ("indented, CR LF", { "  " + with($0, "\r\n  ") }),
        ("in quotation marks", { "\"" + with($0, "\\n") + "\"" }),
        ("in quotation marks with line breaks", { "\"" + $0 + "\"\n" }),
        ("in apostrophes", { "'" + $0 + "'" }),
        ("byte order mark and quotation marks", { mark + "\"" + with($0, "\\n") + "\"" }),
        ("quotation mark before an escaped line break", { "\"\\n" + with($0, "\\n") + "\\n\"" }),
        ("an empty line after BEGIN", { with($0, "\n\n") }),
    ]

    private static func with(_ pem: String, _ end: String, slash: String = "/") -> String {
        pem.split(separator: "\n").joined(separator: end)
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: slash)
    }

    @Test(
        "a PEM file is the same key with", arguments: changes.indices.map { $0 })
    func changed(_ index: Int) throws {
        let (name, change) = Self.changes[index]
        let files = [
            Self.pem("PRIVATE KEY", try Self.key.privateKeyFile()),
            Self.pem("PUBLIC KEY", try Self.key.publicKeyFile(.der)),
        ]
        for (file, isPrivate) in zip(files, [true, false]) {
            let contents = try KeyFileContents(change(file))
            #expect(contents.keys.count == 1, "\(name)")
            #expect(contents.warnings.isEmpty, "\(name)")
            let key = try contents.key()
            #expect(key.isPrivate == isPrivate, "\(name)")
            #expect(try key.thumbprint() == Self.key.thumbprint(), "\(name)")
        }
        // Both in sequence, changed together and separately.
        for text in [change(files.joined(separator: "\n")), files.map(change).joined()] {
            #expect(try KeyFileContents(text).keys.map(\.isPrivate) == [true, false], "\(name)")
        }
    }

    @Test("several blocks on one line are read in order")
    func oneLine() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(Self.key)
        let blocks = [
            Self.pem("PRIVATE KEY", try Self.key.privateKeyFile()), Self.pem("CERTIFICATE", leaf),
            Self.pem("CERTIFICATE", root.certificate),
        ]
        for separator in ["", " ", "\\n", "\\r\\n", "\t"] {
            let text = blocks.map { Self.with($0, separator) }.joined(separator: separator)
            let contents = try KeyFileContents(text)
            #expect(contents.formats == [.pkcs8, .certificate, .certificate])
            #expect(try contents.key().certificateChain == [leaf, root.certificate])
        }
        let anchors = blocks[1...].map { Self.with($0, "\\n") }.joined()
        // The leaf is not a CA.
        #expect(throws: JOSEError.self) { _ = try TrustStore(anchors: [anchors]) }
        #expect(throws: Never.self) { _ = try TrustStore(anchors: [Self.with(blocks[2], "")]) }
    }

    @Test("base64 without PEM lines: both alphabets, any line breaks, padding and quotes")
    func base64() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let files: [(der: [UInt8], form: KeyFileContents.Format)] = [
            (try Self.key.publicKeyFile(.der), .spki), (try Self.key.privateKeyFile(), .pkcs8),
            (root.certificate, .certificate),
            (Array(Self.pem("PRIVATE KEY", try Self.key.privateKeyFile()).utf8), .pkcs8),
            (Array(try Self.key.publicJSON().utf8), .jwk),
        ]
        for (der, form) in files {
            let broken = Independent.standardBase64(der)
            let plain = broken.split(separator: "\n").joined()
            let url = Independent.base64URL(der)
            var texts = [plain, broken, url, Self.mark + plain, "\"\(plain)\"", "'\(url)'\n"]
            texts += [
                plain + "\r\n", "  " + plain,
                broken.split(separator: "\n").joined(separator: "\\n"),
            ]
            texts.append(String(plain.prefix { $0 != "=" }))
            for text in texts {
                #expect(try KeyFileContents(text).formats == [form], "\(form) \(text.prefix(20))")
            }
            // Once is enough.
            expectRejection("malformed") {
                _ = try KeyFileContents(Independent.standardBase64(Array(plain.utf8)))
            }
        }
        #expect(throws: Never.self) {
            _ = try TrustStore(anchors: [Independent.standardBase64(root.certificate)])
        }
    }

    @Test("base64 that is not strict or not of a key is rejected")
    func noBase64() throws {
        let der = try Self.key.publicKeyFile(.der)
        let plain = Independent.standardBase64(der).split(separator: "\n").joined()
        let mixed = "-" + plain.dropFirst() + "+A"
        var texts = [plain + "=", "=" + plain, plain + "A", "*" + plain, mixed, plain + ","]
        texts += [String(plain.dropLast(5)), String(repeating: "A", count: 400), "MIIB"]
        texts.append(Independent.standardBase64(Array(der.dropLast())))
        for text in texts {
            expectRejection("malformed", String(text.prefix(12))) { _ = try KeyFileContents(text) }
        }
    }

    @Test("a commented block, or a block after text on its line, is ignored")
    func comments() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        let good = Self.pem("CERTIFICATE", root.certificate)
        let bad = Self.pem("CERTIFICATE", other.certificate)
        for start in ["#", "# ", "// ", "x", "old: ", "--", "\\nx", "\"#"] {
            let changed = [
                Self.with(bad, ""), Self.with(bad, "\\n"), Self.with(bad, "\n" + start),
                Self.with(bad + "\n" + bad, "\\n"),
            ]
            for text in changed {
                let contents = try KeyFileContents(start + text + "\n" + good)
                #expect(contents.certificates == [root.certificate], "\(start)")
            }
            expectRejection("malformed", start) { _ = try KeyFileContents(start + bad) }
        }
        expectRejection("malformed", says: "start of a line") {
            _ = try KeyFileContents("# " + bad)
        }
    }

    @Test("a block with a missing or wrong END, or an invalid character, is rejected")
    func broken() throws {
        let pem = Self.pem("PUBLIC KEY", try Self.key.publicKeyFile(.der))
        let lines = pem.split(separator: "\n").map(String.init)
        let cut: [String] = lines.dropLast()
        let texts: [String] = [
            cut.joined(separator: "\n"), cut.joined(),
            cut.joined() + "-----END PRIVATE KEY-----", String(pem.dropLast(2)),
            lines.joined(separator: "*"), lines.joined(separator: "\\x"),
            lines.joined(separator: "\""), lines.joined(separator: "-"),
            lines.joined(separator: "_"),
            "-----begin" + String(pem.dropFirst(10)), lines[0] + "\n" + pem,
            lines[0] + "\n" + lines[lines.count - 1],
        ]
        for text in texts { expectRejection("malformed") { _ = try KeyFileContents(text) } }
    }

    @Test("input with many BEGIN lines is read in linear time")
    func work() throws {
        let piece = [
            "-----BEGIN ", "\\n-----BEGIN A-----", "-----BEGIN A-----", "# -----BEGIN A-----\\n",
        ]
        for text in piece {
            let bytes = Array(String(repeating: text, count: 520_000 / text.utf8.count).utf8)
            let time = ContinuousClock().measure { _ = try? KeyFileContents(bytes) }
            #expect(time < .seconds(10), "\(text)")
        }
    }
}
