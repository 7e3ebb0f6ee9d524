// What a signed answer must say beyond the claims that the engine judges.

import JOSE
import JOSEBytes

/// Judges a signed answer after the engine accepted layers, signature, `iss`, `aud` and times (JARM, 2.4).
struct JARMCheck {
    let now: NumericDate
    private let rules: JARMRules
    private let leewaySeconds: Int
    private let session: AuthorizationSession

    init(
        _ setup: RelyingPartyConfiguration, _ session: AuthorizationSession, _ now: NumericDate?
    ) throws(JOSEError) {
        self.now = now ?? .now
        self.session = session
        rules = setup.profile.jarm
        leewaySeconds = setup.profile.leewaySeconds
    }

    func response(_ token: VerifiedJWT) throws(JOSEError) -> AuthorizationResponse {
        // One key signs all that a provider sends: a token that tells of a user is no answer (RFC 8725, 3.12).
        let foreign = ["sub", "nonce", "at_hash", "c_hash"]
        for (name, index) in zip(foreign, token.document.members(named: foreign))
        where index != nil {
            throw .claimRejected(name, "it belongs to a token of another kind")
        }
        let horizon = Duration.seconds(rules.horizonSeconds) + .seconds(leewaySeconds)
        guard let expiry = token.expiration, expiry <= now.advanced(by: horizon) else {
            throw .claimRejected("exp", "it is further ahead than allowed")
        }
        return try session.response(token)
    }
}

extension RelyingPartyConfiguration {
    /// The engine's rules for every signed answer to this client.
    var jarmPolicy: ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: .exactly(metadata.issuer), audience: .anyOf([clientID]))
        policy.requiredClaims = ["iss", "aud", "exp"]
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.jarm.header)
        return policy
    }
}
