// The provider's side: its rules, keys and publications; its clients come from it.

public import JOSE
import JOSEBytes

/// A provider; prepared once, used from many threads.
public struct OpenIDProvider: Sendable {
    /// The rules.
    public let profile: OpenIDProfile
    /// What is published about the provider.
    public let metadata: ProviderMetadata
    let keys: JWKSet
    let replays: any ReplayStore
    let issuer: JWTIssuer
    let signatureAlgorithm: SignatureAlgorithm

    /// A provider.
    ///
    /// - Parameters:
    ///   - profile: The rules that it keeps.
    ///   - metadata: What it publishes.
    ///   - keys: Its private keys: the first that can sign signs, all that can decrypt are tried by their kid.
    ///   - replays: Where one-time tokens are remembered; providers on several machines share one.
    /// - Throws: `keyNotFound` without a signing key, `keyUnusable`, `misuse` for a profile whose times or counts are
    ///   out of their ranges.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, keys: JWKSet, replays: any ReplayStore
    ) throws(JOSEError) {
        try profile.checkNumbers()
        guard let signer = OurSigningKey.find(keys, profile.algorithms) else {
            throw .keyNotFound("no key of ours can sign")
        }
        self.profile = profile
        self.metadata = metadata
        self.keys = keys
        self.replays = replays
        issuer = try signer.issuer(nil, profile.limits)
        signatureAlgorithm = signer.algorithm
    }

    /// The discovery document to publish at `ProviderMetadata.address(issuer:)`.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func discoveryDocument() throws(JOSEError) -> String { try metadata.json() }

    /// The key set to publish at `jwks_uri`: the public parts alone, with their certificates.
    ///
    /// - Throws: `keyUnusable` for a key without a public part.
    public func publishedKeys() throws(JOSEError) -> String { try keys.publicKeys.json() }

    /// A client with the keys that it published or registered.
    ///
    /// - Throws: `misuse` for a registration that cannot be right, `keyUnusable`.
    public func client(
        _ registration: ClientRegistration, keys: PublicJWKSet
    ) throws(JOSEError) -> RegisteredClient {
        try RegisteredClient(self, registration, source: keys, local: keys)
    }

    /// A client whose keys have to be fetched, such as by a `RemoteJWKSet`.
    ///
    /// - Throws: As with keys at hand.
    public func client(
        _ registration: ClientRegistration, source: any KeySource
    ) throws(JOSEError) -> RegisteredClient {
        try RegisteredClient(self, registration, source: source, local: nil)
    }

    /// The maker of ID Tokens and UserInfo answers for a client, where nothing has to be received from it.
    ///
    /// - Throws: `keyUnusable`; a missing encryption key is told when it is needed.
    public func answers(
        for registration: ClientRegistration, keys: PublicJWKSet
    ) throws(JOSEError) -> ClientAnswers {
        try ClientAnswers(self, registration, keys)
    }

    /// Which client a token request says it comes from, unverified: only to look its registration up.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    /// - Throws: `malformed` for the form, `claimRejected` where it names none, `decryptionFailed` and others where an
    ///   encrypted assertion cannot be opened; answer `TokenError(refusing:)`.
    ///
    /// A `client_id` with `+` or `%` in an HTTP Basic header that is not form-encoded is found where the form has it too.
    public func unverifiedClientID(
        tokenRequest body: String, authorization: String? = nil
    ) throws(JOSEError) -> String {
        let form = try OpenIDParameters(decoding: body)
        if let authorization {
            return try BasicHeader(authorization).clientID(beside: form["client_id"])
        }
        if let clientID = form["client_id"] { return clientID }
        guard let assertion = form["client_assertion"] else {
            throw .claimRejected("client_id", "the token request names no client")
        }
        guard profile.client.authentication == .assertion(.signedThenEncrypted) else {
            return try unverifiedIssuer(Array(assertion.utf8))
        }
        let decrypter = try JWEDecrypter(
            keys: keys, algorithms: profile.algorithms.keyManagement,
            content: profile.algorithms.content, missingKeyID: profile.algorithms.missingKeyID,
            limits: profile.limits)
        return try unverifiedIssuer(decrypter.decrypt(assertion).unauthenticatedPlaintext)
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
            let issuer = try? message.string("iss")
        else { throw .claimRejected("iss", "the assertion names no client") }
        return issuer
    }
}

extension OpenIDProvider: RedactedDescription {
    package var shownAs: String { "provider" }
}
