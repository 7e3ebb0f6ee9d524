// Checks a JWT-secured authorization response (JARM) whose JWT is verified.

import JOSE
import JOSEBytes

extension RelyingPartyConfiguration {
    var jarmPolicy: ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: .exactly(metadata.issuer), audience: .anyOf([clientID]))
        policy.requiredClaims = ["iss", "aud", "exp"]
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.jarm.header)
        return policy
    }

    /// Reads a response whose signature, `iss`, `aud` and times are verified (JARM, 2.4).
    func jarmResponse(
        _ token: VerifiedJWT, for session: AuthorizationSession, at now: NumericDate
    ) throws(JOSEError) -> AuthorizationResponse {
        // ID Tokens have the same signing key: reject them (RFC 8725, 3.12).
        let foreign = ["sub", "nonce", "at_hash", "c_hash"]
        for (name, index) in zip(foreign, token.document.members(named: foreign))
        where index != nil {
            throw .claimRejected(name, "it belongs to another kind of token")
        }
        let maxTime =
            Duration.seconds(profile.jarm.maxValiditySeconds) + .seconds(profile.leewaySeconds)
        guard let expiry = token.expiration, expiry <= now.advanced(by: maxTime) else {
            throw .claimRejected("exp", "it is further ahead than jarm.maxValidity allows")
        }
        return try session.response(token)
    }
}
