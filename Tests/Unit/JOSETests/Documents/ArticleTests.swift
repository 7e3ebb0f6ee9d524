// Runs the articles' examples, which PageBlockTests finds compiled.

import Foundation
import JOSE
import JOSEOpenID
import Synchronization
import Testing

@Suite("Articles")
struct ArticleTests {
    private func text(_ path: String, from begin: String, to end: String) throws -> Substring {
        let root = VectorFile.folder.deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let start = try need(text.range(of: begin)?.upperBound)
        return text[start..<(try need(text[start...].range(of: end)?.lowerBound))]
    }

    @Test("new private keys sign and decrypt, published ones do neither") func keys() throws {
        let made = try newKeys()
        let ours = try JWKSet(json: made.local)
        let published = try PublicJWKSet(json: made.published)
        let token = try JWSSigner(key: ours.key(use: .signature), algorithm: .es256).sign("x")
        _ = try JWSVerifier(keys: published, algorithms: [.es256]).verify(token)
        #expect(try ours.key(use: .encryption).isPrivate)
        #expect(try !published.key(use: .encryption).isPrivate)
        #expect(!made.published.contains("\"d\""))
        #expect(try JWK(json: made.shared).keyType == .oct)
    }

    private struct Unreachable: Error {}

    @Test("a key service signs, an invalid answer is internal, an outage unavailable")
    func externalKey() async throws {
        let key = try JWK.generate(.curve(.p256), keyID: "service", use: .signature)
        let device = try SoftDevice(key)
        let open = try key.publicKey.publicJSON()
        func issued(_ ask: @escaping @Sendable ([UInt8]) async throws -> [UInt8]?) async throws
            -> String
        {
            try await issuer(
                publicJSON: open, by: ServiceKey(send: ask),
                options: ExternalKeyOptions(timeout: ample)
            )
            .issue(["sub": "zoe"], timeout: ample)
        }
        let token = try await issued { digest in
            device.sign(
                ExternalSigningRequest(
                    algorithm: .es256, input: .digest(digest), deadline: .now + .seconds(5)))
        }
        _ = try JWSVerifier(key: key.publicKey, algorithms: [.es256]).verify(token)
        for (code, response) in [("internal", nil), ("internal", [0])] as [(String, [UInt8]?)] {
            let error = await #expect(throws: JOSEError.self) {
                _ = try await issued { _ in response }
            }
            #expect(error?.code.name == code)
        }
        let outage = await #expect(throws: JOSEError.self) {
            _ = try await issued { _ in throw Unreachable() }
        }
        #expect(outage?.code == .unavailable)
    }

    @Test("a message for two recipients is decrypted by each of them and no other")
    func json() throws {
        let first = TestKeys.named(TestKeys.decrypting, "a", use: .encryption)
        let second = try JWK.generate(.curve(.x25519), use: .encryption)
        let text = try message([1, 2, 3], for: first.publicKey, and: second.publicKey)
        #expect(text.hasPrefix("{"))
        for key in [first, second] { #expect(try decrypted(text, with: key) == [1, 2, 3]) }
        let other = TestKeys.named(TestKeys.stranger, "a", use: .encryption)
        expectRejection("decryption-failed") { _ = try decrypted(text, with: other) }
    }

    @Test("a chain is validated without a key, or the error has the reason") func chain() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let other = try TestAuthority(TestKeys.bare(TestKeys.client))
        let leaf = try root.leaf(TestKeys.signing)
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let roots = try TrustStore(anchors: [root.certificate])
        #expect(try failure(of: [leaf], roots, at: now) == nil)
        let rejected = try failure(
            of: [leaf], TrustStore(anchors: [other.certificate]), at: now)
        #expect(rejected?.hasPrefix("untrusted-key: ") == true)
    }

    #if PBES2
        @Test("a text is encrypted with a password") func password() throws {
            let key = try JWK(password: "correct horse", algorithm: .pbes2HS256A128KW)
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [.pbes2HS256A128KW], content: [.a128CBCHS256])
            let opened = try decrypter.decrypt(note("hello", password: "correct horse"))
            #expect(opened.unauthenticatedPlaintext == Array("hello".utf8))
        }
    #endif

    @Test("a key file with a password is read and written") func keyFile() throws {
        let old = try TestKeys.bare(TestKeys.signing).pkcs12File(password: "old")
        let key = try signingKey(file: old, password: Array("old".utf8))
        #expect(key.keyID == "sig-1" && key.use == .signature && key.isPrivate)
        var file: [UInt8] = []
        try write(key, password: "new") { bytes in file = bytes.indices.map { bytes[$0] } }
        #expect(try signingKey(file: file, password: Array("new".utf8)).sizeBits == key.sizeBits)
        expectRejection("decryption-failed") {
            _ = try signingKey(file: file, password: Array("old".utf8))
        }
    }

    @Test("revocation lists make a trust store, or the error names the rejected one")
    func lists() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let list = try root.revocationList(from: 1_700_000_000, until: 1_900_000_000)
        _ = try trusting(roots: root.certificate, lists: [list])
        let delta = try root.revocationList(
            from: 1_700_000_000, until: 1_900_000_000,
            extensions: [.other(27, [0x02, 0x01, 0x01], isCritical: true)])
        let error = expectRejection("unsupported") {
            _ = try trusting(roots: root.certificate, lists: [list, delta])
        }
        let message = "revocation list 2: delta revocation lists are not supported; "
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.input?.index == 1)
    }

    private static let policy = ClaimsPolicy(issuer: "rp", audience: "https://op.example/token")
    private let key = TestKeys.named(TestKeys.client, "sig", use: .signature)

    private func assertion() throws -> String {
        try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60)).issue([
            "iss": "rp", "sub": "rp", "aud": "https://op.example/token", "jti": "one",
        ])
    }

    private struct Away: Error {}

    @Test("a custom key source is used, and its outage is unavailable") func source() async throws {
        let json = try JWKSet(keys: [key]).publicKeys.json()
        let isAway = Mutex(false)
        let source = StoredKeys {
            if isAway.withLock({ $0 }) { throw Away() }
            return json
        }
        let verifier = try AsyncJWTVerifier(policy: Self.policy, keys: source, algorithms: [.rs256])
        let token = try assertion()
        #expect(try await verifier.verify(token).subject == "rp")
        #expect(try await verifier.verify(token).subject == "rp")
        isAway.withLock { $0 = true }
        let error = await #expect(throws: JOSEError.self) { try await verifier.verify(token) }
        #expect(error?.code == .unavailable && error?.step == .keySet)
    }

    @Test("a one-time token is accepted once, and a rejected one is not used up")
    func once() async throws {
        let store = MemoryReplayStore()
        let verifier = try AsyncJWTVerifier(byIssuer: [
            AsyncJWTVerifier(
                policy: Self.policy, keys: PublicJWKSet(keys: [key]), algorithms: [.rs256])
        ])
        let token = try assertion()
        let corrupted = String(token.dropLast(8)) + "AAAAAAAA"
        let rejected = await #expect(throws: JOSEError.self) {
            try await client(corrupted, verifier, store)
        }
        #expect(rejected?.code == .signatureInvalid)
        #expect(try await client(token, verifier, store) == "rp")
        let error = await #expect(throws: JOSEError.self) {
            try await client(token, verifier, store)
        }
        #expect(error?.code == .replayed)
    }

    @Test("the client gets the public error, the log gets the details") func errors() throws {
        let verifier = try JWTVerifier(
            issuer: "rp", audience: "https://op.example/token",
            signature: .required(keys: PublicJWKSet(keys: [key]), algorithms: [.rs256]))
        let token = try assertion()
        #expect(response(token, verifier) == (200, "accepted: rp"))
        let rejected = response(String(token.dropLast(8)) + "AAAAAAAA", verifier)
        #expect(rejected == (401, "signature-invalid at signature: the signature does not verify"))
        var user = ""
        #expect(load(token, verifier) { user = $0 } == 200)
        #expect(user == "rp")
        #expect(load(token, verifier) { _ in throw Away() } == 500)
        #expect(load("x", verifier) { _ in } == 401)
    }
}
