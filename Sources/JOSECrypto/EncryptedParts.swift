// Sizes of the parts and parameters of a message. Inlinable, so that they stay in registers.

internal import CJOSECrypto

/// The sizes of the decoded encrypted key, IV and tag, which are in one buffer in this order. The
/// tag takes the rest of the buffer.
@usableFromInline
package struct EncryptedParts: Sendable {
    /// 0 if the content encryption key is agreed on or shared.
    @usableFromInline package let encryptedKeyBytes: Int
    @usableFromInline package let ivBytes: Int

    @inlinable
    package init(encryptedKeyBytes: Int, ivBytes: Int) {
        self.encryptedKeyBytes = encryptedKeyBytes
        self.ivBytes = ivBytes
    }
}

/// The iterations of PBES2, and the sizes of `apu` and `apv`.
///
/// One buffer has the bytes: first the operation's own parameters (`parameterBytes`), absent for a
/// sender, then the decoded `apu` and `apv` of ECDH-ES.
@usableFromInline
package struct KeyParameters: Sendable {
    @usableFromInline package let partyUBytes: Int
    @usableFromInline package let partyVBytes: Int
    /// `p2c` of PBES2.
    @usableFromInline package let iterations: UInt32

    @inlinable
    package init(partyUBytes: Int = 0, partyVBytes: Int = 0, iterations: UInt32 = 0) {
        self.partyUBytes = partyUBytes
        self.partyVBytes = partyVBytes
        self.iterations = iterations
    }

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
