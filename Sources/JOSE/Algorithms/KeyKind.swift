// Kinds of key: what an algorithm asks for, finer than the key type.

import JOSECrypto

/// A set of kinds; a key is of exactly one, an algorithm works with one or some.
package struct KeyKind: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let rsa = KeyKind(rawValue: 1)
    package static let oct = KeyKind(rawValue: 2)
    package static let p256 = KeyKind(.p256)
    package static let p384 = KeyKind(.p384)
    package static let p521 = KeyKind(.p521)
    package static let secp256k1 = KeyKind(.secp256k1)
    package static let ed25519 = KeyKind(.ed25519)
    package static let ed448 = KeyKind(.ed448)
    package static let x25519 = KeyKind(.x25519)
    package static let x448 = KeyKind(.x448)
    /// What ECDH-ES works with.
    package static let agreement: KeyKind = [.p256, .p384, .p521, .x25519, .x448]

    /// The kind of the keys on a curve.
    package init(_ curve: JWKCurve) {
        self.init(rawValue: 4 << UInt16(curve.native.rawValue))
    }

    /// The key types of the kinds, in the order of the table.
    package var keyTypes: [KeyType] {
        var types: [KeyType] = []
        if contains(.rsa) { types.append(.rsa) }
        for curve in JWKCurve.all where contains(KeyKind(curve)) && !types.contains(curve.keyType) {
            types.append(curve.keyType)
        }
        if contains(.oct) { types.append(.oct) }
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
}
