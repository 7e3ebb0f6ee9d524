// Several issuers: the unverified iss selects the verifier, byte for byte, and changes nothing of
// its requirements.

import JOSE
import Synchronization
import Testing

@Suite("Tables of verifiers")
struct VerifierTableTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let first = "https://first.example"
    private static let second = "https://second.example"

    /// A source that counts its calls.
    private final class Source: KeySource {
        private let keys: PublicJWKSet
        private let count = Mutex(0)
        var asked: Int { count.withLock { $0 } }

        init(_ key: JWK) throws { keys = try PublicJWKSet(keys: [key]) }

        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
            count.withLock { $0 += 1 }
            return keys
        }
    }

    /// Both kinds of table for the same two issuers, each with its own key.
    private struct Tables {
        let pair: VerifierPair
        let sources: [Source]

        init(_ encryption: EncryptionRule = .notEncrypted, limits: JOSELimits = .standard) throws {
            let parties = [
                (
                    ClaimsPolicy(issuer: .exactly(VerifierTableTests.first), audience: "a"),
                    TestKeys.signing
                ),
                (
                    ClaimsPolicy(issuer: .exactly(VerifierTableTests.second), audience: "a"),
                    TestKeys.client
                ),
            ]
            let sources = try parties.map { try Source($0.1) }
            self.sources = sources
            pair = VerifierPair(
                try JWTVerifier(
                    byIssuer: parties.map { policy, key in
                        let keys = try PublicJWKSet(keys: [key])
                        return try JWTVerifier.checking(policy, signature: .rs256(keys: keys))
                    }, encryption: encryption, limits: limits),
                try AsyncJWTVerifier(
                    byIssuer: zip(parties, sources).map { party, source in
                        try AsyncJWTVerifier.checking(party.0, source: source)
                    }, encryption: encryption, limits: limits))
        }

        func verdict(_ token: String) async throws -> String {
            try await pair.verdict(token, at: VerifierTableTests.now)
        }
    }

    private static func token(
        _ issuer: String, by key: JWK, _ keyID: String, members: String = ""
    ) throws -> String {
        try TestToken.signed(
            "{\"alg\":\"RS256\",\"kid\":\"\(keyID)\"}",
            "{\"iss\":\(issuer),\"aud\":\"a\",\"exp\":1760000300\(members)}", by: key)
    }

    private static let encryption = EncryptionRule.rsa()

    @Test("each token is verified with its issuer's keys only", arguments: [false, true])
    func selection(isNested: Bool) async throws {
        let tables = try Tables(isNested ? Self.encryption : .notEncrypted)
        let (one, two) = ("\"\(Self.first)\"", "\"\(Self.second)\"")
        for (issuer, key, keyID, wanted) in [
            (one, TestKeys.signing, "sig-1", "accepted"),
            (two, TestKeys.client, "client-1", "accepted"),
            (#""https:\/\/first.example""#, TestKeys.signing, "sig-1", "accepted"),
            // Another's key under either name.
            (one, TestKeys.client, "client-1", "key-not-found"),
            (one, TestKeys.client, "sig-1", "signature-invalid"),
            (two, TestKeys.signing, "client-1", "signature-invalid"),
        ] {
            let token = try Self.token(issuer, by: key, keyID)
            let verdict = try await tables.verdict(isNested ? TestToken.nested(token) : token)
            #expect(verdict == wanted, "\(issuer) \(keyID)")
        }
    }

    @Test(
        "RFC 7519 4.1.1: an issuer that is not in the table is rejected without fetching keys",
        arguments: [
            #""https://third.example""#, #""https://first.example/""#,
            #""HTTPS://first.example""#, #""https://first.exampl""#, #""""#,
            #""https://first.example\u0000""#, #""https://\u017fecond.example""#, "null", "1",
            #"["https://first.example"]"#, #"{"https://first.example":1}"#,
        ])
    func unknown(_ issuer: String) async throws {
        for isNested in [false, true] {
            let tables = try Tables(isNested ? Self.encryption : .notEncrypted)
            let token = try Self.token(issuer, by: TestKeys.signing, "sig-1")
            let verdict = try await tables.verdict(isNested ? TestToken.nested(token) : token)
            #expect(verdict == "claim-rejected iss")
            #expect(tables.sources.map(\.asked) == [0, 0])
        }
    }

    @Test("canonically equivalent strings are two issuers") func bytes() throws {
        let names = ["https://caf\u{e9}.example", "https://cafe\u{301}.example"]
        let keys = [TestKeys.signing, TestKeys.client]
        let table = try JWTVerifier(
            byIssuer: zip(names, keys).map { name, key in
                try JWTVerifier.checking(
                    ClaimsPolicy(issuer: .exactly(name), audience: .any),
                    signature: .rs256(keys: PublicJWKSet(keys: [key])))
            })
        for (name, key) in zip(names, keys) {
            let token = try Self.token("\"\(name)\"", by: key, need(key.keyID))
            let issuer = try table.verify(token, at: Self.now).issuer
            #expect(issuer.map { Array($0.utf8) } == Array(name.utf8))
        }
        let crossed = try Self.token("\"\(names[0])\"", by: keys[1], "client-1")
        expectRejection("key-not-found") { _ = try table.verify(crossed, at: Self.now) }
    }

    @Test("only the issuer's own key source is called") func sources() async throws {
        let tables = try Tables()
        let token = try Self.token("\"\(Self.second)\"", by: TestKeys.client, "client-1")
        for count in 1...3 {
            #expect(try await tables.pair.fetched.verify(token, at: Self.now).issuer == Self.second)
            #expect(tables.sources.map(\.asked) == [0, count])
        }
    }

    @Test("a table's verifiers check everything that they check alone") func policies() async throws
    {
        let tables = try Tables()
        for (members, wanted) in [
            (#","iat":1760000000"#, "accepted"), (#","iat":1760009999"#, "claim-rejected iat"),
            (#","nbf":1760009999"#, "claim-rejected nbf"), (#","iss":"x""#, "malformed"),
        ] {
            let token = try Self.token(
                "\"\(Self.first)\"", by: TestKeys.signing, "sig-1", members: members)
            #expect(try await tables.verdict(token) == wanted, "\(members)")
        }
        struct Claims: Decodable { var exp: Int }
        let token = try Self.token("\"\(Self.first)\"", by: TestKeys.signing, "sig-1")
        #expect(
            try tables.pair.local.verify(token, as: Claims.self, at: Self.now).exp == 1_760_000_300)
        let claims = try await tables.pair.fetched.verify(token, as: Claims.self, at: Self.now)
        #expect(claims.exp == 1_760_000_300)
        expectRejection("claim-rejected nonce") {
            _ = try tables.pair.local.verify(token, expecting: .init(nonce: "n"), at: Self.now)
        }
    }

    @Test("the table sets the layers: fewer, more or others are rejected") func layers()
        async throws
    {
        let inner = try Self.token("\"\(Self.first)\"", by: TestKeys.signing, "sig-1")
        let sealed = try TestToken.nested(inner)
        #expect(try await Tables().verdict(sealed) == "malformed")
        #expect(try await Tables(Self.encryption).verdict(inner) == "malformed")
        let encrypted = try Tables(Self.encryption)
        for (token, wanted) in [
            (try TestToken.nested(sealed), "malformed"), (try TestToken.nested("{}"), "malformed"),
            (
                TestToken.replacing(4, of: sealed, by: "AAAAAAAAAAAAAAAAAAAAAA"),
                "decryption-failed"
            ),
            // Claims replicated in the header must be equal, too (RFC 7519, 5.3).
            (try TestToken.nested(inner, #","iss":"\#(Self.first)""#), "accepted"),
            (try TestToken.nested(inner, #","iss":"\#(Self.second)""#), "claim-rejected iss"),
        ] {
            #expect(try await encrypted.verdict(token) == wanted)
        }
        #expect(try encrypted.pair.local.verify(sealed, at: Self.now).header().keyID == "sig-1")
    }

    @Test("input that is not a JWT is rejected before a verifier is chosen")
    func malformed() async throws {
        let tables = try Tables()
        let good = try Self.token("\"\(Self.first)\"", by: TestKeys.signing, "sig-1")
        for payload in ["", "[]", "1", "{", #"{"iss":"a","iss":"b"}"#] {
            let token = TestToken.replacing(1, of: good, by: Independent.base64URL(payload.utf8))
            #expect(try await tables.verdict(token) == "malformed", "\(payload)")
        }
        for token in ["", ".", "..", "a.b", TestToken.replacing(1, of: good, by: "a=")] {
            #expect(try await tables.verdict(token) == "malformed", "\(token)")
        }
        let missing = TestToken.replacing(1, of: good, by: Independent.base64URL("{}".utf8))
        #expect(try await tables.verdict(missing) == "claim-rejected iss")
        var limits = JOSELimits()
        limits.tokenBytes = good.utf8.count - 1
        #expect(try await Tables(limits: limits).verdict(good) == "limit-exceeded")
        limits.tokenBytes += 1
        #expect(try await Tables(limits: limits).verdict(good) == "accepted")
        limits = JOSELimits()
        limits.jsonDepth = 1
        let deep = try Self.token(
            "\"\(Self.first)\"", by: TestKeys.signing, "sig-1", members: #","x":[1]"#)
        #expect(try await Tables(limits: limits).verdict(deep) == "limit-exceeded")
    }

    @Test(
        "a verifier keeps its own token limit, also inside encrypted tokens",
        arguments: [false, true])
    func limits(isNested: Bool) async throws {
        let token = try Self.token("\"\(Self.first)\"", by: TestKeys.signing, "sig-1")
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        let encryption = isNested ? Self.encryption : .notEncrypted
        let sent = isNested ? try TestToken.nested(token) : token
        for (shortage, wanted) in [(0, "accepted"), (1, "limit-exceeded")] {
            let limits = JOSELimits.with { $0.tokenBytes = token.utf8.count - shortage }
            let table = try JWTVerifier(
                byIssuer: [
                    JWTVerifier(
                        issuer: Self.first, audience: "a",
                        signature: .required(keys: keys, algorithms: [.rs256], limits: .standard),
                        limits: limits)
                ], encryption: encryption)
            let fetched = try AsyncJWTVerifier(
                byIssuer: [
                    AsyncJWTVerifier(
                        issuer: Self.first, audience: "a", keys: keys, algorithms: [.rs256],
                        limits: limits)
                ], encryption: encryption)
            let verdict = try await VerifierPair(table, fetched).verdict(sent, at: Self.now)
            #expect(verdict == wanted)
        }
    }

    @Test("no explanation shows an unverified issuer") func told() async throws {
        let tables = try Tables()
        let token = try Self.token("\"https://liar.example\"", by: TestKeys.signing, "sig-1")
        for explanation in [
            tables.pair.local.explain(token, at: Self.now),
            await tables.pair.fetched.explain(token, at: Self.now),
        ] {
            #expect(!explanation.description.contains("liar"))
            #expect(
                explanation.lines.map(\.description) == [
                    "NO  claims: claim iss: no verifier of the table is for this issuer"
                ])
        }
        let known = try Self.token("\"\(Self.first)\"", by: TestKeys.signing, "sig-1")
        #expect(
            tables.pair.local.explain(known, at: Self.now).lines.first?.description
                == "ok  claims: there is a verifier for the issuer that the token names")
    }

    @Test("an invalid table is a programming error") func misuse() throws {
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        func verifier(
            _ issuer: IssuerRule, _ encryption: EncryptionRule = .notEncrypted
        ) throws -> JWTVerifier {
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: issuer, audience: "a"), encryption,
                signature: .rs256(keys: keys))
        }
        func fetched(
            _ issuer: IssuerRule, _ encryption: EncryptionRule = .notEncrypted
        ) throws -> AsyncJWTVerifier {
            try .checking(ClaimsPolicy(issuer: issuer, audience: "a"), encryption, source: keys)
        }
        let sealed = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), Self.encryption, signature: .insecureNotSigned
        )
        let lists: [[JWTVerifier]] = [
            [], [try verifier("i"), try verifier("i")], [try verifier(.any)],
            [try verifier("i"), try verifier(.any)], [try verifier("i", Self.encryption)],
            [sealed],
        ]
        for list in lists {
            expectRejection("misuse") { _ = try JWTVerifier(byIssuer: list) }
            expectRejection("misuse") {
                _ = try JWTVerifier(byIssuer: list, encryption: Self.encryption)
            }
        }
        let others: [[AsyncJWTVerifier]] = [
            [], [try fetched("i"), try fetched("i")], [try fetched(.any)],
            [try fetched("i", Self.encryption)],
        ]
        for list in others {
            expectRejection("misuse") { _ = try AsyncJWTVerifier(byIssuer: list) }
        }
        expectRejection("misuse") {
            _ = try JWTVerifier(
                byIssuer: [verifier("i")],
                encryption: .required(key: TestKeys.decrypting, algorithms: [], content: []))
        }
    }
}
