// The parts of a received message besides its ciphertext, as sizes within one buffer. Inlinable, so
// that they stay in the caller's registers.

internal import CJOSECrypto

/// The sizes of the decoded parts in one buffer: the encrypted key, the initialisation vector and,
/// up to the end, the authentication tag. The ciphertext is decrypted in place (RFC 7516, 5.2).
@usableFromInline
package struct EncryptedParts: Sendable {
    /// The size of the encrypted key; 0 if the key is agreed on or shared.
    @usableFromInline package let encryptedKeyBytes: Int
    @usableFromInline package let ivBytes: Int

    @inlinable
    package init(encryptedKeyBytes: Int, ivBytes: Int) {
        self.encryptedKeyBytes = encryptedKeyBytes
        self.ivBytes = ivBytes
    }
}

/// The header values of a key management operation besides names.
///
/// Their bytes are in one buffer: first the operation's own parameters, which a sender ignores,
/// then the decoded `apu` and `apv` of ECDH-ES.
@usableFromInline
package struct KeyParameters: Sendable {
    @usableFromInline package let partyUBytes: Int
    @usableFromInline package let partyVBytes: Int
    /// `p2c` of PBES2.
    @usableFromInline package let iterations: UInt32

    /// Creates the sizes; the defaults suit algorithms without party information and iterations.
    @inlinable
    package init(partyUBytes: Int = 0, partyVBytes: Int = 0, iterations: UInt32 = 0) {
        self.partyUBytes = partyUBytes
        self.partyVBytes = partyVBytes
        self.iterations = iterations
    }

    /// Calls `body` with the C structure of the values.
    @inline(__always)
    func withPointer<R>(_ values: Span<UInt8>, _ body: (jose_recipient) -> R) -> R {
        let partyVStart = values.count - partyVBytes
        let partyUStart = partyVStart - partyUBytes
        let bytes = values.extracting(0..<partyUStart)
        let partyU = values.extracting(partyUStart..<partyVStart)
        let partyV = values.extracting(partyVStart..<values.count)
        return unsafe bytes.withPointer { bytes, count in
            unsafe partyU.withPointer { u, uCount in
                unsafe partyV.withPointer { v, vCount in
                    unsafe body(
                        jose_recipient(
                            parameters: bytes, parameters_len: count, party_u: u,
                            party_u_len: uCount, party_v: v, party_v_len: vCount,
                            iterations: iterations))
                }
            }
        }
    }
}
