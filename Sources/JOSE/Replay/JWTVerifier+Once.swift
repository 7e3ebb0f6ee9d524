// One call for one-time tokens: verify, and claim the one use behind every other check.

extension JWTVerifier {
    /// Verifies a token that may be used once, and claims its use last, after every other check.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation; it must have `iss`, `jti` and `exp`.
    ///   - expectation: What this token must say.
    ///   - store: Where used tokens are remembered; one for all machines that take such tokens.
    ///   - purpose: What kind of token it is, such as `logout`: uses of one kind never meet those of
    ///     another.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As `verify(_:expecting:at:)`; `claimRejected` for a missing `iss`, `jti` or `exp`;
    ///   `replayed` for a token that was used; `limitExceeded` for the issuer's quota and a life
    ///   that is too long; `unavailable` where the store is full or does not answer.
    ///
    /// A use is named by purpose, `iss`, `jti` and all of `aud`, whichever of these names are ours.
    /// It is remembered until `exp` and 301 seconds, whatever the policy's leeway: verifiers whose
    /// policies differ may share a store.
    public func verifyOnce(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        let now = now ?? .now
        let verified = try verify(token, expecting: expectation, at: now)
        try await store.claim(verified, purpose, at: now)
        return verified
    }

    /// Verifies a token that may be used once and decodes its claims into a type before its use is
    /// claimed; see `verifyOnce(_:expecting:in:purpose:at:)`.
    public func verifyOnce<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        let now = now ?? .now
        let verified = try verify(token, expecting: expectation, at: now)
        let claims = try verified.decode(type)
        try await store.claim(verified, purpose, at: now)
        return claims
    }
}

extension AsyncJWTVerifier {
    /// Verifies a token that may be used once, and claims its use last; see
    /// `JWTVerifier.verifyOnce(_:expecting:in:purpose:at:)`.
    ///
    /// - Throws: As there, and `unavailable` where the source of keys cannot answer now.
    public func verifyOnce(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        let now = now ?? .now
        let verified = try await verify(token, expecting: expectation, at: now)
        try await store.claim(verified, purpose, at: now)
        return verified
    }

    /// Verifies a token that may be used once and decodes its claims into a type before its use is
    /// claimed; see `JWTVerifier.verifyOnce(_:expecting:in:purpose:at:)`.
    public func verifyOnce<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        let now = now ?? .now
        let verified = try await verify(token, expecting: expectation, at: now)
        let claims = try verified.decode(type)
        try await store.claim(verified, purpose, at: now)
        return claims
    }
}

extension ReplayStore {
    /// Claims a use by what the token alone says: a service that gets another name must not rename
    /// the uses of tokens.
    fileprivate func claim(
        _ token: VerifiedJWT, _ purpose: String, at now: NumericDate
    ) async throws(JOSEError) {
        let audience = token.audience.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try await claim(
            token, purpose: purpose, audience: ReplayEntry.joined(audience), at: now)
    }
}
