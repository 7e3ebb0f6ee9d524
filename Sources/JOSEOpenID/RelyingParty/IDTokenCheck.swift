// Checks the claims of an ID Token that JWT verification does not check.

import JOSE
import JOSEBytes

/// Checks an ID Token whose signature, iss, aud, azp, times, nonce and hashes are verified.
struct IDTokenCheck {
    let configuration: RelyingPartyConfiguration
    /// False for a backchannel request, which has no nonce.
    var isLogin = true

    static func policy(_ profile: OpenIDProfile, issuer: String, clientID: String) -> ClaimsPolicy {
        var policy = ClaimsPolicy.openID(issuer: issuer, clientID: clientID)
        policy.requiredClaims = profile.idToken.requiredClaims
        policy.nullIsAbsent = true
        policy.maxLifetimeSeconds = profile.idToken.maxLifetimeSeconds
        policy.leewaySeconds = profile.leewaySeconds
        policy.trustedAudiences = profile.idToken.trustedAudiences
        policy.apply(profile.idToken.header)
        return policy
    }

    func expectation(
        for session: AuthorizationSession, accessToken: String?, code: String?
    ) -> ClaimsExpectation {
        var expectation = ClaimsExpectation(nonce: session.nonce, accessToken: accessToken)
        expectation.requiresAccessTokenHash = configuration.profile.idToken.requiresAccessTokenHash
        expectation.code = code
        expectation.requiresCodeHash = configuration.profile.idToken.requiresCodeHash
        return expectation
    }

    func check(
        _ token: VerifiedJWT, for session: AuthorizationSession,
        _ expectation: ClaimsExpectation, at now: NumericDate
    ) throws(JOSEError) -> VerifiedIDToken {
        let document = token.document
        if isLogin {
            guard document.isAbsent(BackchannelClaim.requestID) else {
                throw .claimRejected(
                    BackchannelClaim.requestID, "it belongs to a backchannel request, not a login")
            }
        } else {
            try IDTokenCheck.checkIsNoEvent(document)
        }
        for name in session.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it was requested as essential and is missing")
        }
        try IDTokenCheck.checkHashes(of: token, compared: expectation)
        guard let subject = token.subject else { throw .claimRejected("sub", "it is missing") }
        if let count = configuration.profile.idToken.subjectCharacterCount,
            subject.utf8.count != count
        {
            throw .claimRejected(
                "sub", "it has {} bytes, not {} (idToken.subjectCharacterCount)",
                .number(subject.utf8.count), .number(count))
        }
        guard session.subjects.isEmpty || session.subjects.contains(where: subject.isExactly)
        else { throw .claimRejected("sub", "it is not the user that was requested") }
        let acr = try IDTokenCheck.acr(document)
        try configuration.profile.authorization.acr.check(
            acr, requested: session.acrValues,
            isVoluntary: !session.requiredClaims.contains(where: { $0.isExactly("acr") }))
        return VerifiedIDToken(
            token: token, client: configuration.idTokenClient, subject: subject,
            authenticatedAt: try authenticationTime(document, session.maxAgeSeconds, now),
            acr: acr, requested: session.acrValues)
    }

    /// Rejects logout tokens and other security event tokens (RFC 8417, 2.2). Without a required
    /// `nonce` or `typ`, only `events` distinguishes them from ID Tokens.
    static func checkIsNoEvent(_ document: JSONDocument) throws(JOSEError) {
        guard document.isAbsent("events") else {
            throw .claimRejected("events", "it belongs to another kind of token")
        }
    }

    /// Rejects `at_hash` without `accessToken` to compare it with, and `c_hash` without `code`.
    static func checkHashes(
        of token: VerifiedJWT, compared expectation: ClaimsExpectation
    ) throws(JOSEError) {
        if expectation.accessToken == nil, !token.document.isAbsent("at_hash") {
            throw .claimRejected("at_hash", "it is present, but accessToken: was not passed")
        }
        if expectation.code == nil, !token.document.isAbsent("c_hash") {
            throw .claimRejected("c_hash", "it is present, but code: was not passed")
        }
    }

    static func acr(_ document: JSONDocument) throws(JOSEError) -> String? {
        guard let index = document.member("acr"), document.kind(at: index) != .null else {
            return nil
        }
        guard let value = document.string(at: index) else {
            throw .claimRejected("acr", "it is not a string")
        }
        return value
    }

    private func authenticationTime(
        _ document: JSONDocument, _ maxSeconds: Int64?, _ now: NumericDate
    ) throws(JOSEError) -> NumericDate? {
        guard let index = document.member("auth_time"), document.kind(at: index) != .null else {
            guard maxSeconds == nil else {
                throw .claimRejected("auth_time", "it is required and missing")
            }
            return nil
        }
        guard let date = document.date(at: index) else {
            throw .claimRejected("auth_time", "it is not a date from 1970 to 9999 in seconds")
        }
        let age = AuthenticationAge(
            maxSeconds: maxSeconds, leewaySeconds: configuration.profile.leewaySeconds)
        if let reason = age.rejection(of: date, at: now) {
            throw .claimRejected("auth_time", reason)
        }
        return date
    }
}
