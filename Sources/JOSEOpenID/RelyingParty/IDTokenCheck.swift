// What an ID Token must say beyond the claims that the engine judges: acr, auth_time, hashes, absent claims.

import JOSE
import JOSEBytes

/// Judges a token after the engine accepted layers, signature, iss, aud, azp, times, nonce and hashes.
struct IDTokenCheck {
    let setup: RelyingPartyConfiguration
    /// Whether the token answers a browser's login, and not a backchannel request, which sends no
    /// nonce.
    var responsesLogin = true

    /// The engine's rules for every ID Token of this client.
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

    /// What the engine must find in this one token.
    func expectation(
        for session: AuthorizationSession, accessToken: String?, code: String?
    ) -> ClaimsExpectation {
        var expectation = ClaimsExpectation(nonce: session.nonce, accessToken: accessToken)
        expectation.requiresAccessTokenHash = setup.profile.idToken.requiresAccessTokenHash
        expectation.code = code
        expectation.requiresCodeHash = setup.profile.idToken.requiresCodeHash
        return expectation
    }

    func check(
        _ token: VerifiedJWT, for session: AuthorizationSession,
        _ expectation: ClaimsExpectation, at now: NumericDate
    ) throws(JOSEError) -> VerifiedIDToken {
        let document = token.document
        if responsesLogin {
            // The nonce shows which login it answers; a CIBA request is answered elsewhere.
            guard document.isAbsent(BackchannelClaim.requestID) else {
                throw .claimRejected(
                    BackchannelClaim.requestID, "it belongs to a backchannel request, not a login")
            }
        } else {
            try IDTokenCheck.checkIsNoEvent(document)
        }
        for name in session.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it was asked for and is missing")
        }
        try IDTokenCheck.checkHashes(of: token, compared: expectation)
        guard let subject = token.subject else { throw .claimRejected("sub", "it is missing") }
        if let count = setup.profile.idToken.subjectCharacterCount, subject.utf8.count != count {
            throw .claimRejected("sub", "it has another length than this provider's")
        }
        guard session.subjects.isEmpty || session.subjects.contains(where: subject.isExactly)
        else { throw .claimRejected("sub", "it is another user than the one that was asked for") }
        let acr = try IDTokenCheck.acr(document)
        try setup.profile.authorization.acr.check(
            acr, requested: session.acrValues,
            isVoluntary: !session.requiredClaims.contains(where: { $0.isExactly("acr") }))
        return VerifiedIDToken(
            token: token, party: setup.tokenParty, subject: subject,
            authenticatedAt: try authenticationTime(document, session.maxAgeSeconds, now),
            acr: acr, requested: session.acrValues)
    }

    /// A logout token or another security event token (RFC 8417, 2.2) may have every claim of an ID
    /// Token but the nonce: where none is expected, nothing else tells them apart.
    static func checkIsNoEvent(_ document: JSONDocument) throws(JOSEError) {
        guard document.isAbsent("events") else {
            throw .claimRejected("events", "it belongs to a token of another kind")
        }
    }

    /// A hash that cannot be compared must not pass for one that fits.
    static func checkHashes(
        of token: VerifiedJWT, compared expectation: ClaimsExpectation
    ) throws(JOSEError) {
        if expectation.accessToken == nil, !token.document.isAbsent("at_hash") {
            throw .claimRejected("at_hash", "it is there, but no access token to compare it with")
        }
        if expectation.code == nil, !token.document.isAbsent("c_hash") {
            throw .claimRejected("c_hash", "it is there, but no code to compare it with")
        }
    }

    /// `acr`; nil where it is absent or null.
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
            maxSeconds: maxSeconds, leewaySeconds: setup.profile.leewaySeconds)
        if let reason = age.rejection(of: date, at: now) {
            throw .claimRejected("auth_time", reason)
        }
        return date
    }
}
