// An OpenID provider: its rules, keys, published documents and clients.

public import JOSE
import JOSEBytes

/// An OpenID provider. Create it once and use it from many threads. Its copies share the keys, also
/// after `rotate(to:for:at:)`.
public struct OpenIDProvider: Sendable {
    /// The provider's rules.
    public let profile: OpenIDProfile
    /// The provider's metadata.
    public let metadata: ProviderMetadata
    let ring: ProviderKeyRing
    let replays: any ReplayStore
    let pushedRequests: (any PushedRequestStore)?
    /// Verifies DPoP proofs at the token endpoint and the provider's own resources. Nil if the
    /// provider accepts none.
    public let proofs: DPoPVerifier?

    var keys: JWKSet { ring.current.keys }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - profile: The rules.
    ///   - metadata: The metadata.
    ///   - keys: The private keys. The first key that can sign is used for signing. The `kid` of an
    ///     encrypted token selects the key that decrypts it.
    ///   - replays: Records used single-use tokens. Providers on several machines share all stores.
    ///   - pushedRequests: Stores pushed requests; nil to accept none.
    ///   - proofReplays: Records used DPoP proofs, separately from `replays`. Required if the
    ///     profile accepts proofs.
    ///   - nonces: The nonces that proofs must contain; nil to require none.
    /// - Throws: `keyNotFound` without a signing key; `keyUnusable`. `misuse` for a profile with a
    ///   time or count out of its range, with lifetimes that `replays` cannot keep, or that
    ///   requires a missing store.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, keys: JWKSet,
        replays: any ReplayStore, pushedRequests: (any PushedRequestStore)? = nil,
        proofReplays: (any ReplayStore)? = nil, nonces: DPoPNonces? = nil
    ) throws(JOSEError) {
        try profile.checkNumbers()
        try profile.checkHeaders()
        try profile.checkSignsByKey()
        try keys.check(signs: profile)
        guard pushedRequests != nil || !profile.pushedRequests.isRequired else {
            throw .misuse("the profile requires pushed requests: pass pushedRequests")
        }
        self.profile = profile
        self.metadata = metadata
        self.replays = replays
        self.pushedRequests = pushedRequests
        proofs = try proofReplays.map { (store) throws(JOSEError) in
            try DPoPVerifier(
                server: metadata.issuer, replays: store, rules: profile.accessToken.dpop,
                nonces: nonces)
        }
        ring = ProviderKeyRing(keys)
        try checkProofStore(profile)
        try checkLifetimes(profile)
    }

    /// Replaces the keys of this provider, its copies and its clients, at once.
    ///
    /// The new keys must serve the provider's profile and the own profiles of `clients`. If they do
    /// not serve the own profile of another client, requests of that client fail with `misuse`.
    ///
    /// To rotate without rejecting a request, take three steps. First add the new keys after the
    /// old ones, so that others can fetch them. When caches have expired, put the new keys first.
    /// When the last token for the old keys has expired, remove the old ones.
    ///
    /// - Parameters:
    ///   - keys: All private keys from now on. The first key that can sign is used for signing. The
    ///     public parts of all keys are published.
    ///   - clients: Registrations with their own profiles. The provider does not store its clients.
    ///   - now: The time for checking certificates; the system's clock by default.
    /// - Throws: `keyNotFound` if no key can sign for one of the profiles or decrypt for one of
    ///   `clients`, or if none can decrypt for the provider although a current key can.
    ///   `keyUnusable`. The errors of `publishedKeys(at:)` for these keys. For the profiles of
    ///   `clients`: `misuse` for a time or count out of its range, and `claimRejected` with the
    ///   metadata member that does not support the profile. After an error the current keys stay.
    public func rotate(
        to keys: JWKSet, for clients: [ClientRegistration] = [], at now: NumericDate? = nil
    ) throws(JOSEError) {
        try keys.check(signs: profile)
        // Clients can verify signatures only with published keys.
        _ = try OpenIDProvider.published(keys, profile, at: now)
        // A provider that only issues tokens may have no key for decryption.
        if (try? self.keys.check(serves: profile)) != nil { try keys.check(serves: profile) }
        for client in clients { try keys.check(serves: profile(for: client)) }
        ring.change(to: keys)
    }

    /// The client's own profile, after checking it; the provider's profile if there is none.
    func profile(for registration: ClientRegistration) throws(JOSEError) -> OpenIDProfile {
        guard let own = registration.profile else { return profile }
        try own.checkNumbers()
        try own.checkHeaders()
        try own.checkSignsByKey()
        try checkProofStore(own)
        try metadata.check.check(own)
        try checkLifetimes(own)
        return own
    }

    private func checkProofStore(_ profile: OpenIDProfile) throws(JOSEError) {
        guard proofs != nil || profile.accessToken.proofs == .ignored else {
            throw .misuse("the profile accepts DPoP proofs: pass proofReplays")
        }
    }

    /// The discovery document, to publish at `ProviderMetadata.discoveryURL(issuer:)`.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func discoveryDocument() throws(JOSEError) -> String { try metadata.json() }

    /// The key set, to publish at `jwks_uri`: the public keys with their certificates.
    ///
    /// - Parameter now: The time for checking certificates; the system's clock by default.
    /// - Throws: `keyUnusable` for a key without a public part; the errors of
    ///   `PublicJWKSet.checkCertificates(_:at:)`.
    public func publishedKeys(at now: NumericDate? = nil) throws(JOSEError) -> PublicJWKSet {
        try OpenIDProvider.published(keys, profile, at: now)
    }

    private static func published(
        _ keys: JWKSet, _ profile: OpenIDProfile, at now: NumericDate?
    ) throws(JOSEError) -> PublicJWKSet {
        let keys = try keys.publicKeys
        try keys.checkCertificates(profile.publishedCertificates, at: now)
        return keys
    }

    /// Creates a client of this provider.
    ///
    /// - Parameters:
    ///   - registration: The client's registration.
    ///   - keys: The client's public keys: its registered key set, or a source such as
    ///     `RemoteJWKSet`.
    /// - Throws: `misuse` for an invalid registration. `claimRejected` with the metadata member
    ///   that does not support the client's own profile. `keyNotFound` if no key of the provider
    ///   can sign for the client or decrypt its tokens. `keyUnusable`.
    public func client(
        _ registration: ClientRegistration, keys: any KeySource
    ) throws(JOSEError) -> RegisteredClient {
        try RegisteredClient(self, registration, keys)
    }

    /// Creates a token issuer for a client whose requests you do not receive.
    ///
    /// - Parameters:
    ///   - registration: The client's registration.
    ///   - keys: The client's public keys, for encryption.
    /// - Throws: As `client(_:keys:)`. A missing encryption key is reported when it is needed.
    public func tokenIssuer(
        for registration: ClientRegistration, keys: PublicJWKSet
    ) throws(JOSEError) -> ClientTokenIssuer {
        try ClientTokenIssuer(
            self, registration, profile(for: registration), self.keys, keys)
    }

    /// Reads the `client_id` of a token request without verification. Use it only to look up the
    /// registration.
    ///
    /// An encrypted assertion is decrypted with the algorithms of the provider's own profile. Some
    /// clients do not form-encode the `client_id` of the HTTP Basic header. If it contains `+` or
    /// `%`, they must send it in the form too.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    /// - Throws: `malformed` for the form; `claimRejected` if it names no client; other errors for
    ///   an encrypted assertion, such as `decryptionFailed`. Respond with `error(rejecting:)`.
    public func unverifiedClientID(
        tokenRequest body: String, authorization: String? = nil
    ) throws(JOSEError) -> String {
        switch try unverifiedClient(body, authorization) {
        case .named(let clientID): return clientID
        case .encrypted(let assertion, let decrypter):
            return try unverifiedIssuer(decrypter.decrypt(assertion).unauthenticatedPlaintext)
        }
    }

    /// Reads the `client_id` of a token request without verification. The decryption key may be
    /// external; see `unverifiedClientID(tokenRequest:authorization:)`.
    ///
    /// - Throws: The errors of that function; `unavailable` if the external key does not respond in
    ///   time or the task was cancelled.
    public func unverifiedClientID(
        tokenRequest body: String, authorization: String? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        switch try unverifiedClient(body, authorization) {
        case .named(let clientID): return clientID
        case .encrypted(let assertion, let decrypter):
            let opened = try await decrypter.decrypt(assertion, timeout: timeout)
            return try unverifiedIssuer(opened.unauthenticatedPlaintext)
        }
    }

    private enum UnverifiedClient {
        case named(String)
        case encrypted(assertion: String, JWEDecrypter)
    }

    private func unverifiedClient(
        _ body: String, _ authorization: String?
    ) throws(JOSEError) -> UnverifiedClient {
        let form = try OpenIDParameters(decoding: body)
        if let authorization {
            return .named(try BasicHeader(authorization).clientID(formValue: form["client_id"]))
        }
        if let clientID = form["client_id"] { return .named(clientID) }
        guard let assertion = form["client_assertion"] else {
            throw .claimRejected("client_id", "the token request does not name a client")
        }
        // The client's profile is not yet known. Five parts make an encrypted assertion.
        guard assertion.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4 else {
            return .named(try unverifiedIssuer(Array(assertion.utf8)))
        }
        guard !profile.algorithms.keyManagement.isEmpty else {
            throw .claimRejected("client_assertion", "the profile has no encrypted assertions")
        }
        return .encrypted(
            assertion: assertion,
            try JWEDecrypter(
                keys: keys, algorithms: profile.algorithms.keyManagement,
                content: profile.algorithms.content, missingKeyID: profile.algorithms.missingKeyID,
                limits: profile.limits))
    }

    private func unverifiedIssuer(_ token: [UInt8]) throws(JOSEError) -> String {
        let parts = token.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .malformed(.token, "the assertion is not a signed token")
        }
        let encoded = Array(parts[1])
        guard let payload = Base64URL.decode(encoded.span) else {
            throw .malformed(.payload, "the assertion is not a signed token")
        }
        guard let message = try? JSONMessage(payload, limits: profile.limits),
            let issuer = try? message.string("iss"), issuer.isStreamSafe
        else { throw .claimRejected("iss", "the assertion does not name a client") }
        return issuer
    }
}

extension OpenIDProvider: RedactedDescription {}
