// Nothing private is ever published: a property over many random sets (RFC 7517 section 9, catalogue 112).

import JOSE
import Testing

@Suite("Publication of keys")
struct PublicationTests {
    /// How many characters of an encoded secret must never stand in published text: 32 bytes of it, less the edges.
    private static let window = 42

    /// Every window of every private number of the keys, in hexadecimal and in base64url at each alignment.
    private static func needles(_ keys: [JWK]) throws -> Set<ArraySlice<UInt8>> {
        var needles: Set<ArraySlice<UInt8>> = []
        func insert(_ text: some StringProtocol) {
            let bytes = Array(text.utf8)
            guard bytes.count >= window else { return }
            for start in 0...(bytes.count - window) {
                needles.insert(bytes[start..<(start + window)])
            }
        }
        for key in keys {
            let members = try KeyText.members(key.privateJSON())
            for name in ["d", "p", "q", "dp", "dq", "qi"] {
                let number = try Independent.base64URL(need(members[name]?.string))
                for alignment in 0..<3 {
                    insert(Independent.base64URL(number.dropFirst(alignment)))
                }
                let digits = number.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                insert(digits)
                insert(digits.uppercased())
            }
        }
        return needles
    }

    private static func leaks(_ text: String, _ needles: Set<ArraySlice<UInt8>>) -> Bool {
        let bytes = text.utf8.map {
            $0 == UInt8(ascii: "+")
                ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        guard bytes.count >= window else { return false }
        return (0...(bytes.count - window)).contains { needles.contains(bytes[$0..<($0 + window)]) }
    }

    private static let pool = [
        TestKeys.signing, TestKeys.decrypting, TestKeys.stranger, TestKeys.client,
    ]

    @Test("the search finds what it looks for") func searchWorks() throws {
        let needles = try Self.needles(Self.pool)
        for key in Self.pool { #expect(try Self.leaks(key.privateJSON(), needles)) }
        #expect(try Self.leaks(JWKSet(Self.pool).privateJSON(), needles))
    }

    @Test("random sets: no private member, no run of private bytes, and the public part reads back")
    func property() throws {
        let needles = try Self.needles(Self.pool)
        let seed = SeededGenerator.seed(for: "publication")
        var random = SeededGenerator(seed: seed)
        let secrets: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        for _ in 0..<150 {
            let keys = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Self.randomKey(&random)
            }
            let published = try JWKSet(keys).publicKeys
            let text = published.json()
            #expect(!Self.leaks(text, needles))
            let members = try need(VectorValue(json: text)["keys"]?.array)
            #expect(members.count == keys.count)
            for (key, member) in zip(keys, members) {
                let names = Set(try need(member.object).keys)
                #expect(names.isDisjoint(with: secrets))
                #expect(member["kid"]?.string == key.keyID)
                #expect(member["use"]?.string == key.use?.name)
                #expect(member["alg"]?.string == key.algorithm)
            }
            let again = try PublicJWKSet(json: text)
            #expect(again.json() == text)
            #expect(again.keys.filter(\.isPrivate).isEmpty)
            for key in keys {
                #expect(!Self.leaks(key.publicJSON(), needles))
                #expect(!Self.leaks(key.publicKey.publicJSON(), needles))
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

    @Test("the public side turns private operations into their public ones") func operations() {
        let pairs: [(KeyOperations, KeyOperations)] = [
            (.sign, .verify), (.decrypt, .encrypt), (.unwrapKey, .wrapKey),
            ([.sign, .verify], .verify),
            ([], []), (.verify, .verify),
        ]
        for (ours, theirs) in pairs {
            let key = TestKeys.named(TestKeys.signing, nil, operations: ours)
            #expect(key.publicKey.keyOperations == theirs)
        }
    }

    @Test("a private set reads back whole") func privateSets() throws {
        let set = JWKSet(Self.pool)
        let text = try set.privateJSON()
        let again = try JWKSet(json: text)
        #expect(try again.privateJSON() == text)
        #expect(again.keys.filter(\.isPrivate).count == set.keys.count)
        for (key, other) in zip(set.keys, again.keys) {
            let token = try JWSSigner(TestKeys.bare(other), algorithm: .rs256).sign("x")
            _ = try JWSVerifier(key: TestKeys.bare(key).publicKey, algorithms: [.rs256]).verify(
                token)
        }
    }

    @Test("a key made here has the size and metadata that were asked for") func generated() throws {
        let key = try JWK.generate(use: .signature, algorithm: "RS256")
        #expect(key.sizeBits == 2_048)
        #expect(key.isPrivate)
        #expect(try key.keyID == key.thumbprint())
        let again = try JWK(json: key.privateJSON())
        let token = try JWSSigner(again, algorithm: .rs256).sign("x")
        _ = try JWSVerifier(key: key.publicKey, algorithms: [.rs256]).verify(token)
        for bits in [0, 512, 1_024, 2_047, 2_052, 8_193, 16_384, -1] {
            expectRefusal("misuse", "\(bits)") { _ = try JWK.generate(rsaBits: bits) }
        }
    }
}
