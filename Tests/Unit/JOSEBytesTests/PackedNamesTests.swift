// The table of short names: each is found at its place, in escapes too, and nothing else is.

import Testing

@testable import JOSEBytes

@Suite struct PackedNamesTests {
    private static let names: [StaticString] = [
        "kty", "kid", "x", "y", "x5t#S256", "key_ops", "a", "b", "c", "d", "e", "f", "g", "h", "i",
        "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "z", "dp", "dq",
    ]
    private let table = PackedNames(names)

    private func place(_ text: String) throws -> Int? {
        let document = try JSONDocument(Array("\"\(text)\"".utf8), maximumDepth: 0)
        return PackedName(document.nodes[0], in: document.bytes.span).flatMap { table.place($0) }
    }

    @Test("every name is at its place, plain and in escapes")
    func found() throws {
        for (index, name) in Self.names.enumerated() {
            #expect(try place(name.description) == index)
            let escaped = name.description.unicodeScalars.map {
                "\\u00" + String($0.value, radix: 16)
            }
            #expect(try place(escaped.joined()) == index)
        }
    }

    @Test("a name with a letter less, more or changed is not there, nor is an empty or a long one")
    func others() throws {
        let known = Set(Self.names.map(\.description))
        for name in known {
            var others = [
                name + name, name + "_", String(name.dropLast()), String(name.dropFirst()),
            ]
            others += ["\\u0000" + name, name + "\\u0000", name.uppercased()]
            for other in others where !known.contains(other) {
                #expect(try place(other) == nil, "\(other)")
            }
        }
        for other in ["", "\\u0000", "x5t#S2567", "x5t#S256x5t#S256", "é"] {
            #expect(try place(other) == nil, "\(other)")
        }
        for number in [0, 1, UInt64.max, 0x6b00] {
            #expect(table.place(PackedName(number: number)) == nil)
        }
    }
}
