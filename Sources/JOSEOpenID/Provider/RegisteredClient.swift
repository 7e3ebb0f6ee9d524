// A client as its provider sees it: verifiers for what it sends, prepared once.

public import JOSE
import JOSEBytes

/// One client of a provider; prepared once, used from many threads.
public struct RegisteredClient: Sendable {
    let provider: OpenIDProvider
    let registration: ClientRegistration
    let source: any KeySource
    let objects: AsyncJWTVerifier
    let assertions: AsyncJWTVerifier?
    private let prepared: Result<ClientAnswers, JOSEError>?

    var profile: OpenIDProfile { provider.profile }

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, source: any KeySource,
        local: PublicJWKSet?
    ) throws(JOSEError) {
        guard registration.redirectURIs.allSatisfy(WebAddress.isRedirect) else {
            throw .misuse("redirect_uri must be an absolute address without fragment")
        }
        guard registration.appSwitchAddresses.allSatisfy({ WebAddress($0) != nil }) else {
            throw .misuse("app_switch_url must be an https address")
        }
        let profile = provider.profile
        self.provider = provider
        self.registration = registration
        self.source = source
        var policy = ClaimsPolicy(
            issuer: .exactly(registration.clientID),
            audience: .contains(profile.requestObject.audience.text(provider.metadata)))
        policy.requiredClaims = profile.requestObject.requiredClaims
        policy.leewaySeconds = profile.leewaySeconds
        objects = try AsyncJWTVerifier(
            policy: policy,
            encryption: profile.encryption(profile.requestObject.layers, ours: provider.keys),
            source: source, algorithms: profile.algorithms.signature, limits: profile.limits)
        if case .assertion(let layers) = profile.client.authentication {
            policy.audience = .contains(profile.client.audience.text(provider.metadata))
            policy.requiredClaims = ["iss", "sub", "aud", "exp", "jti"]
            assertions = try AsyncJWTVerifier(
                policy: policy, encryption: profile.encryption(layers, ours: provider.keys),
                source: source, algorithms: profile.algorithms.signature, limits: profile.limits)
        } else {
            guard registration.secret != nil else {
                throw .misuse("the profile needs a client secret")
            }
            assertions = nil
        }
        prepared = local.map { keys in
            Result { () throws(JOSEError) in try ClientAnswers(provider, registration, keys) }
        }
    }

    /// The maker of ID Tokens and UserInfo answers for this client.
    ///
    /// - Throws: `keyNotFound` where the client has no encryption key and the profile needs one, `unavailable` where its
    ///   keys stand in for newer ones (`PublicJWKSet.standingIn()`); what the source throws.
    public func answers() async throws(JOSEError) -> ClientAnswers {
        if let prepared { return try prepared.get() }
        return try ClientAnswers(provider, registration, await source.keys(keyID: nil))
    }
}

extension RegisteredClient: RedactedDescription {
    package var shownAs: String { "registered client" }
}
