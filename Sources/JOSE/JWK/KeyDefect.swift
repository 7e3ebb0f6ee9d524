// Why a JWK cannot be used, with the member that shows it: what a set reports and a single JWK
// throws.

import JOSEBytes

/// A reason to skip an entry of a JWK Set.
package struct KeyDefect: Error, Sendable {
    /// The member that shows it; nil where it is none that this library reads.
    package let member: JWKMember?
    package let error: JOSEError

    init(_ member: JWKMember?, _ error: JOSEError) {
        self.member = member
        self.error = error
    }

    /// The same for a member that the reason names first.
    static func malformed(
        _ member: JWKMember, _ reason: StaticString, _ second: JOSEError.Value = .none,
        _ third: JOSEError.Value = .none
    ) -> KeyDefect {
        KeyDefect(member, .malformed(.key, reason, .name(member.name), second, third))
    }

    /// Whether it is no defect of the key: memory, random numbers or the provider failed.
    package var isInternal: Bool { error.code == .internal }

    /// What a token is told that names the key: the reason, under a code that says nothing of the
    /// token's form.
    var tokenError: JOSEError {
        switch error.code {
        case .unsupported, .untrustedKey, .internal: error
        default: JOSEError(.keyUnusable, .key, of: error)
        }
    }
}

/// An entry of a key set that cannot be used.
public struct SkippedKey: Sendable, Hashable {
    /// The place in the `keys` array, from 0.
    public let index: Int
    /// Its `kid` where it has one that is a string: escaped for logs and terminals, at most 128
    /// bytes.
    public let keyID: String?
    /// The member that shows why, such as `n`; nil where no single registered member does.
    public let member: String?
    /// Why, as one English sentence part that names sizes, members and limits; it holds no value of
    /// the key.
    public let reason: String
    /// What a token is told that names the entry.
    let tokenError: JOSEError?
    /// The `kid` as it is, to be compared: bytes, so that nothing prints it as text.
    private let exactKeyID: [UInt8]?

    package init(index: Int, keyID: String? = nil, member: String? = nil, reason: String) {
        self.init(index, keyID, member, reason, nil)
    }

    private init(
        _ index: Int, _ keyID: String?, _ member: String?, _ reason: String,
        _ tokenError: JOSEError?
    ) {
        self.index = index
        self.keyID = keyID.map { printable($0, atMost: SkippedKey.maxKeyIDBytes) }
        exactKeyID = keyID.map { Array($0.utf8) }
        self.member = member
        self.reason = reason
        self.tokenError = tokenError
    }

    init(index: Int, keyID: String?, _ defect: KeyDefect) {
        self.init(
            index, keyID, defect.member?.name.description, defect.error.message,
            defect.tokenError)
    }

    /// Whether it has this kid, byte for byte.
    package func isNamed(_ keyID: Span<UInt8>) -> Bool {
        guard let exactKeyID else { return false }
        return equal(exactKeyID.span, keyID)
    }

    private static let maxKeyIDBytes = 128
}

extension SkippedKey {
    /// The same place, kid, member and reason, byte for byte.
    public static func == (a: SkippedKey, b: SkippedKey) -> Bool {
        a.index == b.index && a.reason.isExactly(b.reason)
            && a.exactKeyID == b.exactKeyID
            && a.member.map(ExactString.init) == b.member.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(exactKeyID)
        hasher.combine(member.map(ExactString.init))
        hasher.combine(ExactString(reason))
    }
}

extension SkippedKey: CustomStringConvertible {
    /// One line for a log: `key 2, kid 'a', member n: …`, counted from 1.
    public var description: String {
        let name = keyID.map { ", kid '\($0)'" } ?? ""
        let place = member.map { ", member \($0)" } ?? ""
        return "key \(index + 1)\(name)\(place): \(reason)"
    }
}
