// Date where the public API takes a NumericDate.

public import Foundation
public import JOSE

extension JWTVerifier {
    /// Verifies a token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none, at now: Date
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(token, expecting: expectation, at: NumericDate(checking: now))
    }

    /// Verifies a token at a given time and reads its claims; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: Date
    ) throws(JOSEError) -> Claims {
        try verify(token, as: type, expecting: expectation, at: NumericDate(checking: now))
    }
}

extension JWTIssuer {
    /// Issues a signed token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func issue(_ claims: some Encodable, at now: Date) throws(JOSEError) -> String {
        try issue(claims, at: NumericDate(checking: now))
    }

    /// Issues a signed and encrypted token at a given time; see the same function with a `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999, else as there.
    public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient, at now: Date
    ) throws(JOSEError) -> String {
        try issue(claims, encryptedFor: recipient, at: NumericDate(checking: now))
    }
}

extension NumericDate {
    /// The time of a `Date`, which must be in range.
    init(checking date: Date) throws(JOSEError) {
        guard let date = NumericDate(date) else {
            throw .misuse("the time must be in the years 1970 to 9999")
        }
        self = date
    }
}
