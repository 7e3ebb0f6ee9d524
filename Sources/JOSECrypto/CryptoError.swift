// How a cryptographic call fails, and the one place where a C status becomes a Swift error.

internal import CJOSECrypto

/// Why a cryptographic call gave no result; it tells nothing about the secret.
package enum CryptoError: Error {
    /// The signature, tag or ciphertext is not right.
    case rejected
    /// The key breaks a rule: size, exponent, consistency, purpose.
    case unusableKey
    /// Memory, random numbers, the provider, or a caller's wrong length.
    case failure
    /// The libcrypto that runs does not have what this takes.
    case unsupported
}

/// Turns a status into a throw.
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
