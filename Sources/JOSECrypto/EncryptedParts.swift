// What a received message consists of besides its ciphertext, lent as bytes. Public and inlinable, so that they are put
// together in the caller's registers.

internal import CJOSECrypto

/// The parts of a message that are read; the ciphertext is decrypted in its own place (RFC 7516 section 5.2).
@frozen
public struct EncryptedParts: ~Escapable {
    /// What is authenticated besides the ciphertext: the header's text as it was received.
    public let authenticated: Span<UInt8>
    /// Empty where the key was agreed upon or is shared.
    public let encryptedKey: Span<UInt8>
    /// The initialisation vector.
    public let iv: Span<UInt8>
    /// The authentication tag.
    public let tag: Span<UInt8>

    /// Parts that were decoded before.
    @inlinable
    @inline(__always)
    @_lifetime(copy authenticated, copy encryptedKey, copy iv, copy tag)
    public init(
        authenticated: Span<UInt8>, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>
    ) {
        self.authenticated = authenticated
        self.encryptedKey = encryptedKey
        self.iv = iv
        self.tag = tag
    }
}

/// What a header says to a key management operation besides names.
@frozen
public struct KeyParameters: ~Escapable {
    /// What the sender's operation put into the header; of no use to a sender.
    public let bytes: Span<UInt8>
    /// `apu` of ECDH-ES, decoded.
    public let partyU: Span<UInt8>
    /// `apv` of ECDH-ES, decoded.
    public let partyV: Span<UInt8>
    /// `p2c` of PBES2.
    public let iterations: UInt32

    /// Parameters; nothing where the algorithm has none.
    @inlinable
    @inline(__always)
    @_lifetime(copy bytes, copy partyU, copy partyV)
    public init(
        _ bytes: Span<UInt8> = Span(), partyU: Span<UInt8> = Span(), partyV: Span<UInt8> = Span(),
        iterations: UInt32 = 0
    ) {
        self.bytes = bytes
        self.partyU = partyU
        self.partyV = partyV
        self.iterations = iterations
    }

    /// Lends them to C.
    @inline(__always)
    func lend<R>(_ body: (jose_recipient) -> R) -> R {
        unsafe bytes.lend { bytes, count in
            unsafe partyU.lend { u, uCount in
                unsafe partyV.lend { v, vCount in
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
