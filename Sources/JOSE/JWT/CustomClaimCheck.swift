// Custom checks of claims, added to a policy.

import JOSEBytes

extension ClaimsPolicy {
    /// Adds a custom check of the claims.
    ///
    /// Custom checks run after all built-in checks, in the order in which they were added. Each
    /// call adds a distinct check, even with the same closure: a policy with custom checks is equal
    /// only to its copies.
    ///
    /// - Parameters:
    ///   - claim: The claim's name, for the rejection; the claim may be absent.
    ///   - isSatisfied: Returns whether to accept the token; called on any thread. `false` rejects
    ///     the token as `claimRejected` with the claim's name. If the closure throws, the token is
    ///     rejected with that error.
    public mutating func require(
        _ claim: String,
        _ isSatisfied: @escaping @Sendable (ClaimsReader) throws(JOSEError) -> Bool
    ) {
        customChecks.append(CustomClaimCheck(claim, isSatisfied))
    }

    /// Adds a custom check of one claim, and requires the claim.
    ///
    /// - Parameters:
    ///   - claim: The claim's name. The token is rejected as `claimRejected` if the claim is
    ///     missing, does not match the type or fails the check. The error of a wrong type names the
    ///     path inside the claim.
    ///   - type: The type of the claim.
    ///   - isSatisfied: Returns whether to accept the token; called on any thread.
    public mutating func require<Value: Decodable & Sendable>(
        _ claim: String, as type: Value.Type,
        _ isSatisfied: @escaping @Sendable (Value) throws(JOSEError) -> Bool
    ) {
        require(claim) { (claims) throws(JOSEError) in
            try isSatisfied(claims.value(of: claim, as: Value.self))
        }
    }
}

/// The claims that a custom check reads, after all built-in checks.
public struct ClaimsReader: Sendable {
    let document: JSONDocument
    /// The time for all checks of the token.
    public let now: NumericDate

    /// Returns any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// Decodes the claims into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not match; `misuse` for a type of
    ///   Foundation without `import JOSEFoundation`.
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

/// Equal only to itself. `claim` is the name in the rejection.
final class CustomClaimCheck: Sendable, Hashable {
    let claim: String
    private let isSatisfied: @Sendable (ClaimsReader) throws(JOSEError) -> Bool

    init(
        _ claim: String,
        _ isSatisfied: @escaping @Sendable (ClaimsReader) throws(JOSEError) -> Bool
    ) {
        self.claim = claim
        self.isSatisfied = isSatisfied
    }

    func check(_ claims: ClaimsReader) throws(JOSEError) {
        guard try isSatisfied(claims) else {
            throw .claimRejected(claim, "it does not satisfy a custom check")
        }
    }

    static func == (a: CustomClaimCheck, b: CustomClaimCheck) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ClaimsReader: RedactedDescription {}
