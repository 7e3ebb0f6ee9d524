// The names of one claim.

import JOSE
import JOSEBytes

/// The names of one claim. Providers' guides spell a claim in several ways, such as `v2` and `V2`.
/// The library reads all spellings and writes `preferred`.
public struct ClaimName: Sendable {
    /// The name that is written.
    public let preferred: String
    /// Other spellings that are read.
    public let others: [String]
    /// The name that requests the claim: `preferred`, another claim's name if one request is for
    /// both, or nil if the guide has none.
    public let requested: String?

    /// Creates a name that is also requested as `preferred`; see the properties.
    public init(_ preferred: String, or others: [String] = []) {
        self.init(preferred, or: others, requestedBy: preferred)
    }

    /// Creates a name for a claim that is requested by another name, or cannot be requested; see
    /// the properties.
    public init(_ preferred: String, or others: [String] = [], requestedBy requested: String?) {
        self.preferred = preferred
        self.others = others
        self.requested = requested
    }

    /// All spellings, the preferred one first.
    public var all: [String] { [preferred] + others }

    /// Whether a name is one of the spellings, byte for byte.
    public func contains(_ name: String) -> Bool { all.contains { $0.isExactly(name) } }
}

extension ClaimName: Hashable {
    /// Compares spellings and the requested name, byte for byte.
    public static func == (a: ClaimName, b: ClaimName) -> Bool {
        a.all.map(ExactString.init) == b.all.map(ExactString.init)
            && a.requested.map(ExactString.init) == b.requested.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(all.map(ExactString.init))
        hasher.combine(requested.map(ExactString.init))
    }
}

extension ClaimName: ExpressibleByStringLiteral {
    /// Creates a name with one spelling.
    public init(stringLiteral name: String) { self.init(name) }
}
