// Reads request objects of one client: their layers, whose they are and for whom, and what they ask for.

import JOSE
import JOSEBytes

/// Verifiers for the layers that a profile accepts, prepared once, and shared by all that read with them.
final class RequestObjectReader: Sendable {
    private let clientID: String
    private let audience: String
    private let rules: AuthorizationRules
    private let objectRules: RequestObjectRules
    private let layers: TokenLayers
    private let verifier: AsyncJWTVerifier
    /// For the other layers, where they are accepted besides.
    private let otherVerifier: AsyncJWTVerifier?

    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, ours: JWKSet, clientID: String,
        source: any KeySource
    ) throws(JOSEError) {
        let rules = profile.requestObject
        self.clientID = clientID
        audience = rules.audience.text(metadata)
        layers = rules.layers
        self.rules = profile.authorization
        objectRules = rules
        // Which of iss and aud must be there is the profile's; what they say is looked at wherever they are.
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = rules.allRequiredClaims
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(rules.header)
        func verifier(_ layers: TokenLayers) throws(JOSEError) -> AsyncJWTVerifier {
            try AsyncJWTVerifier(
                policy: policy, encryption: profile.encryption(layers, ours: ours),
                keys: source, algorithms: profile.algorithms.signature, limits: profile.limits)
        }
        self.verifier = try verifier(rules.layers)
        let other: TokenLayers = rules.layers == .signed ? .signedThenEncrypted : .signed
        otherVerifier = try rules.alsoAccepted.contains(other) ? verifier(other) : nil
    }

    /// What a verified object of this client says.
    ///
    /// - Throws: Every code of the engine; `claimRejected` for another client, another audience, or a claim that tells of another
    ///   kind of token; `malformed` for an object that asks for nothing.
    func read(_ text: String, at now: NumericDate) async throws(JOSEError) -> RequestObjectText {
        let token = try await verifier(for: text).verify(text, at: now)
        try MessageKind.requestObject.check(token)
        if let issuer = token.issuer, !issuer.isExactly(clientID) {
            throw .claimRejected("iss", "it is not the client")
        }
        if token.document.member("aud") != nil {
            guard token.audience.contains(where: { $0.isExactly(audience) }) else {
                throw .claimRejected("aud", "the expected audience is not in it")
            }
        }
        try objectRules.checkValidity(token, at: now)
        return try RequestObjectText(token, ignoring: { rules.ignores($0) })
    }

    /// By the form of the text: what it is then found to be is the verifier's to judge.
    private func verifier(for text: String) -> AsyncJWTVerifier {
        guard let otherVerifier else { return verifier }
        let dots = text.utf8.count { $0 == UInt8(ascii: ".") }
        let form: TokenLayers = dots > 2 ? .signedThenEncrypted : .signed
        return form == layers ? verifier : otherVerifier
    }
}
