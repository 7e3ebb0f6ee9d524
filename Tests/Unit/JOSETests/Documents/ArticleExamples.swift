// Examples of JOSE's articles, compiled; ArticleTests runs them.

import JOSE
import JOSEOpenID

/// Generates a signing key, a decryption key, and a shared secret.
func newKeys() throws -> (local: String, published: String, shared: String) {
    let signing = try JWK.generate(
        .curve(.p256), keyID: "sig-1", use: .signature, algorithm: .es256)
    let decrypting = try JWK.generate(
        .rsa, keyID: "enc-1", use: .encryption, algorithm: .rsaOAEP256)
    let secret = try JWK.generate(.symmetric(bits: 256), use: .signature, algorithm: .hs256)
    let local = JWKSet(keys: [signing, decrypting])
    // Keep privateJSON() secret. The published set has nothing private.
    return (try local.privateJSON(), try local.publicKeys.json(), try secret.privateJSON())
}

/// Reads a signing key from a PEM or PKCS#12 file.
func signingKey(file: [UInt8], password: [UInt8]) throws -> JWK {
    var key = try KeyFileContents(file, password: password).key()  // with its certificates, if any
    key.keyID = "sig-1"
    key.use = .signature
    return key
}

/// Writes the same key as an encrypted file.
func write(_ key: JWK, password: String, _ write: (Span<UInt8>) -> Void) throws {
    try key.withPrivateKeyFile(.pem, password: password, write)  // wiped afterwards
}

/// Accepts the keys of one bank only, below a root that certifies every bank.
func keysOfOneBank(roots: TrustStore, theirJSON: String) throws -> PublicJWKSet {
    let bank = try CertificateIdentity.all([
        .subject(.organizationIdentifier, "PSDDE-BAFIN-123456"), .policy("0.4.0.19495.3.1"),
    ])
    // A key of another bank is skipped; the reason names the required identity.
    return try PublicJWKSet(json: theirJSON, certificates: .require(roots, of: bank))
}

/// Trusts the roots of a provider, with the revocation lists of its authorities.
func trusting(roots: [UInt8], lists: [[UInt8]]) throws -> TrustStore {
    do {
        return try TrustStore(anchors: [roots], revocationLists: lists)  // PEM or DER
    } catch {
        // `index` counts from 0, the number in the error's message from 1.
        if let input = error.input { print("rejected: \(input.name), index \(input.index)") }
        throw error  // "revocation list 2: delta revocation lists are not supported; …"
    }
}

/// Describes what is wrong with a chain, leaf first, and names the certificate; nil if it is valid.
func failure(of chain: [[UInt8]], _ roots: TrustStore, at now: NumericDate) throws -> String? {
    let report = try roots.report(chain, purpose: .signature, at: now)
    guard let error = report.error else { return nil }
    return "\(error.code.name): \(report.message)"
}

/// Keys in a database, for `AsyncJWTVerifier`.
actor StoredKeys: KeySource {
    private let load: @Sendable () async throws -> String
    private var known: (json: String, keys: PublicJWKSet)?

    init(load: @escaping @Sendable () async throws -> String) { self.load = load }

    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
        let json: String
        do {
            json = try await load()
        } catch {
            // Not keyNotFound, which blames the token.
            throw .unavailable(.keySet, "the database of keys is not available")
        }
        // Return the same set while its bytes are the same, so that its keys stay prepared. Compare
        // bytes: == of String treats different characters as equal and may take quadratic time.
        if let known, known.json.utf8.elementsEqual(json.utf8) { return known.keys }
        let keys = try PublicJWKSet(json: json)
        known = (json, keys)
        return keys
    }
}

/// A signing key in a key service. `send` signs a digest and returns the signature in DER, or nil
/// if the service rejects the digest.
struct ServiceKey: ExternalKey {
    let send: @Sendable (_ digest: [UInt8]) async throws -> [UInt8]?

    /// The algorithms of the key; no other is requested.
    var capabilities: ExternalKeyCapabilities { ExternalKeyCapabilities(signatures: [.es256]) }

    func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        guard case .digest(let digest) = request.input else { throw .failed }
        let response: [UInt8]?
        do {
            response = try await send(digest)
        } catch {
            throw .unavailable  // not reached, or the response was lost
        }
        guard let der = response else { throw .failed }
        return .der(der)  // use `.plain` for an RSA signature, and for r || s
    }
}

/// Makes an issuer with the service's key. Make it once and keep it.
func issuer(
    publicJSON: String, by service: ServiceKey, options: ExternalKeyOptions = .standard
) throws -> JWTIssuer {
    let key = try JWK(json: publicJSON).withExternalKey(service, options: options)
    return try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
}
// then: try await issuer.issue(claims, timeout: .seconds(2))

/// Encrypts one message for two recipients in the general JSON serialisation.
func message(_ text: [UInt8], for first: JWK, and second: JWK) throws -> String {
    let encrypter = try JWEJSONEncrypter(
        recipients: [
            JWERecipient(key: first, algorithm: .rsaOAEP256),
            JWERecipient(key: second, algorithm: .ecdhESA256KW),
        ], content: .a256GCM)
    return try encrypter.encrypt(text, as: .general)
}

/// Decrypts a message. Anyone may have written it: a public key proves no sender.
func decrypted(_ message: String, with key: JWK) throws -> [UInt8] {
    let decrypter = try JWEDecrypter(
        key: key, algorithms: [.rsaOAEP256, .ecdhESA256KW], content: [.a256GCM])
    return try decrypter.decryptJSON(message).unauthenticatedPlaintext
}

#if PBES2  // the library's trait does not set this condition in your package: define it there
    /// Encrypts a note to a password.
    func note(_ text: String, password: String) throws -> String {
        let key = try JWK(password: password, algorithm: .pbes2HS256A128KW)
        return try JWEEncrypter(
            key: key, algorithm: .pbes2HS256A128KW, content: .a128CBCHS256
        ).encrypt(text)
    }
#endif

/// Verifies a client assertion, records its use and returns the client.
func client(
    _ assertion: String, _ clients: AsyncJWTVerifier, _ store: some ReplayStore
) async throws -> String? {
    let now = NumericDate.now  // one time for both
    let token = try await clients.verify(assertion, at: now)
    // After every other check, so that a rejected token is not recorded as used.
    try await store.markUsed(
        token, purpose: "client-assertion", audience: "https://op.example/token", at: now)
    return token.subject
}

/// Returns the HTTP status for a rejected token.
func status(for code: JOSEError.Code) -> Int {
    switch code {
    case .unavailable: 503  // nothing is known about the token: the client may retry
    case .misuse, .internal: 500  // an error of this program
    default: 401  // invalid_token, without details
    }
}

/// Returns the HTTP status and a line for the log.
func response(_ token: String, _ verifier: JWTVerifier) -> (status: Int, log: String) {
    do {
        let token = try verifier.verify(token)
        return (200, "accepted: \(token.issuer ?? "")")
    } catch {  // a JOSEError: verifiers throw nothing else
        return (status(for: error.code), error.description)  // contains no secret
    }
}

/// Returns the HTTP status where other errors can be thrown too.
func load(_ token: String, _ verifier: JWTVerifier, _ user: (String) throws -> Void) -> Int {
    do {
        try user(verifier.verify(token).subject ?? "")
        return 200
    } catch let error as JOSEError where error.code == .claimRejected && error.claim == "exp" {
        return 401  // expired: the client may fetch a new one
    } catch let error as JOSEError {
        return status(for: error.code)
    } catch {
        return 500
    }
}
