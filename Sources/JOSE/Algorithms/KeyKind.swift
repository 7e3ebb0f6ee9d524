// KeyKind: kinds of key, finer than `kty`: one for each curve and parameter set.

import JOSECrypto

/// A set of key kinds. A key has exactly one kind; an algorithm works with one or several.
package struct KeyKind: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(bit: Int) { self.init(rawValue: 1 << UInt16(bit)) }

    package static let rsa = KeyKind(bit: 0)
    package static let oct = KeyKind(bit: 1)
    package static let mlDSA44 = KeyKind(bit: 10)
    package static let mlDSA65 = KeyKind(bit: 11)
    package static let mlDSA87 = KeyKind(bit: 12)
    package static let unavailable = KeyKind(
        KeyKindEntry.entries.filter { !$0.isAvailable }.map(\.kind))
    /// The kinds that ECDH-ES works with.
    package static let agreement = KeyKind(
        KeyKindEntry.entries.filter { $0.roles.contains(.agrees) }.map(\.kind))

    package init(_ curve: JWKCurve) { self = curve.kind }

    package var entries: [KeyKindEntry] { KeyKindEntry.entries.filter { contains($0.kind) } }

    package var keyTypes: [KeyType] {
        var types: [KeyType] = []
        for entry in KeyKindEntry.entries where contains(entry.kind) && !types.contains(entry.type)
        {
            types.append(entry.type)
        }
        return types
    }
}

/// The sizes of a symmetric key that an algorithm allows, in bytes.
package enum SymmetricKeySize: Sendable {
    case exactly(Int)
    case atLeast(Int)
    /// The size that the content encryption algorithm requires. The operation checks it.
    case byContent

    /// Whether a key of this size may be prepared.
    package func allows(_ bytes: Int) -> Bool {
        switch self {
        case .exactly(let size): bytes == size
        case .atLeast(let size): bytes >= size
        case .byContent: true
        }
    }

    /// - Throws: `keyUnusable` for a size that is not allowed.
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
