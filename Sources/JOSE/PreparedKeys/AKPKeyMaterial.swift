// Algorithm key pairs: keys that are for the one algorithm that they name.

package import JOSEBytes
package import JOSECrypto
import Synchronization

/// What an algorithm key pair is for: the algorithm, and what C calls its parameter set.
package struct AKPParameterSet: Sendable {
    package let algorithm: SignatureAlgorithm
    let native: NativeCurve

    /// The algorithms whose keys are of this type.
    package static let all: [AKPParameterSet] = SignatureAlgorithm.rows.compactMap { algorithm in
        guard let row = KeyKindEntry.row(algorithm.kinds), row.type == .akp,
            case .curve(let native) = row.native
        else { return nil }
        return AKPParameterSet(algorithm: algorithm, native: native)
    }

    /// The set of a kind; nil for kinds of other types.
    package static func of(_ kind: KeyKind) -> AKPParameterSet? {
        all.first { $0.algorithm.kinds == kind }
    }
}

/// An algorithm key pair (RFC 9964, 3).
package final class AKPKeyMaterial: KeyMaterial {
    package let parameterSet: AKPParameterSet
    /// The public key; exactly the parameter set's size.
    package let pub: [UInt8]
    package let isPrivate: Bool
    private let made: Lock<NativeKey?>

    package var kind: KeyKind { parameterSet.algorithm.kinds }
    package var keyType: KeyType { .akp }
    /// Nobody names these keys by a size: that of the public key.
    package var sizeBits: Int { 8 * pub.count }
    package var boundAlgorithm: StaticString? { parameterSet.algorithm.word }

    /// A public key.
    package init(_ set: AKPParameterSet, pub: [UInt8]) throws(JOSEError) {
        guard pub.count == set.native.sizeBytes else { throw AKPKeyMaterial.wrongSize }
        parameterSet = set
        self.pub = pub
        isPrivate = false
        made = Lock(nil)
    }

    /// A private key from its seed, checked whole; an empty public key is computed, an empty expanded one not looked at.
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

    /// A key that was made or checked whole.
    package init(_ key: NativeKey, _ set: AKPParameterSet) {
        parameterSet = set
        pub = key.publicAKP()
        isPrivate = key.isPrivate
        made = Lock(key)
    }

    static let seedBytes = 32
    static let wrongSize = JOSEError.malformed(
        .key, "a public key or a seed has not the size that its algorithm has")

    package func native() throws(JOSEError) -> NativeKey {
        if let key = made.withLock({ $0 }) { return key }
        let pub = self.pub
        let key: NativeKey
        do {
            key = try NativeKey.akpPublic(parameterSet.native, pub: pub.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        return made.withLock { kept in
            if let kept { return kept }
            kept = key
            return key
        }
    }

    /// Without `alg`, which stands among the metadata of every JWK.
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
        let seed = try secretMember()
        writer.name("priv")
        seed.withSpan { writer.string(secretBase64URL: $0) }
    }

    /// The seed.
    func secretMember() throws(JOSEError) -> SecretBytes {
        let key = try native()
        do {
            return try key.secretMember()
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    package func publicMaterial() -> any KeyMaterial {
        isPrivate ? AKPKeyMaterial(publicPartOf: self) : self
    }

    package func hasSamePublicKey(as other: any KeyMaterial) -> Bool {
        guard let other = other as? AKPKeyMaterial else { return false }
        return kind == other.kind && pub == other.pub
    }

    private init(publicPartOf other: AKPKeyMaterial) {
        parameterSet = other.parameterSet
        pub = other.pub
        isPrivate = false
        made = Lock(nil)
    }
}
