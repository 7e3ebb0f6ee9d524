// Verifies the request objects of one client, and reads their parameters.

import JOSE
import JOSEBytes

/// All copies of a `RegisteredClient` share one reader.
final class RequestObjectReader: Sendable {
    private let clientID: String
    private let audience: String
    private let authorizationRules: AuthorizationRules
    private let objectRules: RequestObjectRules
    private let layers: TokenLayers
    private let verifier: AsyncJWTVerifier
    /// For the other `TokenLayers`, if the profile accepts them too.
    private let otherVerifier: AsyncJWTVerifier?

    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, keys: JWKSet, clientID: String,
        source: any KeySource
    ) throws(JOSEError) {
        let rules = profile.requestObject
        self.clientID = clientID
        audience = rules.audience.text(metadata)
        layers = rules.layers
        authorizationRules = profile.authorization
        objectRules = rules
        // The profile decides whether iss and aud are required. `read` checks them if present.
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = rules.allRequiredClaims
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(rules.header)
        func verifier(_ layers: TokenLayers) throws(JOSEError) -> AsyncJWTVerifier {
            try AsyncJWTVerifier(
                policy: policy, encryption: profile.encryption(layers, ours: keys),
                keys: source, algorithms: profile.algorithms.signature, limits: profile.limits)
        }
        self.verifier = try verifier(rules.layers)
        let other: TokenLayers = rules.layers == .signed ? .signedThenEncrypted : .signed
        otherVerifier = try rules.alsoAccepted.contains(other) ? verifier(other) : nil
    }

    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` for another client, another
    ///   audience, or a claim of another kind of token. `malformed` without parameters.
    func read(_ text: String, at now: NumericDate) async throws(JOSEError)
        -> RequestObjectParameters
    {
        let token = try await verifier(for: text).verify(text, at: now)
        try MessageKind.requestObject.check(token)
        if let issuer = token.issuer, !issuer.isExactly(clientID) {
            throw .claimRejected("iss", "it is not the client_id")
        }
        if token.document.member("aud") != nil {
            guard token.audience.contains(where: { $0.isExactly(audience) }) else {
                throw .claimRejected("aud", "the expected audience is missing")
            }
        }
        try objectRules.checkValidity(token, at: now)
        return try RequestObjectParameters(token, ignoring: { authorizationRules.ignores($0) })
    }

    /// Selects the verifier by the number of parts. The verifier checks the rest.
    private func verifier(for text: String) -> AsyncJWTVerifier {
        guard let otherVerifier else { return verifier }
        let dots = text.utf8.count { $0 == UInt8(ascii: ".") }
        let usedLayers: TokenLayers = dots > 2 ? .signedThenEncrypted : .signed
        return usedLayers == layers ? verifier : otherVerifier
    }
}
