// Which types are coded by special rules instead of their own Codable code, and the hook for more.

import JOSEBytes
import Synchronization

/// A type with its own JSON form in claims, whatever its `Codable` form is.
///
/// The coder of claims calls these functions instead of the type's `Codable` code. `import
/// JOSEFoundation` conforms `Date` (NumericDate, RFC 7519 section 2), `Data` (base64url), `URL`
/// (StringOrURI) and `Decimal` (an exact number). Without it these types are rejected, since their
/// own form differs: a `Date` counts from 2001.
public protocol JOSEClaimValue: SendableMetatype {
    /// Creates a value from its claim. Any thrown error rejects the claim.
    init(claim: JSONValue) throws

    /// Returns the JSON form of the value. Any thrown error rejects the claims as `misuse`.
    func claim() throws -> JSONValue
}

/// The rule for coding a type in claims.
enum ClaimTypeRule: Sendable {
    /// Uses its own `Codable` code.
    case plain
    /// Rejects it: its own code would give a wrong claim.
    case rejected
    case integers
    case texts
    case date
    case json
    case hooked(any JOSEClaimValue.Type)

    /// Returns the rule for `type`, from a table after the first search.
    static func of(_ type: any Any.Type) -> ClaimTypeRule {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let rule = search(type)
        // A library that is loaded later may add a conformance.
        if case .rejected = rule { return rule }
        known.withLock { $0[id] = rule }
        return rule
    }

    private static let known = Lock<[ObjectIdentifier: ClaimTypeRule]>([:])

    private static func search(_ type: any Any.Type) -> ClaimTypeRule {
        if type == NumericDate.self { return .date }
        if type == JSONValue.self { return .json }
        if type == [Int].self { return .integers }
        if type == Set<String>.self { return .texts }
        if let hooked = type as? any JOSEClaimValue.Type { return .hooked(hooked) }
        return isForeign(type) ? .rejected : .plain
    }

    /// Whether `type` is one of Foundation's types that have another meaning in claims.
    ///
    /// Foundation is not imported here, so they are found by name.
    static func isForeign(_ type: any Any.Type) -> Bool {
        let name = String(reflecting: type)
        return ["Foundation.", "FoundationEssentials."].contains { module in
            ["Date", "Data", "URL", "Decimal"].contains { module + $0 == name }
        }
    }
}
