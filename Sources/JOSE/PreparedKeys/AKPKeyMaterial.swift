// Keys of type AKP (algorithm key pair): ML-DSA keys, each for one algorithm.

package import JOSEBytes
package import JOSECrypto

/// The one algorithm of an AKP key, and its parameter set in C.
package struct AKPParameterSet: Sendable {
    package let algorithm: SignatureAlgorithm
    let native: NativeCurve

    package static let all: [AKPParameterSet] = SignatureAlgorithm.entries.compactMap { algorithm in
        guard let entry = KeyKindEntry.entry(algorithm.kinds), entry.type == .akp,
            case .curve(let native) = entry.native
        else { return nil }
        return AKPParameterSet(algorithm: algorithm, native: native)
    }

    package static func of(_ kind: KeyKind) -> AKPParameterSet? {
        all.first { $0.algorithm.kinds == kind }
    }
}

/// An AKP key (RFC 9964, 3).
package final class AKPKeyMaterial: KeyMaterial {
    package let parameterSet: AKPParameterSet
    package let pub: [UInt8]
    package let isPrivate: Bool
    private let nativeKey: LazyNativeKey

    package var kind: KeyKind { parameterSet.algorithm.kinds }
    package var keyType: KeyType { .akp }
    /// The size of the public key: ML-DSA names no key size in bits.
    package var sizeBits: Int { 8 * pub.count }
    package var boundAlgorithm: StaticString? { parameterSet.algorithm.staticName }

    package init(_ set: AKPParameterSet, pub: [UInt8]) throws(JOSEError) {
        guard pub.count == set.native.sizeBytes else { throw AKPKeyMaterial.wrongSize }
        parameterSet = set
        self.pub = pub
        isPrivate = false
        nativeKey = LazyNativeKey()
    }

    /// Checks all parts. An empty `pub` is computed; an empty `expanded` means that there is none.
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
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        self.init(key, set)
    }

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

    /// Writes no `alg`, which is among the metadata of the JWK.
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
