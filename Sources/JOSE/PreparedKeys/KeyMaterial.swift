// The protocol of key material, which one class per key type implements.

package import JOSEBytes
package import JOSECrypto
import Synchronization

/// The numbers of a key, without metadata such as `kid`. Immutable.
package protocol KeyMaterial: AnyObject, Sendable {
    /// Exactly one kind.
    var kind: KeyKind { get }
    var keyType: KeyType { get }
    /// The size in bits of the modulus, curve, AKP public key or symmetric key.
    var sizeBits: Int { get }
    var isPrivate: Bool { get }
    /// The only algorithm of an AKP key, whose JWK must name one; nil for other types.
    var boundAlgorithm: StaticString? { get }
    /// Returns the OpenSSL key. The first call makes it, and checks a public key.
    func native() throws(JOSEError) -> NativeKey
    /// Writes the required public members, with `kty`, in the order of RFC 7638, 3.2.
    func writePublicMembers(to writer: inout JSONWriter)
    /// Writes the members of a thumbprint (RFC 7638, 3.2).
    func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// Writes the private members; nothing for a public key.
    func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// Throws `keyUnusable` for a symmetric key.
    func publicMaterial() throws(JOSEError) -> any KeyMaterial
    /// SubjectPublicKeyInfo (RFC 5280, 4.1). Throws `keyUnusable` for a symmetric key.
    func publicDER() throws(JOSEError) -> [UInt8]
    /// PrivateKeyInfo (RFC 5958, 2). Throws `keyUnusable` for a public or symmetric key.
    func privateDER() throws(JOSEError) -> SecretBytes
    /// Whether a SubjectPublicKeyInfo (RFC 5280, 4.1) holds exactly this key.
    func isKey(inSPKI bytes: Span<UInt8>) -> Bool
    func hasSamePublicKey(as other: any KeyMaterial) -> Bool
}

extension KeyMaterial {
    package var boundAlgorithm: StaticString? { nil }

    package func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError) {
        writePublicMembers(to: &writer)
    }

    /// Compares with the one encoding that `publicDER` writes. A compressed point is not accepted.
    package func isKey(inSPKI bytes: Span<UInt8>) -> Bool {
        guard let own = try? publicDER() else { return false }
        return equal(bytes, own.span)
    }

    /// `d`, `priv` or `k`; not for RSA.
    func secretMember() throws(JOSEError) -> SecretBytes {
        let key = try native()
        do {
            return try key.secretMember()
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    func writeSecret(_ name: StaticString, to writer: inout JSONWriter) throws(JOSEError) {
        let secret = try secretMember()
        writer.name(name)
        secret.withSpan { writer.string(secretBase64URL: $0) }
    }
}

struct LazyNativeKey: ~Copyable, Sendable {
    private let made: Lock<NativeKey?>

    init(_ key: NativeKey? = nil) { made = Lock(key) }

    /// Returns the key; the first call makes it. If two threads make it, the first one is kept.
    /// `unusable`, `unsupported` and `rejected` replace the usual errors.
    func get(
        unusable: JOSEError? = nil, unsupported: JOSEError? = nil, rejected: JOSEError? = nil,
        _ make: () throws(CryptoError) -> NativeKey
    ) throws(JOSEError) -> NativeKey {
        if let key = made.withLock({ $0 }) { return key }
        let key: NativeKey
        do {
            key = try make()
        } catch {
            throw (error == .unusableKey ? unusable : error == .unsupported ? unsupported : nil)
                ?? JOSEError(error, ifRejected: rejected ?? .internalFailure)
        }
        return made.withLock { kept in
            if let kept { return kept }
            kept = key
            return key
        }
    }
}
