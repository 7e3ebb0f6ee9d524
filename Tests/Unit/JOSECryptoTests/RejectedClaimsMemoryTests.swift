// The claims of an encrypted token that is rejected do not remain in memory, since no caller gets
// them.

import JOSE
import Testing

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct RejectedClaimsMemoryTests {
    private static let issuer = "https://a.example"

    private let secret: Masked
    private let signer: JWK
    private let recipient: JWK

    init() throws {
        var generator = SystemRandomNumberGenerator()
        // Long enough that freeing does not overwrite all of it by chance.
        secret = Masked(
            bytes: (0..<60_000).map { _ in UInt8.random(in: 0x61...0x7a, using: &generator) ^ 0x5a }
        )
        signer = try JWK.generate(.curve(.p256))
        recipient = try JWK.generate(.curve(.p256))
    }

    /// Claims with the secret, provided and then wiped.
    private func withClaims<R>(
        _ more: String, end: String = "\"}", _ body: ([UInt8]) throws -> R
    ) throws -> R {
        try secret.use { secret in
            let start = Array("{\(more),\"note\":\"".utf8)
            var claims: [UInt8] = []
            claims.reserveCapacity(start.count + secret.count + end.utf8.count)
            claims += start
            claims += secret
            claims += Array(end.utf8)
            defer { wipe(&claims) }
            return try body(claims)
        }
    }

    private func encrypted(
        _ plaintext: [UInt8], nested: Bool, replicating members: [String: JSONValue] = [:]
    ) throws -> String {
        try JWEEncrypter(
            key: recipient.publicKey, algorithm: .ecdhES, content: .a128GCM,
            header: HeaderParameters(contentType: nested ? "JWT" : nil, additional: members)
        ).encrypt(plaintext)
    }

    /// A signed token inside an encrypted one: no plaintext copy of the claims remains.
    private func nested(
        _ claims: String, end: String = "\"}", replicating members: [String: JSONValue] = [:]
    ) throws -> String {
        let inner = try withClaims(claims, end: end) {
            try JWSSigner(key: signer, algorithm: .es256).sign($0)
        }
        return try encrypted(Array(inner.utf8), nested: true, replicating: members)
    }

    private var encryption: EncryptionRule {
        .required(key: recipient, algorithms: [.ecdhES], content: [.a128GCM])
    }

    /// The number of parts of the secret that are found.
    private func places() throws -> Int {
        try stride(from: 8_000, to: 60_000, by: 13_000).reduce(0) { sum, position in
            try sum
                + secret.part(position..<(position + 32)).use {
                    try Memory().places(holding: $0).count
                }
        }
    }

    @Test(
        "a table of verifiers wipes the claims in which it reads the issuer",
        arguments: [
            (#""iss":"https://b.example""#, "iss"), (#""iss":1"#, "iss"), (#""sub":"s""#, "iss"),
            (#""iss":"\#(issuer)","exp":1"#, "signature"),
        ])
    func table(_ claims: String, _ failure: String) throws {
        var stranger = try JWK.generate(.curve(.p256))
        stranger.keyID = signer.keyID
        let table = try JWTVerifier(
            byIssuer: [
                JWTVerifier(
                    policy: ClaimsPolicy(issuer: .exactly(Self.issuer), audience: .any),
                    signature: .required(key: stranger.publicKey, algorithms: [.es256]))
            ], encryption: encryption)
        let token = try nested(claims)
        #expect(try places() == 0, "before the call")
        let error = #expect(throws: JOSEError.self) { _ = try table.verify(token) }
        #expect((error?.claim ?? error?.step.name) == failure)
        #expect(try places() == 0)
    }
    /// Claims that a policy rejects, the end of their text, and the step or claim of the rejection.
    private static let rejected: [(claims: String, end: String, failure: String)] = [
        (#""iss":"https://a.example","exp":1"#, "\"}", "exp"),
        (#""iss":"https://b.example","exp":4102444800"#, "\"}", "iss"),
        (#""iss":1,"exp":4102444800"#, "\"}", "iss"), (#""sub":"s""#, "\"", "payload"),
    ]

    @Test(
        "a verifier wipes the claims that it rejects", arguments: 0..<rejected.count, [true, false])
    func verifier(_ index: Int, _ isNested: Bool) async throws {
        let (claims, end, failure) = Self.rejected[index]
        let rule =
            isNested
            ? SignatureRule.required(key: try signer.publicKey, algorithms: [.es256])
            : .insecureNotSigned
        let verifier = try JWTVerifier(
            policy: ClaimsPolicy(issuer: .exactly(Self.issuer), audience: .any),
            encryption: encryption, signature: rule)
        let token =
            isNested
            ? try nested(claims, end: end)
            : try withClaims(claims, end: end) { try encrypted($0, nested: false) }
        #expect(try places() == 0, "before the call")
        let error = #expect(throws: JOSEError.self) { _ = try verifier.verify(token) }
        #expect((error?.claim ?? error?.step.name) == failure)
        #expect(try places() == 0)
    }

    enum Layers: CaseIterable { case encrypted, nested, nestedWithFetchedKeys }

    @Test(
        "a verifier wipes the claims that the last checks reject: replicated claims, custom checks",
        arguments: Layers.allCases, [true, false])
    func lastChecks(_ layers: Layers, _ isReplicated: Bool) async throws {
        var policy = ClaimsPolicy(issuer: .exactly(Self.issuer), audience: .any)
        if !isReplicated { policy.require("iss") { _ in false } }
        let members: [String: JSONValue] = isReplicated ? ["iss": "https://b.example"] : [:]
        let claims = #""iss":"\#(Self.issuer)","exp":4102444800"#
        let token =
            layers == .encrypted
            ? try withClaims(claims) { try encrypted($0, nested: false, replicating: members) }
            : try nested(claims, replicating: members)
        let key = try signer.publicKey
        let verifier = try JWTVerifier(
            policy: policy, encryption: encryption,
            signature: layers == .encrypted
                ? .insecureNotSigned : .required(key: key, algorithms: [.es256]))
        let fetching = try AsyncJWTVerifier(
            policy: policy, encryption: encryption,
            keys: try PublicJWKSet(keys: [key]).markedStale(), algorithms: [.es256])
        #expect(try places() == 0, "before the call")
        let error = await #expect(throws: JOSEError.self) {
            if layers == .nestedWithFetchedKeys {
                _ = try await fetching.verify(token)
            } else {
                _ = try verifier.verify(token)
            }
        }
        #expect(error?.claim == "iss")
        #expect(try places() == 0)
    }
}
