// Reads the authorization response, plain or signed (JARM).

public import JOSE

extension RelyingParty {
    /// Reads the authorization response in the query of the redirect URI.
    ///
    /// - Parameters:
    ///   - query: The query without the question mark.
    ///   - session: The session that `start` returned.
    ///   - now: The time to verify a signed response at; the system clock by default.
    /// - Throws: `claimRejected` with `state` if it is wrong (compared in constant time).
    ///   `claimRejected` with `iss` if it is wrong, or missing although the metadata or the profile
    ///   require it (RFC 9207). `malformed` for a malformed response, or one with another response
    ///   mode than requested. `misuse` for the session of another client or provider. The errors of
    ///   `AsyncJWTVerifier` for a signed response.
    public func authorizationResponse(
        query: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(query, in: .query, session, now)
    }

    /// Reads the authorization response that the browser posts as a form; see
    /// `authorizationResponse(query:for:at:)`.
    ///
    /// `form` is the body of the POST.
    ///
    /// - Throws: The errors of `authorizationResponse(query:for:at:)`.
    public func authorizationResponse(
        form: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(form, in: .form, session, now)
    }

    /// Reads the authorization response that a script of your page found in the URL's fragment; see
    /// `authorizationResponse(query:for:at:)`.
    ///
    /// `fragment` does not include the number sign.
    ///
    /// - Throws: The errors of `authorizationResponse(query:for:at:)`.
    public func authorizationResponse(
        fragment: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(fragment, in: .fragment, session, now)
    }

    private func response(
        _ text: String, in carrier: ResponseMode.Carrier, _ session: AuthorizationSession,
        _ now: NumericDate?
    ) async throws(JOSEError) -> AuthorizationResponse {
        try configuration.check(session)
        // An error without `state` is unsigned even if a JWT was requested.
        guard session.responseMode.isSigned,
            try session.unauthenticatedError(text, in: carrier) == nil
        else {
            return try session.response(
                text, in: carrier,
                requiresIssuer: configuration.metadata.sendsIssuerInResponse
                    || configuration.profile.authorization.sendsIssuerInResponse)
        }
        let token = try session.jarm(text, in: carrier)
        guard let jarmResponses else {
            throw .misuse("the profile has no JARM response mode (authorization.responseModes)")
        }
        let now = now ?? .now
        return try configuration.jarmResponse(
            await jarmResponses.verify(token, at: now), for: session, at: now)
    }
}
