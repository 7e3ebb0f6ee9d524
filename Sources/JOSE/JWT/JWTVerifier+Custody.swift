// Verifying encrypted tokens with keys of ours that may be elsewhere.

import JOSEBytes

extension JWTVerifier {
    /// Verifies a token that may be encrypted to a key that is held elsewhere.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As `verify(_:expecting:at:)`; `unavailable` where the custodian cannot answer in time, or the task was
    ///   cancelled.
    /// - Returns: The claims; having the value is the proof.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expectation, now, time)
    }

    /// Verifies a token that may be encrypted to a key that is held elsewhere, and decodes its claims into a type; see
    /// `verify(_:expecting:at:within:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expectation, now, time).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - time: How long a key that is held elsewhere may take.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration
    ) async -> Explanation {
        await HeldAnswers.explaining(within: time) {
            explain(token, expecting: expectation, at: now)
        }
    }

    /// As the others; without a time each question has what its key's rule says.
    func verify(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ time: Duration?
    ) async throws(JOSEError) -> VerifiedJWT {
        guard layers.asksCustodians else {
            return try layers.verify(
                token.utf8.span, HeaderSource(token), verifier, expectation, now, nil)
        }
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try layers.verify(
                token.utf8.span, HeaderSource(token), verifier, expectation, now, nil)
        }
    }
}

extension JWTVerifierTable {
    /// Verifies a token that may be encrypted to a key that is held elsewhere; see `verify(_:expecting:at:)` and
    /// `JWTVerifier.verify(_:expecting:at:within:)`.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> VerifiedJWT {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try verify(token, expecting: expectation, at: now)
        }
    }

    /// Verifies a token that may be encrypted to a key that is held elsewhere, and decodes its claims into a type; see
    /// `verify(_:expecting:at:within:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now, within: time).decode(type)
    }
}
