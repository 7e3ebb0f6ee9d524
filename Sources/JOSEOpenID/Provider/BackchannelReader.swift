// Reads signed backchannel requests (CIBA Core 1.0, 7.1.1).

import JOSE
import JOSEBytes

struct BackchannelReader: Sendable {
    private let verifier: AsyncJWTVerifier
    private let maxValidity: Duration
    private let leeway: Duration

    /// - Parameter registered: The only accepted algorithm; nil for all algorithms of the profile.
    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, clientID: String,
        registered: SignatureAlgorithm?, source: any KeySource
    ) throws(JOSEError) {
        let algorithms = profile.algorithms.signature.filter { algorithm in
            registered.map { $0 == algorithm } ?? true
        }
        guard !algorithms.isEmpty else {
            throw .misuse("the client's registered algorithm is not in the profile")
        }
        var policy = ClaimsPolicy(
            issuer: .exactly(clientID), audience: .anyOf([metadata.issuer]))
        policy.requiredClaims = ["iss", "aud", "exp", "iat", "nbf", "jti"]
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.backchannel.header)
        verifier = try AsyncJWTVerifier(
            policy: policy, keys: source, algorithms: algorithms,
            limits: profile.limits)
        maxValidity = profile.backchannel.maxObjectValidity
        leeway = profile.leeway
    }

    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` with `nbf` for a request that is
    ///   valid for too long or too old, and with the name of a claim of another kind of token.
    ///   `malformed` for a parameter that is not a string.
    func read(
        _ text: String, at now: NumericDate
    ) async throws(JOSEError) -> (token: VerifiedJWT, parameters: OpenIDParameters) {
        let token = try await verifier.verify(text, at: now)
        try MessageKind.backchannelRequest.check(token)
        guard let start = token.notBefore, let end = token.expiration,
            end <= start.advanced(by: maxValidity), now <= start.advanced(by: maxValidity + leeway)
        else { throw .claimRejected("nbf", "it is too far before exp, or too long ago") }
        return (token, try BackchannelParameters.read(token))
    }
}
