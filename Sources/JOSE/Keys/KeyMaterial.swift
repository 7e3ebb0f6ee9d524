// What a key of any type must be able to do; one class per key type implements it.

package import JOSEBytes
package import JOSECrypto

/// The numbers of a key: immutable, checked, without any metadata.
package protocol KeyMaterial: AnyObject, Sendable {
    var keyType: KeyType { get }
    /// The size that a person would name: modulus bits, curve bits.
    var sizeBits: Int { get }
    var isPrivate: Bool { get }
    /// The checked OpenSSL key; made at first use and kept.
    func native() throws(JOSEError) -> NativeKey
    /// Writes the required public members in the order of RFC 7638, 3.2, `kty` among them.
    func writePublicMembers(to writer: inout JSONWriter)
    /// Writes the private members; nothing for a public key.
    func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError)
    /// The same key without its private part.
    func publicMaterial() -> any KeyMaterial
    /// Whether the first certificate of a chain holds exactly this key.
    func isKey(ofLeaf chain: CertificateChain) -> Bool
    /// Whether two keys have the same public numbers.
    func hasSamePublicKey(as other: any KeyMaterial) -> Bool
}
