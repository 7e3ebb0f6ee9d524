// Which types are read and written otherwise than by their own Codable code, and the hook for more.

import JOSEBytes
import Synchronization

/// A type that is one claim with a meaning of its own in JOSE, whatever its `Codable` form is.
///
/// The coder of claims asks a conforming type for its JSON value in place of its `Codable` code.
/// `import JOSEFoundation` conforms `Date` (NumericDate, RFC 7519 section 2), `Data` (base64url),
/// `URL` (a StringOrURI) and `Decimal` (an exact number); without it these types are rejected, for
/// their own form is another: a `Date` counts from 2001.
public protocol JOSEClaimValue: SendableMetatype {
    /// Reads the value; any error that it throws rejects the claim.
    init(claim: JSONValue) throws

    /// Writes the value; any error that it throws rejects to make the token.
    func claim() throws -> JSONValue
}

/// How a type in claims is read and written.
enum ClaimTypeRule: Sendable {
    /// By its own `Codable` code.
    case plain
    /// Not at all: its own code would give a wrong claim.
    case rejected
    case integers
    case texts
    case date
    case json
    case hooked(any JOSEClaimValue.Type)

    /// The rule for `type`; a look-up in a table, and the search only once for each type.
    static func of(_ type: any Any.Type) -> ClaimTypeRule {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let rule = search(type)
        // A rejection may end when a library is loaded later.
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

    /// Whether `type` is one of Foundation's that mean something else in claims.
    ///
    /// Foundation is not imported here, so they are known by their names.
    static func isForeign(_ type: any Any.Type) -> Bool {
        let name = String(reflecting: type)
        return ["Foundation.", "FoundationEssentials."].contains { module in
            ["Date", "Data", "URL", "Decimal"].contains { module + $0 == name }
        }
    }
}
