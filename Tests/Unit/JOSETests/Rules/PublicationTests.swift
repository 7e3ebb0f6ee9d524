// Private members are never published: a property of many random sets (RFC 7517 section 9,
// catalogue 112).

import JOSE
import JOSEBytes
import Testing

@Suite("Publication of keys")
struct PublicationTests {
    private static func search(_ keys: [JWK]) throws -> SecretSearch {
        SecretSearch(
            try keys.flatMap { key in
                let members = try KeyText.members(key.privateJSON())
                return try ["d", "p", "q", "dp", "dq", "qi"].map { name in
                    try Array(Independent.base64URL(need(members[name]?.string)))
                }
            })
    }

    /// The values that only private keys have, as written in a JWK.
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map {
        Array("\"\($0)\":".utf8)
    }

    private static func hasSecretMember(_ text: [UInt8]) -> Bool {
        text.indices.contains { index in
            text[index] == UInt8(ascii: ":")
                && secretMembers.contains { text[...index].suffix($0.count).elementsEqual($0) }
        }
    }

    private static let pool = [
        TestKeys.signing, TestKeys.decrypting, TestKeys.stranger, TestKeys.client,
    ]

    @Test("the search finds its target in every encoding") func searchWorks() throws {
        let search = try Self.search(Self.pool)
        for key in Self.pool {
            let text = try Array(key.privateJSON().utf8)
            #expect(search.finds(text) && Self.hasSecretMember(text))
            #expect(try !search.finds(Array(key.publicJSON().utf8)))
        }
        let members = try KeyText.members(TestKeys.signing.privateJSON())
        let d = try Array(Independent.base64URL(need(members["d"]?.string)))
        #expect(SecretSearch.decimal([1, 0, 0, 0, 0]) == Array("4294967296".utf8))
        for start in [0, 1, 2, 77, d.count - 32] {
            let run = Array(d[start..<(start + 32)])
            let digits = run.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let texts = [
                run, Array(digits.utf8), Array(digits.uppercased().utf8),
                Array(Independent.base64URL(run[...]).utf8), SecretSearch.decimal(run),
                Array(StandardBase64.encode(run.span).utf8),
            ]
            for text in texts {
                #expect(search.finds(Array("{\"kid\":\"".utf8) + text + Array("\"}".utf8)))
                #expect(!search.finds(Array(text.prefix(text.count / 2))))
            }
        }
        #expect(search.finds(SecretSearch.decimal(d)))
    }

    @Test(
        "RFC 7517 9: ten thousand random sets contain nothing private, the public part reads back")
    func property() throws {
        let search = try Self.search(Self.pool)
        let seed = SeededGenerator.seed(for: "publication")
        var random = SeededGenerator(seed: seed)
        let secrets: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        for round in 0..<10_000 {
            let keys = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Self.randomKey(&random)
            }
            let text = try JWKSet(keys: keys).publicKeys.json()
            guard !search.finds(Array(text.utf8)), !Self.hasSecretMember(Array(text.utf8)) else {
                Issue.record("seed \(seed): a private part in \(text)")
                return
            }
            guard round < 150 else { continue }
            let members = try need(VectorValue(json: text)["keys"]?.array)
            #expect(members.count == keys.count)
            for (key, member) in zip(keys, members) {
                let names = Set(try need(member.object).keys)
                #expect(names.isDisjoint(with: secrets))
                #expect(member["kid"]?.string == key.keyID)
                #expect(member["use"]?.string == key.use?.name)
                #expect(member["alg"]?.string == key.algorithm?.name)
            }
            let again = try PublicJWKSet(json: text)
            // A reader skips keys of unknown algorithms.
            let known = keys.filter { $0.algorithm != "x\"y" }
            #expect(try again.json() == JWKSet(keys: known).publicKeys.json())
            #expect(again.skipped.count == keys.count - known.count)
            #expect(again.keys().filter(\.isPrivate).isEmpty)
            for key in keys {
                #expect(try !search.finds(Array(key.publicJSON().utf8)))
                #expect(try !search.finds(Array(key.publicKey.publicJSON().utf8)))
                #expect(try key.publicKey.thumbprint() == key.thumbprint())
            }
        }
    }

    private static func randomKey(_ random: inout SeededGenerator) -> JWK {
        let key = pool.randomElement(using: &random) ?? TestKeys.signing
        let names: [String?] = [
            nil, "", "a", "d", "\"\\\u{1}\u{7f}", "ключ", String(repeating: "x", count: 300),
        ]
        return TestKeys.named(
            key, names.randomElement(using: &random) ?? nil,
            use: [nil, .signature, .encryption].randomElement(using: &random) ?? nil,
            algorithm: [nil, "RS256", "RSA-OAEP", "x\"y"].randomElement(using: &random) ?? nil,
            operations: [nil, .sign, [.sign, .verify], .decrypt, []].randomElement(using: &random)
                ?? nil)
    }

    @Test("publicKeys turns private operations into the matching public ones")
    func operations() throws {
        let pairs: [(KeyOperations, KeyOperations)] = [
            (.sign, .verify), (.decrypt, .encrypt), (.unwrapKey, .wrapKey),
            ([.sign, .verify], .verify),
            ([], []), (.verify, .verify),
        ]
        for (ours, theirs) in pairs {
            let key = TestKeys.named(TestKeys.signing, nil, operations: ours)
            #expect(try key.publicKey.keyOperations == theirs)
        }
    }

    @Test("a private set reads back completely") func privateSets() throws {
        let set = JWKSet(keys: Self.pool)
        let text = try set.privateJSON()
        let again = try JWKSet(json: text)
        #expect(try again.privateJSON() == text)
        #expect(again.keys.filter(\.isPrivate).count == set.keys.count)
        for (key, other) in zip(set.keys, again.keys) {
            let token = try JWSSigner(key: TestKeys.bare(other), algorithm: .rs256).sign("x")
            _ = try JWSVerifier.rs256(TestKeys.bare(key).publicKey).verify(
                token)
        }
    }

    @Test("a generated key has the requested size and metadata") func generated() throws {
        let key = try JWK.generate(.rsa, use: .signature, algorithm: "RS256")
        #expect(key.sizeBits == 2_048)
        #expect(key.isPrivate)
        #expect(try key.keyID == key.thumbprint())
        let again = try JWK(json: key.privateJSON())
        let token = try JWSSigner(key: again, algorithm: .rs256).sign("x")
        _ = try JWSVerifier.rs256(key.publicKey).verify(token)
        for bits in [0, 512, 1_024, 2_047, 2_052, 8_193, 16_384, -1] {
            expectRejection("misuse", "\(bits)") { _ = try JWK.generate(.rsa(bits: bits)) }
        }
    }
}
