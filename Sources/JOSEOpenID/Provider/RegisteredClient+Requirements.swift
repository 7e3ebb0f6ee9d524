// Checks that the user's authentication satisfies the request, before a code is issued.

public import JOSE

extension RegisteredClient {
    /// Returns the error for an authentication that does not satisfy the request; nil if it does.
    ///
    /// Call it after the user has signed in and before `grant`. If it returns an error, let the
    /// user sign in again, or redirect with the error. Voluntary values of `acr` count only with
    /// `ACRRule.providerRejectsUnmetVoluntary`.
    ///
    /// `ClientTokenIssuer.idToken(for:_:claims:at:)` throws if the request is not satisfied.
    ///
    /// - Parameters:
    ///   - user: The user, the time, and the `acr` that was reached. Never copy the requested
    ///     `acr`: the readers of the ID Token rely on it.
    ///   - request: A request of this client at this provider.
    ///   - now: The current time; the system's clock by default.
    /// - Returns: `unmet_authentication_requirements` for a required `acr` that was not reached.
    ///   `login_required` for another user than the requested `sub`, and for an authentication
    ///   older than `max_age`.
    /// - Throws: `misuse` for a request of another client or provider, for an undefined `acr`, and
    ///   for a time in the future. `misuse` for a missing `acr` that the profile requires, and a
    ///   missing time if the request has `max_age`.
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
            throw .misuse("the profile's ID Tokens require an acr (UserAuthentication.acr)")
        }
        let requested = try RequestedClaims(accepted: request, rules)
        guard requested.allows(subject: user.subject) else {
            return AuthorizationError(.loginRequired)
        }
        guard try isRecent(user.time, for: request, at: now ?? .now) else {
            return AuthorizationError(.loginRequired)
        }
        let hasRequired =
            user.acr != nil || !requested.requiredClaims.contains(where: { $0.isExactly("acr") })
        guard hasRequired, rules.acr.isReached(user.acr, requested.acrValues) else {
            return AuthorizationError(.unmetAuthenticationRequirements)
        }
        return nil
    }

    /// Returns the error for a backchannel request; see `unmetRequirements(by:for:at:)` for an
    /// authorization request. If it returns an error, set the decision to `.denied`.
    public func unmetRequirements(
        by user: UserAuthentication, for request: ReceivedBackchannelRequest,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> AuthorizationError? {
        try unmetRequirements(by: user, for: request.request, at: now)
    }

    private func isRecent(
        _ time: NumericDate?, for request: ReceivedAuthorization, at now: NumericDate
    ) throws(JOSEError) -> Bool {
        guard let time else {
            guard request.maxAgeSeconds == nil else {
                throw .misuse("the request has max_age, so auth_time is required")
            }
            return true
        }
        func rejection(_ maximum: Int64?) -> StaticString? {
            AuthenticationAge(maxSeconds: maximum, leewaySeconds: profile.leewaySeconds)
                .rejection(of: time, at: now)
        }
        guard rejection(nil) == nil else {
            throw .misuse("UserAuthentication.time is in the future")
        }
        return rejection(request.maxAgeSeconds) == nil
    }
}

extension ACRRule {
    func isReached(_ acr: String?, _ requested: [String]) -> Bool {
        guard !weakestFirst.isEmpty else {
            guard !requested.isEmpty else { return true }
            guard let acr else { return false }
            return requested.contains { $0.isExactly(acr) }
        }
        // Undefined values are ignored, as when the request is received.
        let reached = acr.flatMap(strength)
        return requested.allSatisfy { value in
            strength(value).map { required in reached.map { $0 >= required } ?? false } ?? true
        }
    }
}

extension RequestedClaims {
    /// Reads what an accepted request requires. Throws `misuse` if the rules now reject it.
    init(
        accepted request: ReceivedAuthorization, _ rules: AuthorizationRules
    ) throws(JOSEError) {
        do {
            try self.init(request.parameters, rules, isProvider: true)
        } catch {
            throw error.misuse
        }
    }

    func allows(subject: String) -> Bool {
        subjects.isEmpty || subjects.contains(where: subject.isExactly)
    }
}
