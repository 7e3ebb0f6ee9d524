// ClaimTypeRule: types whose JSON form in claims is not that of their own Codable code.

import JOSEBytes
import Synchronization

/// A type whose JSON form in claims differs from its `Codable` form.
///
/// The coder of claims calls these functions instead of the type's `Codable` code. `import
/// JOSEFoundation` conforms `Date` (NumericDate, RFC 7519 section 2), `Data` (base64url), `URL`
/// (StringOrURI) and `Decimal` (an exact number). Without that import these four types are
/// rejected: a `Date`, for example, would count from 2001.
public protocol JOSEClaimValue: SendableMetatype {
    /// Creates a value from its claim. Any error rejects the claim.
    init(claim: JSONValue) throws

    /// Returns the JSON form of the value. Any error rejects the claims as `misuse`.
    func claim() throws -> JSONValue
}

/// How a type is decoded and encoded in claims.
enum ClaimTypeRule: Sendable {
    /// By its own `Codable` code.
    case plain
    /// Not at all: its `Codable` code would give a wrong claim.
    case rejected
    case integers
    case stringSet
    case date
    case json
    case hooked(any JOSEClaimValue.Type)

    /// Returns the rule for `type`. A table keeps all rules except `.rejected`.
    static func of(_ type: any Any.Type) -> ClaimTypeRule {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let rule = search(type)
        // Not kept: a library that is loaded later may add the conformance.
        if case .rejected = rule { return rule }
        known.withLock { $0[id] = rule }
        return rule
    }

    private static let known = Lock<[ObjectIdentifier: ClaimTypeRule]>([:])

    private static func search(_ type: any Any.Type) -> ClaimTypeRule {
        if type == NumericDate.self { return .date }
        if type == JSONValue.self { return .json }
        if type == [Int].self { return .integers }
        if type == Set<String>.self { return .stringSet }
        if let hooked = type as? any JOSEClaimValue.Type { return .hooked(hooked) }
        return isForeign(type) ? .rejected : .plain
    }

    /// Whether `type` is one of four Foundation types, by name: Foundation is not imported.
    static func isForeign(_ type: any Any.Type) -> Bool {
        let name = String(reflecting: type)
        return ["Foundation.", "FoundationEssentials."].contains { module in
            ["Date", "Data", "URL", "Decimal"].contains { module + $0 == name }
        }
    }
}
