// Verifies one-time tokens: makes all other checks first, then marks the token as used.

extension JWTVerifier {
    /// Verifies a one-time token, and marks it as used after all other checks.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation; it must have `iss`, `jti` and `exp`.
    ///   - expectation: Values that this token must have.
    ///   - store: The store of used tokens, shared by all machines that accept such tokens.
    ///   - purpose: The kind of token, such as `logout`. Tokens of different kinds never collide.
    ///   - now: The time for all checks; the system clock by default.
    /// - Throws: As `verify(_:expecting:at:)`; `claimRejected` for a missing `iss`, `jti` or `exp`,
    ///   or a `jti` that is empty or over 1,024 bytes; `replayed` for a used token, or one that may
    ///   have been used before the store began; `limitExceeded` for the issuer's quota or a
    ///   lifetime that is too long; `unavailable` if the store is full or does not respond.
    ///
    /// `purpose`, `iss`, `jti` and all values of `aud` identify the entry. The store keeps it until
    /// 301 seconds after `exp`: verifiers with leeways of up to 300 seconds may share the store.
    public func verifyOnce(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        let now = now ?? .now
        let verified = try verify(token, expecting: expectation, at: now)
        try await store.markUsed(verified, purpose, at: now)
        return verified
    }

    /// Verifies a one-time token and decodes its claims into a type before it is marked as used;
    /// see `verifyOnce(_:expecting:in:purpose:at:)`.
    public func verifyOnce<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        let now = now ?? .now
        let verified = try verify(token, expecting: expectation, at: now)
        let claims = try verified.decode(type)
        try await store.markUsed(verified, purpose, at: now)
        return claims
    }
}

extension AsyncJWTVerifier {
    /// Verifies a one-time token, and marks it as used after all other checks; see
    /// `JWTVerifier.verifyOnce(_:expecting:in:purpose:at:)`.
    ///
    /// - Throws: As that function and as `AsyncJWTVerifier.verify(_:expecting:at:timeout:)`.
    public func verifyOnce(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        let now = now ?? .now
        let verified = try await verify(token, expecting: expectation, at: now)
        try await store.markUsed(verified, purpose, at: now)
        return verified
    }

    /// Verifies a one-time token and decodes its claims into a type before it is marked as used;
    /// see `JWTVerifier.verifyOnce(_:expecting:in:purpose:at:)`.
    public func verifyOnce<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        in store: any ReplayStore, purpose: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        let now = now ?? .now
        let verified = try await verify(token, expecting: expectation, at: now)
        let claims = try verified.decode(type)
        try await store.markUsed(verified, purpose, at: now)
        return claims
    }
}

extension ReplayStore {
    /// Identifies the entry by the token's `aud`, since the policy's audience may change.
    fileprivate func markUsed(
        _ token: VerifiedJWT, _ purpose: String, at now: NumericDate
    ) async throws(JOSEError) {
        let audience = token.audience.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try await markUsed(
            token, purpose: purpose, audience: ReplayEntry.joined(audience), at: now)
    }
}
