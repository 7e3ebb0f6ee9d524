// The key types that can be read: one row each.

package import JOSEBytes

/// How the keys of one type are read from the members of a JWK.
package struct KeyTypeRow: Sendable {
    package let type: KeyType
    /// Whether a key of this type may be published; symmetric keys may not.
    let hasPublicPart: Bool
    /// Reads a key; a private one is checked whole.
    package let read:
        @Sendable (
            _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
        ) throws(JOSEError) -> any KeyMaterial
    /// Checks the form of a public key without keeping it, and tells its kind.
    let checkPublic:
        @Sendable (
            _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
        ) throws(JOSEError) -> KeyKind
}

package enum KeyTypeTable {
    package static let rows: [KeyTypeRow] = [
        KeyTypeRow(
            type: .rsa, hasPublicPart: true,
            read: { (members, text, tree, limits) throws(JOSEError) in
                try RSAKeyMaterial.read(members, text, tree, limits)
            },
            checkPublic: { (members, text, tree, limits) throws(JOSEError) in
                try RSAKeyMaterial.checkShape(members, text, tree, limits)
                return .rsa
            }),
        KeyTypeRow(
            type: .ec, hasPublicPart: true,
            read: { (members, text, tree, _) throws(JOSEError) in
                try CurveKeyMaterial.read(.ec, members, text, tree)
            },
            checkPublic: { (members, text, tree, _) throws(JOSEError) in
                try CurveKeyMaterial.checkShape(.ec, members, text, tree)
            }),
        KeyTypeRow(
            type: .okp, hasPublicPart: true,
            read: { (members, text, tree, _) throws(JOSEError) in
                try CurveKeyMaterial.read(.okp, members, text, tree)
            },
            checkPublic: { (members, text, tree, _) throws(JOSEError) in
                try CurveKeyMaterial.checkShape(.okp, members, text, tree)
            }),
        KeyTypeRow(
            type: .oct, hasPublicPart: false,
            read: { (members, text, tree, _) throws(JOSEError) in
                try OctKeyMaterial.read(members, text, tree)
            },
            checkPublic: { (_, _, _, _) throws(JOSEError) in
                throw .keyUnusable("a symmetric key has no public part")
            }),
    ]

    /// The row of a `kty`; nil for any other text.
    package static func row(of kty: JSONNode, in text: Span<UInt8>) -> KeyTypeRow? {
        rows.first { JSON.equals(kty, $0.type.word, in: text) }
    }
}
