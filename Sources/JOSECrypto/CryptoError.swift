// The errors of cryptographic calls.

internal import CJOSECrypto

/// Why a cryptographic call failed. Reveals nothing about secrets.
package enum CryptoError: Error {
    /// The signature, tag, ciphertext or other input is wrong.
    case rejected
    /// The key violates a rule: size, exponent, consistency, purpose.
    case unusableKey
    /// Memory, random numbers or libcrypto failed, or the caller passed a wrong length.
    case failure
    /// The installed libcrypto or the FIPS provider does not support the operation.
    case unsupported
}

@inline(__always)
func check(_ status: jose_status) throws(CryptoError) {
    switch status {
    case .JOSE_OK: return
    case .JOSE_REJECTED: throw .rejected
    case .JOSE_BAD_KEY: throw .unusableKey
    case .JOSE_INTERNAL: throw .failure
    case .JOSE_UNSUPPORTED: throw .unsupported
    }
}
