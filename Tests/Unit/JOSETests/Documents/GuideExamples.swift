// The examples of docs/guide.md, compiled; GuideTests compares the texts and runs them. Change both together.

import JOSE
import JOSEOpenID

// key-file: begin
/// Our signing key from a PEM or PKCS#12 file of another program.
func signingKey(file: [UInt8], password: [UInt8]) throws -> JWK {
    var key = try KeyFileContents(file, password: password).key()  // with its certificates, if any
    key.keyID = "sig-1"
    key.use = .signature
    return key
}

/// The same key as a file for another program, under a password of its own.
func write(_ key: JWK, password: String, _ write: (Span<UInt8>) -> Void) throws {
    try key.withPrivateKeyFile(.pem, password: password, write)  // lent, then wiped
}
// key-file: end

// lists: begin
/// The roots of a provider, and what its authorities took back.
func trusting(roots: [UInt8], lists: [[UInt8]]) throws -> TrustStore {
    do {
        return try TrustStore(anchors: [roots], revocationLists: lists)  // PEM or DER
    } catch {
        if let input = error.input { print("not taken: \(input.name), number \(input.index)") }
        throw error  // such as "revocation list 2: a revocation list is a delta list, …"
    }
}
// lists: end

// source: begin
/// Keys that a table of ours holds, for `AsyncJWTVerifier`.
actor StoredKeys: KeySource {
    private let load: @Sendable () async throws -> String
    private var known: (json: String, keys: PublicJWKSet)?

    init(load: @escaping @Sendable () async throws -> String) { self.load = load }

    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
        let json: String
        do {
            json = try await load()
        } catch {
            // Never keyNotFound: that blames the token, and nobody could tell.
            throw .unavailable(.keySet, "the table of keys does not answer")
        }
        // The same set while its text is the same: its keys stay prepared.
        if let known, known.json == json { return known.keys }
        let keys = try PublicJWKSet(json: json)
        known = (json, keys)
        return keys
    }
}
// source: end

// once: begin
/// A client's assertion: who it is, if nobody showed it before.
func client(
    _ assertion: String, _ verifier: AsyncJWTVerifier, _ store: some ReplayStore
) async throws -> String? {
    let now = NumericDate.now  // one time for both
    let token = try await verifier.verify(assertion, at: now)
    // After every other check, so that a refused token uses nothing up.
    try await store.claim(
        token, purpose: "client-assertion", audience: "https://op.example/token", at: now)
    return token.subject
}
// once: end

// errors: begin
/// The status for the other side, and a line for our log.
func answer(_ token: String, _ verifier: JWTVerifier) -> (status: Int, log: String) {
    do {
        let token = try verifier.verify(token)
        return (200, "accepted: \(token.issuer ?? "")")
    } catch {  // a JOSEError: what verifies throws nothing else
        let status =
            switch error.code {
            case .unavailable: 503  // says nothing of the token: it may come again
            case .misuse, .internal: 500  // ours
            default: 401  // invalid_token, and no more than that
            }
        return (status, error.description)  // holds nothing secret, nothing of the token
    }
}

/// The same where other errors can come along.
func load(_ token: String, _ verifier: JWTVerifier, _ user: (String) throws -> Void) -> Int {
    do {
        try user(verifier.verify(token).subject ?? "")
        return 200
    } catch let error as JOSEError where error.code == .claimRejected && error.claim == "exp" {
        return 401  // expired: the client may fetch a new one
    } catch is JOSEError {
        return 401
    } catch {
        return 500
    }
}
// errors: end
