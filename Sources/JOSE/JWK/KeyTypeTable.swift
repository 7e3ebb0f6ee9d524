// The table of key types, with the reader and the generator of each.

package import JOSEBytes
import JOSECrypto

/// How keys of one type are read from the members of a JWK, and generated.
///
/// A class: a copy of a structure would retain each closure for every key that is read.
package final class KeyTypeEntry: Sendable {
    package typealias Read =
        @Sendable (JWKMembers, Span<UInt8>, Span<JSONNode>, JOSELimits) throws(KeyDefect) ->
        any KeyMaterial
    typealias CheckPublic =
        @Sendable (JWKMembers, Span<UInt8>, Span<JSONNode>, JOSELimits) throws(KeyDefect) -> KeyKind
    typealias Generate =
        @Sendable (KeyKindEntry, _ bits: Int) throws(CryptoError) -> any KeyMaterial

    package let type: KeyType
    /// Its `kty`.
    let name: PackedName
    /// Whether a key of this type has a public part, which may be published.
    let hasPublicPart: Bool
    /// Reads a key; a private one is checked whole.
    package let read: Read
    /// Checks a public key without keeping it, and returns its kind.
    let checkPublic: CheckPublic
    /// Generates a key; `bits` counts for types with sizes.
    let generate: Generate

    init(
        type: KeyType, hasPublicPart: Bool, read: @escaping Read,
        checkPublic: @escaping CheckPublic, generate: @escaping Generate
    ) {
        self.type = type
        name = PackedName(stringLiteral: type.word)
        self.hasPublicPart = hasPublicPart
        self.read = read
        self.checkPublic = checkPublic
        self.generate = generate
    }
}

package enum KeyTypeTable {
    package static let all: [KeyTypeEntry] = [
        KeyTypeEntry(
            type: .rsa, hasPublicPart: true,
            read: { (members, text, tree, limits) throws(KeyDefect) in
                try RSAKeyMaterial.read(members, text, tree, limits)
            },
            checkPublic: { (members, text, tree, limits) throws(KeyDefect) in
                try RSAKeyMaterial.checkShape(members, text, tree, limits)
                return .rsa
            },
            generate: { (_, bits) throws(CryptoError) in
                RSAKeyMaterial(try NativeKey.rsaGenerate(bits: bits), limits: .standard)
            }),
        KeyTypeEntry(
            type: .ec, hasPublicPart: true,
            read: { (members, text, tree, _) throws(KeyDefect) in
                try CurveKeyMaterial.read(.ec, members, text, tree)
            },
            checkPublic: { (members, text, tree, _) throws(KeyDefect) in
                try CurveKeyMaterial.checkShape(.ec, members, text, tree)
            }, generate: onCurve),
        KeyTypeEntry(
            type: .okp, hasPublicPart: true,
            read: { (members, text, tree, _) throws(KeyDefect) in
                try CurveKeyMaterial.read(.okp, members, text, tree)
            },
            checkPublic: { (members, text, tree, _) throws(KeyDefect) in
                try CurveKeyMaterial.checkShape(.okp, members, text, tree)
            }, generate: onCurve),
        KeyTypeEntry(
            type: .oct, hasPublicPart: false,
            read: { (members, text, tree, _) throws(KeyDefect) in
                try OctKeyMaterial.read(members, text, tree)
            },
            checkPublic: { (_, _, _, _) throws(KeyDefect) in
                throw KeyDefect(.kty, .keyUnusable("a symmetric key has no public part"))
            },
            generate: { (_, bits) throws(CryptoError) in
                OctKeyMaterial(try NativeKey.symmetricGenerate(bytes: bits / 8))
            }),
        KeyTypeEntry(
            type: .akp, hasPublicPart: true,
            read: { (members, text, tree, _) throws(KeyDefect) in
                try AKPKeyMaterial.read(members, text, tree)
            },
            checkPublic: { (members, text, tree, _) throws(KeyDefect) in
                try AKPKeyMaterial.checkShape(members, text, tree)
            },
            generate: { (kind, _) throws(CryptoError) in
                guard let set = AKPParameterSet.of(kind.kind) else { throw .unusableKey }
                return AKPKeyMaterial(try NativeKey.generate(set.native), set)
            }),
    ]

    private static let onCurve: KeyTypeEntry.Generate = { (kind, _) throws(CryptoError) in
        guard let curve = kind.curve else { throw .unusableKey }
        return CurveKeyMaterial(try NativeKey.generate(curve.native), curve)
    }

    /// The entry of a key type.
    static func entry(_ type: KeyType) -> KeyTypeEntry? { all.first { $0.type == type } }

    /// The entry of a `kty`; nil for an unknown one.
    package static func entry(of kty: JSONNode, in text: Span<UInt8>) -> KeyTypeEntry? {
        guard let name = PackedName(kty, in: text) else { return nil }
        return all.first { $0.name == name }
    }
}
