// Names of algorithms in headers, as errors show them: the constant of a table, or none.

import JOSEBytes
import Testing

@testable import JOSE

@Suite("Algorithms named in errors")
struct AlgorithmNameTests {
    private static let names: [String] =
        SignatureAlgorithm.entries.map(\.name) + KeyManagementAlgorithm.entries.map(\.name)
        + ContentEncryptionAlgorithm.entries.map(\.name)
        + RejectedAlgorithm.all.map(\.name.description)

    private func named(_ text: String) throws -> String? {
        let document = try JSONDocument(Array("\"\(text)\"".utf8), maxDepth: 1)
        return RegisteredAlgorithm.name(document.nodes[0], in: document.bytes.span)?.description
    }

    @Test("every registered name is found, also with escaped letters") func all()
        throws
    {
        #expect(Self.names.count > 40)
        for name in Self.names {
            #expect(try named(name) == name)
            let last = try need(name.unicodeScalars.last)
            let code = String(last.value, radix: 16)
            let escaped =
                name.dropLast() + "\\u" + String(repeating: "0", count: 4 - code.count) + code
            #expect(try named(escaped) == name)
        }
    }

    @Test("other names are not: shorter, longer, in other case, with the same first eight bytes")
    func others() throws {
        for name in Self.names {
            let others = [
                String(name.dropLast()), name + "W", name + "\\u0000", "\\u0000" + name,
                name.lowercased(), String(name.reversed()), "\(name.prefix(8))+A999KW",
            ]
            for other in others where !Self.names.contains(other) {
                #expect(try named(other) == nil, "\(other)")
            }
        }
        for other in ["", "\\u0000", "\u{212a}W", "ECDH-ES+", "A128CBC-"] {
            #expect(try named(other) == nil, "\(other)")
        }
    }
}
