// Date where verifiers take a NumericDate, beside the calls of JWTVerifier: explanations, fetched keys, tables, one-time tokens.

public import Foundation
public import JOSE

extension JWTVerifier {
    /// Says what `verify` does at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) throws(JOSEError) -> Explanation {
        explain(token, expecting: expectation, at: try NumericDate(checking: now))
    }

    /// Verifies a one-time token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        once store: any ReplayStore, purpose: String, at now: Date
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(
            token, expecting: expectation, once: store, purpose: purpose,
            at: NumericDate(checking: now))
    }
}

extension AsyncJWTVerifier {
    /// Verifies a token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expecting: expectation, at: NumericDate(checking: now))
    }

    /// Verifies a token at a given time and reads its claims; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: Date
    ) async throws(JOSEError) -> Claims {
        try await verify(token, as: type, expecting: expectation, at: NumericDate(checking: now))
    }

    /// Says what `verify` does at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) async throws(JOSEError) -> Explanation {
        await explain(token, expecting: expectation, at: try NumericDate(checking: now))
    }

    /// Verifies a one-time token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        once store: any ReplayStore, purpose: String, at now: Date
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(
            token, expecting: expectation, once: store, purpose: purpose,
            at: NumericDate(checking: now))
    }
}

extension JWTVerifierTable {
    /// Verifies a token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(token, expecting: expectation, at: NumericDate(checking: now))
    }
}

extension AsyncJWTVerifierTable {
    /// Verifies a token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expecting: expectation, at: NumericDate(checking: now))
    }
}
