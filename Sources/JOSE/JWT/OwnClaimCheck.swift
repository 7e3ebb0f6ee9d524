// A check of claims that the program brings itself, as a part of the policy.

import JOSEBytes

extension ClaimsPolicy {
    /// Adds a check of the program's own.
    ///
    /// It runs after every other check, over the claims that these have read: nothing is parsed again. Checks run in the
    /// order in which they were added. Two policies are equal only if they share their checks.
    ///
    /// - Parameters:
    ///   - claim: The name that a rejection carries; the claim itself may be missing.
    ///   - isSatisfied: Whether the token may pass; called on any thread. `false` is `claimRejected` with the name. An
    ///     error that it throws, such as that of `ClaimsReader.decode(_:)`, rejects the token as it is.
    public mutating func require(
        _ claim: String,
        _ isSatisfied: @escaping @Sendable (ClaimsReader) throws(JOSEError) -> Bool
    ) {
        ownChecks.append(OwnClaimCheck(claim, isSatisfied))
    }

    /// Adds a check of the program's own over one claim of a type, which is required then.
    ///
    /// - Parameters:
    ///   - claim: The claim's name; `claimRejected` with it where it is missing or not satisfied, and with the path in it that
    ///     does not fit the type.
    ///   - type: What it is decoded into.
    ///   - isSatisfied: Whether the token may pass; called on any thread.
    public mutating func require<Value: Decodable & Sendable>(
        _ claim: String, as type: Value.Type,
        _ isSatisfied: @escaping @Sendable (Value) throws(JOSEError) -> Bool
    ) {
        require(claim) { (claims) throws(JOSEError) in
            try isSatisfied(claims.value(of: claim, as: Value.self))
        }
    }
}

/// The claims of a token whose layers, signature and registered claims were accepted, lent to checks of the program's own.
public struct ClaimsReader: Sendable {
    let document: JSONDocument
    /// The time by which the token is judged.
    public let now: NumericDate

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit, `misuse` for a type of Foundation.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    func value<Value: Decodable>(
        of claim: String, as type: Value.Type
    ) throws(JOSEError) -> Value {
        guard let index = document.member(named: claim) else {
            throw .claimRejected(claim, "it is required and missing")
        }
        return try ClaimsDecoder.decode(type, from: document, at: index, inside: claim)
    }
}

extension ClaimsReader: RedactedDescription {
    package var shownAs: String { "claims" }
}

/// A program's check and the name that its rejection carries; equal to itself alone.
final class OwnClaimCheck: Sendable, Hashable {
    let claim: String
    private let isSatisfied: @Sendable (ClaimsReader) throws(JOSEError) -> Bool

    init(
        _ claim: String,
        _ isSatisfied: @escaping @Sendable (ClaimsReader) throws(JOSEError) -> Bool
    ) {
        self.claim = claim
        self.isSatisfied = isSatisfied
    }

    func judge(_ claims: ClaimsReader) throws(JOSEError) {
        guard try isSatisfied(claims) else {
            throw .claimRejected(claim, "it does not satisfy a check of the program's own")
        }
    }

    static func == (a: OwnClaimCheck, b: OwnClaimCheck) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
