// Examples of JOSE's articles, compiled; ArticleTests runs them.

import JOSE
import JOSEOpenID

/// Keys of our own: one to sign, one to be encrypted for, and a secret that two sides share.
func newKeys() throws -> (ours: String, published: String, shared: String) {
    let signing = try JWK.generate(
        .curve(.p256), keyID: "sig-1", use: .signature, algorithm: .es256)
    let opening = try JWK.generate(
        .rsa, keyID: "enc-1", use: .encryption, algorithm: .rsaOAEP256)
    let secret = try JWK.generate(.symmetric(bits: 256), use: .signature, algorithm: .hs256)
    let ours = JWKSet(keys: [signing, opening])
    // privateJSON() is secret: whoever has it is us. What is published holds nothing private.
    return (try ours.privateJSON(), try ours.publicKeys.json(), try secret.privateJSON())
}

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

/// Keys of one bank alone, below a root that certifies every bank.
func keysOfOneBank(roots: TrustStore, theirJSON: String) throws -> PublicJWKSet {
    let bank = try CertificateIdentity.all([
        .subject(.organizationIdentifier, "PSDDE-BAFIN-123456"), .policy("0.4.0.19495.3.1"),
    ])
    // A key of another bank is skipped; the reason names what was demanded.
    return try PublicJWKSet(json: theirJSON, certificates: .require(roots, of: bank))
}

/// The roots of a provider, and what its authorities took back.
func trusting(roots: [UInt8], lists: [[UInt8]]) throws -> TrustStore {
    do {
        return try TrustStore(anchors: [roots], revocationLists: lists)  // PEM or DER
    } catch {
        if let input = error.input { print("not taken: \(input.name), number \(input.index)") }
        throw error  // such as "revocation list 2: a revocation list is a delta list, …"
    }
}

/// What is wrong with a chain, the leaf first, in a sentence that names the certificate; nil if it holds.
func failure(of chain: [[UInt8]], _ roots: TrustStore, at now: NumericDate) throws -> String? {
    let report = try roots.report(chain, purpose: .signature, at: now)
    guard let error = report.error else { return nil }
    return "\(error.code.name): \(report.message)"
}

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
        // The same set while its bytes are the same: its keys stay prepared. For == of String other
        // letters may be equal, and comparing marks takes quadratic time.
        if let known, known.json.utf8.elementsEqual(json.utf8) { return known.keys }
        let keys = try PublicJWKSet(json: json)
        known = (json, keys)
        return keys
    }
}

/// A signing key in a key service; `ask` gives it a digest and returns a signature in DER, nil where it rejects.
struct ServiceKey: ExternalKey {
    let ask: @Sendable (_ digest: [UInt8]) async throws -> [UInt8]?

    /// What the service's one key does; nothing else is ever asked.
    var capabilities: ExternalKeyCapabilities { ExternalKeyCapabilities(signatures: [.es256]) }

    func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError) -> ExternalSignature {
        guard case .digest(let digest) = request.input else { throw .failed }
        let response: [UInt8]?
        do {
            response = try await ask(digest)
        } catch {
            throw .unavailable  // it was not reached: an outage, and nothing was signed
        }
        guard let der = response else { throw .failed }
        return .der(der)  // `.plain` for r and s behind each other, and for RSA
    }
}

/// Issues by the service's key, of which we have the public part; make it once and keep it.
func issuer(
    publicJSON: String, by service: ServiceKey, rule: ExternalKeyOptions = .standard
) throws -> JWTIssuer {
    let key = try JWK(json: publicJSON).withExternalKey(service, options: rule)
    return try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
}
// then: try await issuer.issue(claims, timeout: .seconds(2))

/// One message for two recipients, each with a key of its own; the general form.
func message(_ text: [UInt8], for first: JWK, and second: JWK) throws -> String {
    let encrypter = try JWEJSONEncrypter(
        recipients: [
            JWERecipient(key: first, algorithm: .rsaOAEP256),
            JWERecipient(key: second, algorithm: .ecdhESA256KW),
        ], content: .a256GCM)
    return try encrypter.encrypt(text, as: .general)
}

/// What a message says. Anybody may have written it: encryption to a public key proves no sender.
func opened(_ message: String, with key: JWK) throws -> [UInt8] {
    let decrypter = try JWEDecrypter(
        key: key, algorithms: [.rsaOAEP256, .ecdhESA256KW], content: [.a256GCM])
    return try decrypter.decryptJSON(message).unauthenticatedPlaintext
}

#if PBES2  // a condition of your own package; the library has these names with its trait alone
    /// A note that a person opens by a password.
    func note(_ text: String, password: String) throws -> String {
        let key = try JWK(password: password, algorithm: .pbes2HS256A128KW)
        return try JWEEncrypter(
            key: key, algorithm: .pbes2HS256A128KW, content: .a128CBCHS256
        ).encrypt(text)
    }
#endif

/// A client's assertion, of one of several clients: who it is, if nobody showed it before.
func client(
    _ assertion: String, _ clients: AsyncJWTVerifier, _ store: some ReplayStore
) async throws -> String? {
    let now = NumericDate.now  // one time for both
    let token = try await clients.verify(assertion, at: now)
    // After every other check, so that a rejected token uses nothing up.
    try await store.claim(
        token, purpose: "client-assertion", audience: "https://op.example/token", at: now)
    return token.subject
}

/// The status for who sent a token that was not accepted.
func status(for code: JOSEError.Code) -> Int {
    switch code {
    case .unavailable: 503  // says nothing of the token: it may come again
    case .misuse, .internal: 500  // ours
    default: 401  // invalid_token, and no more than that
    }
}

/// The status for the other side, and a line for our log.
func response(_ token: String, _ verifier: JWTVerifier) -> (status: Int, log: String) {
    do {
        let token = try verifier.verify(token)
        return (200, "accepted: \(token.issuer ?? "")")
    } catch {  // a JOSEError: what verifies throws nothing else
        return (status(for: error.code), error.description)  // holds nothing secret
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
