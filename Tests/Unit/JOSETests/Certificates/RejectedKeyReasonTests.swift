// If a token names a key whose certificates are rejected, the error and each line of the
// explanation have the reason.

import JOSE
import Testing

@Suite("Certificates: the token's error has the reason")
struct RejectedKeyReasonTests {
    private static let now = NumericDate(exactly: TestChains.now) ?? .latest
    private let root: TestAuthority
    private let token: String
    private let json: String

    init() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.bare(TestKeys.signing)) { $0.serial = 5 }
        let key = try TestKeys.named(TestKeys.signing, "sig", use: .signature)
            .withCertificates([leaf])
        let other = TestKeys.named(TestKeys.client, "other", use: .signature)
        self.root = root
        token = try JWSSigner(key: key, algorithm: .rs256).sign("payload")
        json = try JWKSet(keys: [key, other]).publicKeys.json()
    }

    private func store(
        revoked: [UInt8] = [5], until end: Int64 = TestChains.now + 100
    ) throws -> TrustStore {
        try TrustStore(
            anchors: [root.certificate],
            revocationLists: [
                root.revocationList(revoked: revoked, from: TestChains.now - 10, until: end)
            ])
    }

    private func verifier(_ rule: CertificateRule, at now: NumericDate) throws -> JWTVerifier {
        let keys = try PublicJWKSet(json: json, certificates: rule, at: now)
        return try JWTVerifier.checking(signature: .rs256(keys: keys))
    }

    private func expect(
        _ reason: String, _ rule: CertificateRule, made: NumericDate = now,
        at now: NumericDate = now
    ) throws {
        let verifier = try verifier(rule, at: made)
        let error = expectRejection("untrusted-key", reason) {
            _ = try verifier.verify(token, at: now)
        }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.step == .certificate)
        let lines = verifier.explain(token, at: now).lines.map(\.text)
        #expect(
            lines.contains { $0.contains(" skipped: ") && $0.contains(reason) },
            "\(lines)")
    }

    @Test("the error reports revoked, no revocation list, unknown root or no chain")
    func reasons() throws {
        try expect("a certificate has been revoked", .require(store()))
        try expect("a certificate has been revoked", .requireWhenPresent(store()))
        let stranger = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        let other = try TrustStore(anchors: [stranger.certificate])
        try expect("does not lead to a trust anchor", .require(other))
        // A set that was read while all certificates were valid.
        let later = NumericDate(exactly: TestChains.now + 200) ?? .latest
        try expect(
            "no current revocation list", .require(store(revoked: [])), at: later)
    }

    @Test("a key without a chain is reported with its own kid") func without() throws {
        let token = try JWSSigner(
            key: TestKeys.named(TestKeys.client, "other", use: .signature), algorithm: .rs256
        ).sign("payload")
        expectRejection("untrusted-key", message: "the key has no certificates (x5c)") {
            _ = try verifier(.require(store()), at: Self.now).verify(token, at: Self.now)
        }
    }
}
