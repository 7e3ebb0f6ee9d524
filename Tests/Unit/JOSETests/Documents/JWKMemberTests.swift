// The member names of a JWK: each is found, also escaped, and no other name is.

import Testing

@testable import JOSE
@testable import JOSEBytes

@Suite struct JWKMemberTests {
    private static let names: [JWKMember: String] = [
        .kty: "kty", .kid: "kid", .use: "use", .alg: "alg", .keyOps: "key_ops", .x5u: "x5u",
        .x5c: "x5c", .x5t: "x5t", .x5tS256: "x5t#S256", .n: "n", .e: "e", .d: "d", .p: "p",
        .q: "q", .dp: "dp", .dq: "dq", .qi: "qi", .oth: "oth", .k: "k", .crv: "crv", .x: "x",
        .y: "y", .pub: "pub", .priv: "priv",
    ]

    private func member(_ text: String) throws -> JWKMember? {
        let document = try JSONDocument(Array("\"\(text)\"".utf8), maxDepth: 0)
        return JWKMember.find(document.nodes[0], in: document.bytes.span)
    }

    @Test("every member name is recognised, plain and escaped", arguments: JWKMember.allCases)
    func found(_ wanted: JWKMember) throws {
        let name = try #require(Self.names[wanted])
        #expect(try member(name) == wanted)
        let escaped = name.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }
        #expect(try member(escaped.joined()) == wanted)
    }

    @Test("an empty, long or slightly changed name is not a member")
    func others() throws {
        let known = Set(Self.names.values)
        for name in known {
            var others = [
                name + name, name + "_", String(name.dropLast()), String(name.dropFirst()),
            ]
            others += ["\\u0000" + name, name + "\\u0000", name.uppercased()]
            for other in others where !known.contains(other) {
                #expect(try member(other) == nil, "\(other)")
            }
        }
        for other in ["", "\\u0000", "x5t#S2567", "x5t#S256x5t#S256", "é"] {
            #expect(try member(other) == nil, "\(other)")
        }
    }

    @Test("RFC 7518 6: members that only private and symmetric keys have are recognised")
    func secret() throws {
        let secret: Set<JWKMember> = [.d, .p, .q, .dp, .dq, .qi, .oth, .priv, .k]
        for wanted in JWKMember.allCases {
            #expect(wanted.isSecret == secret.contains(wanted))
            let name = try #require(Self.names[wanted])
            let document = try JSONDocument(Array("{\"\(name)\":1}".utf8), maxDepth: 1)
            let members = JWKMembers(of: 0, in: document.bytes.span, document.nodes.span)
            #expect(members.hasSecret == secret.contains(wanted), "\(name)")
            #expect(JWKMember.allCases.filter { members[$0] != nil } == [wanted])
        }
    }
}
