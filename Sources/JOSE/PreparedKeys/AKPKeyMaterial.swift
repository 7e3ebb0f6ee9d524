// Algorithm key pairs (AKP): keys for the one algorithm that they name.

package import JOSEBytes
package import JOSECrypto

/// The parameter set of an algorithm key pair: the algorithm, and its number in the C core.
package struct AKPParameterSet: Sendable {
    package let algorithm: SignatureAlgorithm
    let native: NativeCurve

    /// The algorithms whose keys are of this type.
    package static let all: [AKPParameterSet] = SignatureAlgorithm.entries.compactMap { algorithm in
        guard let row = KeyKindEntry.entry(algorithm.kinds), row.type == .akp,
            case .curve(let native) = row.native
        else { return nil }
        return AKPParameterSet(algorithm: algorithm, native: native)
    }

    /// The parameter set of a kind; nil for other kinds.
    package static func of(_ kind: KeyKind) -> AKPParameterSet? {
        all.first { $0.algorithm.kinds == kind }
    }
}

/// An algorithm key pair (RFC 9964, 3).
package final class AKPKeyMaterial: KeyMaterial {
    package let parameterSet: AKPParameterSet
    /// The public key, of the parameter set's exact size.
    package let pub: [UInt8]
    package let isPrivate: Bool
    private let nativeKey: LazyNativeKey

    package var kind: KeyKind { parameterSet.algorithm.kinds }
    package var keyType: KeyType { .akp }
    /// The size of the public key, since ML-DSA has no size by which keys are called.
    package var sizeBits: Int { 8 * pub.count }
    package var boundAlgorithm: StaticString? { parameterSet.algorithm.staticName }

    package init(_ set: AKPParameterSet, pub: [UInt8]) throws(JOSEError) {
        guard pub.count == set.native.sizeBytes else { throw AKPKeyMaterial.wrongSize }
        parameterSet = set
        self.pub = pub
        isPrivate = false
        nativeKey = LazyNativeKey()
    }

    /// A private key from its seed, checked whole. An empty `pub` is computed; an empty `expanded`
    /// is not checked.
    package convenience init(
        _ set: AKPParameterSet, pub: [UInt8], seed: SecretBytes, expanded: Span<UInt8>
    ) throws(JOSEError) {
        guard pub.isEmpty || pub.count == set.native.sizeBytes,
            seed.count == AKPKeyMaterial.seedBytes
        else { throw AKPKeyMaterial.wrongSize }
        let key: NativeKey
        do {
            key = try NativeKey.akpPrivate(
                set.native, pub: pub.span, seed: seed, expanded: expanded)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        self.init(key, set)
    }

    /// A key that was generated or checked whole.
    package init(_ key: NativeKey, _ set: AKPParameterSet) {
        parameterSet = set
        pub = key.publicAKP()
        isPrivate = key.isPrivate
        nativeKey = LazyNativeKey(key)
    }

    static let seedBytes = 32
    static let wrongSize = JOSEError.malformed(
        .key, "a public key or a seed does not have the size of its algorithm")

    package func native() throws(JOSEError) -> NativeKey {
        let pub = self.pub
        return try nativeKey.get { () throws(CryptoError) in
            try NativeKey.akpPublic(parameterSet.native, pub: pub.span)
        }
    }

    /// Writes no `alg`: it is written with the other metadata of a JWK.
    package func writePublicMembers(to writer: inout JSONWriter) {
        let pub = self.pub
        writer.name("kty")
        writer.string(keyType.name)
        writer.name("pub")
        writer.string(base64URL: pub.span)
    }

    /// `alg`, `kty` and `pub` (RFC 9964, 6).
    package func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError) {
        writer.name("alg")
        writer.string(parameterSet.algorithm.name)
        writePublicMembers(to: &writer)
    }

    package func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError) {
        guard isPrivate else { return }
        try writeSecret("priv", to: &writer)
    }

    package func publicMaterial() throws(JOSEError) -> any KeyMaterial {
        isPrivate ? try AKPKeyMaterial(parameterSet, pub: pub) : self
    }

    package func hasSamePublicKey(as other: any KeyMaterial) -> Bool {
        guard let other = other as? AKPKeyMaterial else { return false }
        return kind == other.kind && pub == other.pub
    }
}
