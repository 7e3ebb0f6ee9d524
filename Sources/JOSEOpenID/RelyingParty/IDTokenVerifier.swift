// The verifier of ID Tokens whose keys are fetched, or whose key is the client secret.

import JOSE

/// Verifies ID Tokens by the provider's fetched keys, or by HS256 and the client secret: by one of
/// the two, never by either.
struct IDTokenVerifier: Sendable {
    private let fetched: AsyncJWTVerifier
    /// The verifier by the client secret; nil where a key of the provider signs.
    private let secret: JWTVerifier?

    init(_ setup: PartySetup, _ source: any KeySource) throws(JOSEError) {
        let profile = setup.profile
        let encryption = profile.encryption(profile.idToken.layers, ours: setup.keys)
        fetched = try AsyncJWTVerifier(
            policy: setup.idTokenPolicy, encryption: encryption, source: source,
            algorithms: profile.algorithms.signature, limits: profile.limits)
        secret = try setup.idTokenKey.map { (key) throws(JOSEError) in
            try JWTVerifier(
                policy: setup.idTokenPolicy, encryption: encryption,
                signature: .required(key: key, algorithms: [.hs256], limits: profile.limits),
                limits: profile.limits)
        }
    }

    func verify(
        _ token: String, expecting expectation: ClaimsExpectation, at now: NumericDate,
        within time: Duration? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        guard let secret else {
            return try await fetched.verify(token, expecting: expectation, at: now, within: time)
        }
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try secret.verify(token, expecting: expectation, at: now)
        }
    }

    func explained(
        _ token: String, expecting expectation: ClaimsExpectation, at now: NumericDate
    ) async -> (explanation: Explanation, verified: VerifiedJWT?) {
        guard let secret else {
            return await fetched.explained(token, expecting: expectation, at: now, within: nil)
        }
        return secret.explained(token, expecting: expectation, at: now)
    }
}
