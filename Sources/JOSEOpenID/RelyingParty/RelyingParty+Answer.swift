// The answer that the browser brings back, read by the party that asked: what its provider's metadata say is required.

public import JOSE

extension RelyingParty {
    /// Reads the answer in the query of the redirect.
    ///
    /// - Parameters:
    ///   - query: What stands behind the question mark.
    ///   - remembered: What was remembered when the login was started.
    /// - Throws: `claimRejected` with `state`, compared in constant time, or with `iss` where it does not fit, or is missing
    ///   though the metadata say that answers name their issuer (RFC 9207); `malformed` for anything that is not one answer, or
    ///   one that came by another way than the asked one; `misuse` for what was remembered of another client or provider.
    public func answer(
        query: String, for remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try setup.answer(query: query, remembered)
    }

    /// Reads the answer that the browser posted as a form; see `answer(query:for:)`.
    ///
    /// - Parameter form: The body of the post.
    public func answer(
        form: String, for remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try setup.answer(form: form, remembered)
    }
}

extension AsyncRelyingParty {
    /// Reads the answer in the query of the redirect; see `RelyingParty.answer(query:for:)`.
    public func answer(
        query: String, for remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try setup.answer(query: query, remembered)
    }

    /// Reads the answer that the browser posted as a form; see `RelyingParty.answer(query:for:)`.
    public func answer(
        form: String, for remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try setup.answer(form: form, remembered)
    }
}

extension PartySetup {
    fileprivate func answer(
        query: String, _ remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try check(remembered)
        return try remembered.answer(query: query, requiresIssuer: metadata.answersNameIssuer)
    }

    fileprivate func answer(
        form: String, _ remembered: RememberedRequest
    ) throws(JOSEError) -> AuthorizationAnswer {
        try check(remembered)
        return try remembered.answer(form: form, requiresIssuer: metadata.answersNameIssuer)
    }
}
