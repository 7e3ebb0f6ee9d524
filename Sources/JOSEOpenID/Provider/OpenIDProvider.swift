// The provider's side: its rules, keys and publications; its clients come from it.

public import JOSE
import JOSEBytes

/// A provider; prepared once, used from many threads. All copies have the same keys, whatever `rotate(to:)` changes.
public struct OpenIDProvider: Sendable {
    /// The rules.
    public let profile: OpenIDProfile
    /// What is published about the provider.
    public let metadata: ProviderMetadata
    let ring: ProviderKeyRing
    let replays: any ReplayStore
    let pushedRequests: (any PushedRequestStore)?
    /// The judge of proofs of possession, for the token endpoint and the provider's own resources; nil where none is taken.
    public let proofs: DPoPVerifier?

    /// The present keys.
    var keys: JWKSet { ring.current.keys }

    /// A provider.
    ///
    /// - Parameters:
    ///   - profile: The rules that it keeps.
    ///   - metadata: What it publishes.
    ///   - keys: Its private keys: the first that can sign signs, all that can decrypt are tried by their kid.
    ///   - replays: Where one-time tokens are remembered; providers on several machines share one.
    ///   - pushedRequests: Where pushed requests wait; providers on several machines share one. Nil where none are taken.
    ///   - proofReplays: Where proofs of possession are remembered, a store that holds nothing else; for a profile that takes them.
    ///   - nonces: The nonces that proofs must hold; nil to ask for none.
    /// - Throws: `keyNotFound` without a signing key, `keyUnusable`, `misuse` for a profile whose times or counts are
    ///   out of their ranges, that lets live what `replays` does not remember so long, or that takes pushed requests only, or proofs, where
    ///   there is no store for them.
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
            throw .misuse("the profile takes pushed requests only, and there is no store for them")
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
        guard proofs != nil || profile.accessToken.proofs == .ignored else {
            throw .misuse("a profile that takes proofs of possession needs a store for them")
        }
        ring = ProviderKeyRing(keys)
        try checkLifetimes(profile)
    }

    /// Changes the keys of this provider, of every copy of it and of its clients, at once and for good.
    ///
    /// - Parameters:
    ///   - keys: All private keys from now on: the first that can sign signs, all that can decrypt are tried by their kid,
    ///     and the public parts of all are published.
    ///   - clients: Registrations whose own profiles the keys must serve too. The provider does not hold its clients: a
    ///     program that has some with a profile of their own names them here.
    ///   - now: The time to judge certificates by; the system's clock where none is given.
    /// - Throws: `keyNotFound` without a key that can sign for one of the profiles, or decrypt where it takes encrypted messages
    ///   and the present keys can;
    ///   `keyUnusable`; what `publishedKeys` would throw for these keys; for a registration what `client(_:keys:)` throws. Then the old ones stay.
    ///
    /// A client that was not named here and whose own profile the new keys do not serve is rejected from then on, whatever it
    /// sends: `misuse`, answered as `server_error`, as it is not the client's fault.
    ///
    /// To rotate without a moment in which anybody is rejected: first the new keys behind the old ones, so that others read
    /// them; when caches have ended, the new ones in front; when the last token for the old ones has ended, the new ones alone.
    public func rotate(
        to keys: JWKSet, for clients: [ClientRegistration] = [], at now: NumericDate? = nil
    ) throws(JOSEError) {
        try keys.check(signs: profile)
        // Nobody could verify by a key that is not shown.
        _ = try OpenIDProvider.published(keys, profile, at: now)
        // A provider that only answers never had a key to decrypt with.
        if (try? self.keys.check(serves: profile)) != nil { try keys.check(serves: profile) }
        for client in clients { try keys.check(serves: profile(for: client)) }
        ring.change(to: keys)
    }

    /// The rules for a client.
    ///
    /// - Throws: `misuse` for numbers out of their ranges or beyond what the store remembers, `claimRejected` with the member of our metadata that does not offer
    ///   what the client's own rules need.
    func profile(for registration: ClientRegistration) throws(JOSEError) -> OpenIDProfile {
        guard let own = registration.profile else { return profile }
        try own.checkNumbers()
        try own.checkHeaders()
        try own.checkSignsByKey()
        guard proofs != nil || own.accessToken.proofs == .ignored else {
            throw .misuse("a profile that takes proofs of possession needs a store for them")
        }
        try metadata.check.check(own)
        try checkLifetimes(own)
        return own
    }

    /// The discovery document to publish at `ProviderMetadata.discoveryURL(issuer:)`.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func discoveryDocument() throws(JOSEError) -> String { try metadata.json() }

    /// The key set to publish at `jwks_uri`: the public parts alone, with their certificates.
    ///
    /// - Parameter now: The time to judge certificates by; the system's clock where none is given.
    /// - Throws: `keyUnusable` for a key without a public part; what `PublicJWKSet.checkCertificates(_:at:)` throws where a
    ///   certificate is not what the profile demands.
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

    /// A client of this provider.
    ///
    /// - Parameters:
    ///   - registration: What the client registered.
    ///   - keys: Its public keys: the set that it registered, or where they come from, such as a
    ///     `RemoteJWKSet`.
    /// - Throws: `misuse` for a registration that cannot be right, `claimRejected` with the member of our metadata that does not
    ///   offer what the client's own profile needs, `keyNotFound` where no key of ours can sign or decrypt by it, `keyUnusable`.
    public func client(
        _ registration: ClientRegistration, keys: any KeySource
    ) throws(JOSEError) -> RegisteredClient {
        try RegisteredClient(self, registration, keys)
    }

    /// The maker of ID Tokens and UserInfo answers for a client, where nothing has to be received from it.
    ///
    /// - Parameters:
    ///   - registration: What the client registered.
    ///   - keys: Its public keys, for encryption.
    /// - Throws: As with a client; a missing encryption key of the client is told when it is needed.
    public func tokenIssuer(
        for registration: ClientRegistration, keys: PublicJWKSet
    ) throws(JOSEError) -> ClientTokenIssuer {
        try ClientTokenIssuer(
            self, registration, profile(for: registration), ours: self.keys, keys)
    }

    /// Which client a token request says it comes from, unverified: only to look its registration up.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    /// - Throws: `malformed` for the form, `claimRejected` where it names none, `decryptionFailed` and others where an
    ///   encrypted assertion cannot be opened; answer `error(rejecting:)`.
    ///
    /// An encrypted assertion is opened by the algorithms of the provider's own profile. A `client_id` with `+` or `%` in an HTTP Basic header that is not form-encoded is found where the form has it too.
    public func unverifiedClientID(
        tokenRequest body: String, authorization: String? = nil
    ) throws(JOSEError) -> String {
        switch try unverifiedClient(body, authorization) {
        case .named(let clientID): return clientID
        case .encrypted(let assertion, let decrypter):
            return try unverifiedIssuer(decrypter.decrypt(assertion).unauthenticatedPlaintext)
        }
    }

    /// Which client a token request says it comes from, where the key that opens its assertion may
    /// be external; see `unverifiedClientID(tokenRequest:authorization:)`.
    ///
    /// - Throws: As there; `unavailable` where the external key cannot answer in time, or the
    ///   task was cancelled.
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

    /// Where the name of a client is.
    private enum UnverifiedClient {
        case named(String)
        case encrypted(assertion: String, JWEDecrypter)
    }

    private func unverifiedClient(
        _ body: String, _ authorization: String?
    ) throws(JOSEError) -> UnverifiedClient {
        let form = try OpenIDParameters(decoding: body)
        if let authorization {
            return .named(try BasicHeader(authorization).clientID(beside: form["client_id"]))
        }
        if let clientID = form["client_id"] { return .named(clientID) }
        guard let assertion = form["client_assertion"] else {
            throw .claimRejected("client_id", "the token request names no client")
        }
        // Clients differ, so the text itself tells whether it is encrypted; its reader will want what was agreed.
        guard assertion.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4 else {
            return .named(try unverifiedIssuer(Array(assertion.utf8)))
        }
        guard !profile.algorithms.keyManagement.isEmpty else {
            throw .claimRejected("client_assertion", "no encrypted one was agreed")
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
        guard parts.count == 3 else { throw .malformed(.token, "the assertion is no signed token") }
        let encoded = Array(parts[1])
        guard let payload = Base64URL.decode(encoded.span) else {
            throw .malformed(.payload, "the assertion is no signed token")
        }
        guard let message = try? JSONMessage(payload, limits: profile.limits),
            let issuer = try? message.string("iss"), issuer.isStreamSafe
        else { throw .claimRejected("iss", "the assertion names no client") }
        return issuer
    }
}

extension OpenIDProvider: RedactedDescription {
    package var shownAs: String { "provider" }
}
