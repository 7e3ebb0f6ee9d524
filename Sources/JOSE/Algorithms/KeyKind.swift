// Kinds of key: what an algorithm asks for, finer than the key type.

import JOSECrypto

/// A set of kinds; a key is of exactly one, an algorithm works with one or some.
package struct KeyKind: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The kind at a place that it has to itself among all.
    init(bit: Int) { self.init(rawValue: 1 << UInt16(bit)) }

    package static let rsa = KeyKind(bit: 0)
    package static let oct = KeyKind(bit: 1)
    package static let mlDSA44 = KeyKind(bit: 10)
    package static let mlDSA65 = KeyKind(bit: 11)
    package static let mlDSA87 = KeyKind(bit: 12)
    /// The kinds that the libcrypto that runs does not have.
    package static let unavailable = KeyKind(
        KeyKindEntry.entries.filter { !$0.isAvailable }.map(\.kind))
    /// What ECDH-ES works with.
    package static let agreement = KeyKind(
        KeyKindEntry.entries.filter { $0.roles.contains(.agrees) }.map(\.kind))

    /// The kind of the keys on a curve.
    package init(_ curve: JWKCurve) { self = curve.kind }

    /// The rows of these kinds.
    package var entries: [KeyKindEntry] { KeyKindEntry.entries.filter { contains($0.kind) } }

    /// The key types of the kinds, in the order of the table.
    package var keyTypes: [KeyType] {
        var types: [KeyType] = []
        for row in KeyKindEntry.entries where contains(row.kind) && !types.contains(row.type) {
            types.append(row.type)
        }
        return types
    }
}

/// How large a symmetric key must be for an algorithm.
package enum SymmetricKeySize: Sendable {
    case exactly(Int)
    case atLeast(Int)
    /// As the content encryption algorithm of the message says; checked by the operation.
    case byContent

    /// Whether a key of this many bytes may be prepared.
    package func allows(_ bytes: Int) -> Bool {
        switch self {
        case .exactly(let size): bytes == size
        case .atLeast(let size): bytes >= size
        case .byContent: true
        }
    }

    /// - Throws: `keyUnusable` for a size that the algorithm does not allow.
    func check(bits: Int, _ algorithm: StaticString) throws(JOSEError) {
        guard !allows(bits / 8) else { return }
        switch self {
        case .exactly(let size):
            throw .keyUnusable(
                "the symmetric key has {} bits; {} needs exactly {}", .number(bits),
                .name(algorithm), .number(size * 8))
        case .atLeast(let size):
            throw .keyUnusable(
                "the symmetric key has {} bits; {} needs at least {}", .number(bits),
                .name(algorithm), .number(size * 8))
        case .byContent: return
        }
    }
}
