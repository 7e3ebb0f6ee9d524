// Whether what a user did is enough for what a client requires, before a code is given.

public import JOSE

extension RegisteredClient {
    /// Returns the error to answer with where the user's authentication is less than the request
    /// requires; nil where it is enough.
    ///
    /// Call it when the user has signed in, with what was reached, and before `grant`. It answers
    /// `unmet_authentication_requirements` for an `acr` that is required and was not reached, and
    /// `login_required` for another user than the requested `sub` and for an authentication older
    /// than `max_age`: let the user sign in again, or redirect with the error. Voluntary values of
    /// `acr` are no requirement unless `ACRRule.voluntaryIsBinding` is true.
    ///
    /// `idToken(for:_:)` throws `misuse` where this returns an error.
    ///
    /// - Parameters:
    ///   - user: Who signed in, when, and the `acr` that was reached. Never write into it what the
    ///     client requested: the ID Token is signed, and its readers rely on it.
    ///   - request: The request; one of this client, at this provider.
    ///   - now: The time to compare `auth_time` with; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider, an `acr` that the profile
    ///   does not define, a missing one where its ID Tokens always have one, a missing `auth_time`
    ///   where the request has `max_age`, and one in the future.
    ///
    /// Source: OpenID Connect Core 1.0, 3.1.2.1, 3.1.2.2 and 5.5.1.1; OpenID Connect Core Error
    /// Code unmet_authentication_requirements 1.0.
    public func unmetRequirements(
        by user: UserAuthentication, for request: ReceivedAuthorization, at now: NumericDate? = nil
    ) throws(JOSEError) -> AuthorizationError? {
        try checkOwn(request)
        let rules = profile.authorization
        if let acr = user.acr {
            try rules.acr.checkDefined(acr)
        } else if profile.idToken.requiredClaims.contains(where: { $0.isExactly("acr") }) {
            throw .misuse("the profile's ID Tokens have an acr (UserAuthentication.context)")
        }
        let asked: RequestedClaims
        do {
            asked = try RequestedClaims(request.parameters, rules, isProvider: true)
        } catch {
            throw error.misuse
        }
        guard asked.subjects.isEmpty || asked.subjects.contains(where: user.subject.isExactly)
        else { return AuthorizationError(.loginRequired) }
        guard try isRecent(user.time, for: request, at: now ?? .now) else {
            return AuthorizationError(.loginRequired)
        }
        let isThere =
            user.acr != nil || !asked.requiredClaims.contains(where: { $0.isExactly("acr") })
        guard isThere, rules.acr.isReached(user.acr, asked.acrValues) else {
            return AuthorizationError(.unmetAuthenticationRequirements)
        }
        return nil
    }

    /// The same for a user without a browser: decide `.denied` where it is not nil.
    ///
    /// - Parameters:
    ///   - user: Who signed in, when and how.
    ///   - request: The backchannel request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As for an authorization request.
    public func unmetRequirements(
        by user: UserAuthentication, for request: ReceivedBackchannelRequest,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> AuthorizationError? {
        try unmetRequirements(by: user, for: request.request, at: now)
    }

    /// Whether the authentication is not older than `max_age`.
    private func isRecent(
        _ time: NumericDate?, for request: ReceivedAuthorization, at now: NumericDate
    ) throws(JOSEError) -> Bool {
        guard let time else {
            guard request.maxAgeSeconds == nil else {
                throw .misuse("the client asked for max_age, so auth_time is required")
            }
            return true
        }
        func rejection(_ maximum: Int64?) -> StaticString? {
            AuthenticationAge(maxSeconds: maximum, leewaySeconds: profile.leewaySeconds)
                .rejection(of: time, at: now)
        }
        if let reason = rejection(nil) { throw .misuse(reason) }
        return rejection(request.maxAgeSeconds) == nil
    }
}

extension ACRRule {
    /// Whether the `acr` is at least what was asked for, as far as the provider knows the values.
    func isReached(_ acr: String?, _ asked: [String]) -> Bool {
        guard !weakestFirst.isEmpty else {
            guard !asked.isEmpty else { return true }
            guard let acr else { return false }
            return asked.contains { $0.isExactly(acr) }
        }
        // What a client asks for beyond the profile's values is ignored, as it is when the request
        // is received.
        let reached = acr.flatMap(strength)
        return asked.allSatisfy { value in
            strength(value).map { wanted in reached.map { $0 >= wanted } ?? false } ?? true
        }
    }
}
