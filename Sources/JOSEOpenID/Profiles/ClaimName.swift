// A claim and all the names that a provider's documents have for it.

import JOSE
import JOSEBytes

/// A claim's name with its other spellings.
///
/// Guides spell one claim in several ways, such as `v2` and `V2`. Any of them is read. The first is
/// written, and requested unless `requested` is another.
public struct ClaimName: Sendable {
    /// The name to write, and to request unless `requested` is another.
    public let preferred: String
    /// Other spellings that are read.
    public let others: [String]
    /// The name for requesting the claim: `preferred`, the name of another claim that it comes
    /// with, or nil if the guide has none.
    public let requested: String?

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - preferred: The name that is written, and read first.
    ///   - others: Further names that are read.
    public init(_ preferred: String, or others: [String] = []) {
        self.init(preferred, or: others, requestedBy: preferred)
    }

    /// Creates a name for a claim that is requested by another name, or cannot be requested.
    ///
    /// - Parameters:
    ///   - preferred: The name that is written, and read first.
    ///   - others: Further names that are read.
    ///   - requested: The name for requesting it; nil if there is none.
    public init(_ preferred: String, or others: [String] = [], requestedBy requested: String?) {
        self.preferred = preferred
        self.others = others
        self.requested = requested
    }

    /// All spellings, the preferred first.
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
