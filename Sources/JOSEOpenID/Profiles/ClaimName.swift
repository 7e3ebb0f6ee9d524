// One claim, by all the names that a provider's documents have for it.

import JOSE
import JOSEBytes

/// A claim's name, with the spellings that mean the same.
///
/// Guides write one claim in several ways, such as `v2` and `V2`. What is read may have any of them; what is asked for and
/// what is written has the first, unless `requested` is another.
public struct ClaimName: Sendable {
    /// The name to write, and to ask for where `requested` is the same.
    public let preferred: String
    /// Other spellings of it.
    public let others: [String]
    /// The name to ask for the claim by: `preferred`, the name of another claim that it comes with,
    /// or nil where the guide has no name to ask for it.
    public let requested: String?

    /// A name.
    ///
    /// - Parameters:
    ///   - preferred: The name that is written and looked for first.
    ///   - others: Names that are read as well.
    public init(_ preferred: String, or others: [String] = []) {
        self.init(preferred, or: others, requestedBy: preferred)
    }

    /// A name for a claim that is asked for by another name, or by none.
    ///
    /// - Parameters:
    ///   - preferred: The name that is written and looked for first.
    ///   - others: Names that are read as well.
    ///   - requested: The name to ask for it by; nil where there is none.
    public init(_ preferred: String, or others: [String] = [], requestedBy requested: String?) {
        self.preferred = preferred
        self.others = others
        self.requested = requested
    }

    /// All spellings, the preferred first.
    public var all: [String] { [preferred] + others }

    /// Whether a text is one of the spellings, byte for byte.
    public func contains(_ name: String) -> Bool { all.contains { $0.isExactly(name) } }
}

extension ClaimName: Hashable {
    /// The same spellings and the same name to ask by, byte for byte.
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
    /// A name with one spelling.
    public init(stringLiteral name: String) { self.init(name) }
}
