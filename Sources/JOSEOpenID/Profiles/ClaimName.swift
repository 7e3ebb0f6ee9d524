// One claim, by all the names that a provider's documents have for it.

import JOSE
import JOSEBytes

/// A claim's name, with the spellings that mean the same.
///
/// Guides write one claim in several ways, such as `v2` and `V2`. What is read may have any of them; what is asked for and
/// what is written has the first.
public struct ClaimName: Sendable {
    /// The name to ask for and to write.
    public let preferred: String
    /// Other spellings of it.
    public let others: [String]

    /// A name.
    ///
    /// - Parameters:
    ///   - preferred: The name that is written and looked for first.
    ///   - others: Names that are read as well.
    public init(_ preferred: String, or others: [String] = []) {
        self.preferred = preferred
        self.others = others
    }

    /// All spellings, the preferred first.
    public var all: [String] { [preferred] + others }

    /// Whether a text is one of the spellings, byte for byte.
    public func contains(_ name: String) -> Bool { all.contains { $0.isExactly(name) } }
}

extension ClaimName: Hashable {
    /// The same spellings, byte for byte.
    public static func == (a: ClaimName, b: ClaimName) -> Bool {
        a.all.map(ExactText.init) == b.all.map(ExactText.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(all.map(ExactText.init)) }
}

extension ClaimName: ExpressibleByStringLiteral {
    /// A name with one spelling.
    public init(stringLiteral name: String) { self.init(name) }
}
