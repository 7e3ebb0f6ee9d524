// What a key of any type must be able to do; one class per key type implements it.

package import JOSEBytes
package import JOSECrypto

/// The numbers of a key: immutable, checked, without any metadata.
package protocol KeyMaterial: AnyObject, Sendable {
    /// Its one kind.
    var kind: KeyKind { get }
    var keyType: KeyType { get }
    /// The size that a person would name: modulus bits, curve bits.
    var sizeBits: Int { get }
    var isPrivate: Bool { get }
    /// The only algorithm that the numbers are for, where the key type demands that the JWK says it; else nil.
    var boundAlgorithm: StaticString? { get }
    /// The checked OpenSSL key; made at first use and kept.
    func native() throws(JOSEError) -> NativeKey
    /// Writes the required public members in the order of RFC 7638, 3.2, `kty` among them.
    func writePublicMembers(to writer: inout JSONWriter)
    /// Writes what a thumbprint is made of; the public members, unless the type has none.
    func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// Writes the private members; nothing for a public key.
    func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// The same key without its private part; throws `keyUnusable` where there is none.
    func publicMaterial() throws(JOSEError) -> any KeyMaterial
    /// SubjectPublicKeyInfo (RFC 5280, 4.1); throws `keyUnusable` where there is none.
    func publicDER() throws(JOSEError) -> [UInt8]
    /// PrivateKeyInfo (RFC 5958, 2); throws `keyUnusable` where there is none.
    func privateDER() throws(JOSEError) -> SecretBytes
    /// Whether a SubjectPublicKeyInfo (RFC 5280, 4.1) holds exactly this key.
    func isKey(inSPKI bytes: Span<UInt8>) -> Bool
    /// Whether two keys have the same public numbers.
    func hasSamePublicKey(as other: any KeyMaterial) -> Bool
}

extension KeyMaterial {
    package var boundAlgorithm: StaticString? { nil }

    package func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError) {
        writePublicMembers(to: &writer)
    }
}
