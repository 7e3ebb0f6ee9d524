// Reads signed backchannel requests of one client (CIBA Core 1.0, 7.1.1).

import JOSE
import JOSEBytes

/// A verifier for a client's signed requests, prepared once.
struct BackchannelReader: Sendable {
    private let verifier: AsyncJWTVerifier
    private let horizon: Duration
    private let leeway: Duration

    /// - Parameter registered: The one algorithm that the client registered; nil for those of the profile.
    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, clientID: String,
        registered: SignatureAlgorithm?, source: any KeySource
    ) throws(JOSEError) {
        let algorithms = profile.algorithms.signature.filter { algorithm in
            registered.map { $0 == algorithm } ?? true
        }
        guard !algorithms.isEmpty else {
            throw .misuse("the profile does not have the algorithm that the client registered")
        }
        var policy = ClaimsPolicy(
            issuer: .exactly(clientID), audience: .anyOf([metadata.issuer]))
        policy.requiredClaims = ["iss", "aud", "exp", "iat", "nbf", "jti"]
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.backchannel.header)
        verifier = try AsyncJWTVerifier(
            policy: policy, keys: source, algorithms: algorithms,
            limits: profile.limits)
        horizon = profile.backchannel.objectHorizon
        leeway = profile.leeway
    }

    /// A verified object of this client, and what it asks for.
    ///
    /// - Throws: Every code of the engine; `claimRejected` with `nbf` for a life or an age that no such object has, or with a claim
    ///   that tells of another kind of token; `malformed` for a parameter that is no text.
    func read(
        _ text: String, at now: NumericDate
    ) async throws(JOSEError) -> (token: VerifiedJWT, parameters: OpenIDParameters) {
        let token = try await verifier.verify(text, at: now)
        try MessageKind.backchannelRequest.check(token)
        guard let start = token.notBefore, let end = token.expiration,
            end <= start.advanced(by: horizon), now <= start.advanced(by: horizon + leeway)
        else { throw .claimRejected("nbf", "it is too long before exp, or too long ago") }
        return (token, try BackchannelParameters.read(token))
    }
}
