// The reason why a JWK cannot be used, and the entry of a set that has it.

import JOSEBytes

/// The reason why a JWK cannot be used. A set skips the key; reading a single key throws `error`.
package struct KeyDefect: Error, Sendable {
    /// The member that is defective; nil if the defect has no single known member.
    package let member: JWKMember?
    package let error: JOSEError

    init(_ member: JWKMember?, _ error: JOSEError) {
        self.member = member
        self.error = error
    }

    /// The defect of a malformed member, whose name replaces the first `{}` of `reason`.
    static func malformed(
        _ member: JWKMember, _ reason: StaticString, _ second: JOSEError.Value = .none,
        _ third: JOSEError.Value = .none
    ) -> KeyDefect {
        KeyDefect(member, .malformed(.key, reason, .name(member.name), second, third))
    }

    /// Whether memory, random numbers or libcrypto failed, which is not a defect of the key.
    package var isInternal: Bool { error.code == .internal }

    /// The error for a token that names the key. Most codes become `keyUnusable`: `malformed`, for
    /// instance, would be read as a defect of the token.
    var tokenError: JOSEError {
        switch error.code {
        case .unsupported, .untrustedKey, .internal: error
        default: JOSEError(.keyUnusable, .key, of: error)
        }
    }
}

/// An entry of a key set that cannot be used.
public struct SkippedKey: Sendable, Hashable {
    /// The index in the `keys` array, from 0.
    public let index: Int
    /// The `kid`, if it is a string: escaped for logs and terminals, at most 128 bytes.
    public let keyID: String?
    /// The defective member, such as `n`; nil if the defect has no single registered member.
    public let member: String?
    /// An English phrase without secrets. Of the public numbers only a wrong RSA `e` may be in it.
    public let reason: String
    let tokenError: JOSEError?
    /// The unescaped `kid`, for comparison; as bytes, so that it is not printed by accident.
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

    init(
        _ index: Int, _ defect: KeyDefect, _ entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) {
        let keyID = JWKMembers.keyID(ofEntry: entry, in: text, tree)
        self.init(index: index, keyID: keyID, defect)
    }

    package func isNamed(_ keyID: Span<UInt8>) -> Bool {
        guard let exactKeyID else { return false }
        return equal(exactKeyID.span, keyID)
    }

    private static let maxKeyIDBytes = 128
}

extension SkippedKey {
    /// Compares index, kid, member and reason, byte for byte.
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
    /// One line for a log, with the position counted from 1: `key 2, kid 'a', member n: …`.
    public var description: String {
        let name = keyID.map { ", kid '\($0)'" } ?? ""
        let member = member.map { ", member \($0)" } ?? ""
        return "key \(index + 1)\(name)\(member): \(reason)"
    }
}
