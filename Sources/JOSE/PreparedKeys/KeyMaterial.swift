// The interface of key material: one class per key type implements it.

package import JOSEBytes
package import JOSECrypto
import Synchronization

/// The numbers of a key: immutable, checked, without any metadata.
package protocol KeyMaterial: AnyObject, Sendable {
    /// The kind of the key: exactly one.
    var kind: KeyKind { get }
    var keyType: KeyType { get }
    /// The size by which people name the key: modulus bits, curve bits.
    var sizeBits: Int { get }
    var isPrivate: Bool { get }
    /// The only algorithm of the key, for key types whose JWK must name one (AKP); else nil.
    var boundAlgorithm: StaticString? { get }
    /// Returns the checked OpenSSL key, which is made at first use and kept.
    func native() throws(JOSEError) -> NativeKey
    /// Writes the required public members, with `kty`, in the order of RFC 7638, 3.2.
    func writePublicMembers(to writer: inout JSONWriter)
    /// Writes the members of a thumbprint: the public members, if the type has any.
    func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// Writes the private members; nothing for a public key.
    func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// Returns the key without its private part; throws `keyUnusable` if it has no public part.
    func publicMaterial() throws(JOSEError) -> any KeyMaterial
    /// Returns SubjectPublicKeyInfo (RFC 5280, 4.1); throws `keyUnusable` if there is none.
    func publicDER() throws(JOSEError) -> [UInt8]
    /// Returns PrivateKeyInfo (RFC 5958, 2); throws `keyUnusable` if there is none.
    func privateDER() throws(JOSEError) -> SecretBytes
    /// Returns whether a SubjectPublicKeyInfo (RFC 5280, 4.1) holds exactly this key.
    func isKey(inSPKI bytes: Span<UInt8>) -> Bool
    /// Returns whether two keys have the same public numbers.
    func hasSamePublicKey(as other: any KeyMaterial) -> Bool
}

extension KeyMaterial {
    package var boundAlgorithm: StaticString? { nil }

    package func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError) {
        writePublicMembers(to: &writer)
    }

    /// Compares with the one encoding of this key. A compressed point is another encoding, and is
    /// not accepted.
    package func isKey(inSPKI bytes: Span<UInt8>) -> Bool {
        guard let own = try? publicDER() else { return false }
        return equal(bytes, own.span)
    }

    /// The one secret of a key that is not RSA: `d`, `priv` or `k`.
    func secretMember() throws(JOSEError) -> SecretBytes {
        let key = try native()
        do {
            return try key.secretMember()
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// Writes the one secret of a key that is not RSA.
    func writeSecret(_ name: StaticString, to writer: inout JSONWriter) throws(JOSEError) {
        let secret = try secretMember()
        writer.name(name)
        secret.withSpan { writer.string(secretBase64URL: $0) }
    }
}

/// An OpenSSL key that is made at first use and kept.
struct LazyNativeKey: ~Copyable, Sendable {
    private let made: Lock<NativeKey?>

    init(_ key: NativeKey? = nil) { made = Lock(key) }

    /// Returns the key. Of two that are made at the same time the first is kept.
    ///
    /// - Parameters:
    ///   - unusable: The error for a key that breaks a rule; nil for the usual one.
    ///   - unsupported: The error for a key that the provider does not have; nil for the usual one.
    ///   - rejected: The error for a key that libcrypto rejects.
    ///   - make: Makes the key.
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
                ?? JOSEError(error, rejected: rejected ?? .internalFailure)
        }
        return made.withLock { kept in
            if let kept { return kept }
            kept = key
            return key
        }
    }
}
