// What a received message consists of besides its ciphertext: sizes of what stands behind each other in one lent buffer.
// Inlinable, so that they are put together in the caller's registers.

internal import CJOSECrypto

/// The decoded parts of a message that are read, behind each other: the encrypted key, the initialisation vector and, up to
/// the end, the authentication tag; the ciphertext is decrypted in its own place (RFC 7516 section 5.2).
@usableFromInline
package struct EncryptedParts: Sendable {
    /// 0 where the key was agreed upon or is shared.
    @usableFromInline package let encryptedKeyBytes: Int
    @usableFromInline package let ivBytes: Int

    @inlinable
    package init(encryptedKeyBytes: Int, ivBytes: Int) {
        self.encryptedKeyBytes = encryptedKeyBytes
        self.ivBytes = ivBytes
    }
}

/// What a header says to a key management operation besides names. Its bytes stand behind each other: what the sender's
/// operation put there, which is of no use to a sender, then `apu` and `apv` of ECDH-ES, decoded.
@usableFromInline
package struct KeyParameters: Sendable {
    @usableFromInline package let partyUBytes: Int
    @usableFromInline package let partyVBytes: Int
    /// `p2c` of PBES2.
    @usableFromInline package let iterations: UInt32

    /// Parameters; nothing but the operation's own bytes where the algorithm has no more.
    @inlinable
    package init(partyUBytes: Int = 0, partyVBytes: Int = 0, iterations: UInt32 = 0) {
        self.partyUBytes = partyUBytes
        self.partyVBytes = partyVBytes
        self.iterations = iterations
    }

    /// Lends them, with their bytes, to C.
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
