// The answer that the browser brings back, read by the party that asked: what its provider's metadata say is required, and
// the signature where it asked for one.

public import JOSE

extension RelyingParty {
    /// Reads the answer in the query of the redirect: plain, or the signed one that was asked for.
    ///
    /// - Parameters:
    ///   - query: What stands behind the question mark.
    ///   - remembered: What was remembered when the login was started.
    ///   - now: The time to judge a signed answer by; the system's clock where none is given.
    /// - Throws: `claimRejected` with `state`, compared in constant time, or with `iss` where it does not fit, or is missing
    ///   though the metadata or the profile say that answers name their issuer (RFC 9207);
    ///   `malformed` for anything that is not one answer, or
    ///   one that came by another way than the asked one; `misuse` for what was remembered of another client or provider. For a
    ///   signed answer every code of the engine's verifier besides.
    public func authorizationResponse(
        query: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(query, in: .query, session, now)
    }

    /// Reads the answer that the browser posted as a form; see `authorizationResponse(query:for:at:)`.
    ///
    /// - Parameters:
    ///   - form: The body of the post.
    ///   - remembered: What was remembered when the login was started.
    ///   - now: The time to judge a signed answer by; the system's clock where none is given.
    /// - Throws: As there.
    public func authorizationResponse(
        form: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(form, in: .form, session, now)
    }

    /// Reads the answer that a script of our page found in the fragment; see `authorizationResponse(query:for:at:)`.
    ///
    /// - Parameters:
    ///   - fragment: What stands behind the number sign.
    ///   - remembered: What was remembered when the login was started.
    ///   - now: The time to judge a signed answer by; the system's clock where none is given.
    /// - Throws: As there.
    public func authorizationResponse(
        fragment: String, for session: AuthorizationSession, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationResponse {
        try await response(fragment, in: .fragment, session, now)
    }

    private func response(
        _ text: String, in carrier: ResponseMode.Carrier, _ session: AuthorizationSession,
        _ now: NumericDate?
    ) async throws(JOSEError) -> AuthorizationResponse {
        guard let token = try setup.jarm(text, in: carrier, session) else {
            return try setup.plainResponse(text, in: carrier, session)
        }
        let check = try JARMCheck(setup, session, now)
        guard let jarmResponses else { throw .misuse("the profile has no signed answers") }
        return try check.response(await jarmResponses.verify(token, at: check.now))
    }
}

extension RelyingPartyConfiguration {
    /// The token of a signed answer; nil where a plain one was asked for, and for an error that
    /// shows nothing of where it comes from.
    fileprivate func jarm(
        _ text: String, in carrier: ResponseMode.Carrier, _ session: AuthorizationSession
    ) throws(JOSEError) -> String? {
        try check(session)
        guard session.responseMode.isSigned,
            try session.unauthenticatedError(text, in: carrier) == nil
        else { return nil }
        return try session.jarm(text, in: carrier)
    }

    fileprivate func plainResponse(
        _ text: String, in carrier: ResponseMode.Carrier, _ session: AuthorizationSession
    ) throws(JOSEError) -> AuthorizationResponse {
        try session.response(
            text, in: carrier,
            requiresIssuer: metadata.sendsIssuerInResponse || profile.authorization.sendsIssuerInResponse)
    }
}
