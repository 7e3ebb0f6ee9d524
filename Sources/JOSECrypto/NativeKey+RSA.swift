// RSA keys: import, generation, public and private numbers.

internal import CJOSECrypto

/// The primes and CRT exponents of an RSA private key (RFC 7518, 6.3.2).
package struct RSACRT: Sendable {
    package var p: SecretBytes
    package var q: SecretBytes
    package var dp: SecretBytes
    package var dq: SecretBytes
    package var qi: SecretBytes

    package init(
        p: SecretBytes, q: SecretBytes, dp: SecretBytes, dq: SecretBytes, qi: SecretBytes
    ) {
        self.p = p
        self.q = q
        self.dp = dp
        self.dq = dq
        self.qi = qi
    }
}

package enum RSAPrivatePart: UInt8, Sendable, CaseIterable {
    case d, p, q, dp, dq, qi

    var native: jose_rsa_part {
        switch self {
        case .d: .JOSE_RSA_D
        case .p: .JOSE_RSA_P
        case .q: .JOSE_RSA_Q
        case .dp: .JOSE_RSA_DP
        case .dq: .JOSE_RSA_DQ
        case .qi: .JOSE_RSA_QI
        }
    }
}

extension NativeKey {
    /// The default range of modulus sizes in bits.
    package static let defaultBits = 2048...8192

    /// Throws `unusableKey` for a size, exponent or modulus that `jose_rsa_public` forbids.
    package static func rsaPublic(
        modulus: Span<UInt8>, exponent: Span<UInt8>, allowsSmallExponent: Bool = false,
        bits: ClosedRange<Int> = defaultBits
    ) throws(CryptoError) -> NativeKey {
        var limits = rsaLimits(bits, allowsSmallExponent)
        var key: OpaquePointer?
        try check(
            unsafe modulus.withPointer { n, nCount in
                unsafe exponent.withPointer { e, eCount in
                    unsafe jose_rsa_public(&key, &limits, n, nCount, e, eCount)
                }
            })
        return try unsafe owned(key, .rsa)
    }

    /// Computes a missing `crt` (not with FIPS). Inconsistent numbers throw `unusableKey`.
    package static func rsaPrivate(
        modulus: Span<UInt8>, exponent: Span<UInt8>, privateExponent: SecretBytes, crt: RSACRT?,
        allowsSmallExponent: Bool = false, bits: ClosedRange<Int> = defaultBits
    ) throws(CryptoError) -> NativeKey {
        var limits = rsaLimits(bits, allowsSmallExponent)
        var key: OpaquePointer?
        let status = unsafe modulus.withPointer { n, nCount in
            unsafe exponent.withPointer { e, eCount in
                unsafe withParts(privateExponent, crt) { parts in
                    unsafe jose_rsa_private(&key, &limits, n, nCount, e, eCount, parts)
                }
            }
        }
        try check(status)
        return try unsafe owned(key, .rsa)
    }

    /// Generates a private key with exponent 65537, in tens to thousands of milliseconds. Throws
    /// `unusableKey` unless `bits` is a multiple of 8 from 2048 to 8192.
    package static func rsaGenerate(
        bits: Int, in module: CryptoModule = .process
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        try check(unsafe jose_rsa_generate(&key, module.native, UInt32(clamping: bits)))
        return try unsafe owned(key, .rsa)
    }

    /// Big-endian, without leading zeros.
    package func publicModulus() -> [UInt8] { publicNumber(0) }

    /// Big-endian, without leading zeros.
    package func publicExponent() -> [UInt8] { publicNumber(1) }

    /// Big-endian, without leading zeros. Throws `unusableKey` unless it is a private RSA key.
    package func rsaPrivateMember(_ part: RSAPrivatePart) throws(CryptoError) -> SecretBytes {
        try unsafe secret(count: jose_rsa_part_bytes(handle.pointer, part.native)) { out, count in
            unsafe jose_rsa_part_write(self.handle.pointer, part.native, out, count)
        }
    }
}

private func rsaLimits(_ bits: ClosedRange<Int>, _ allowsSmall: Bool) -> jose_rsa_limits {
    jose_rsa_limits(
        min_bits: UInt32(clamping: bits.lowerBound),
        max_bits: UInt32(clamping: bits.upperBound), allows_small_exponent: allowsSmall)
}

private func withParts(
    _ d: SecretBytes, _ crt: RSACRT?, _ body: (UnsafePointer<jose_number>?) -> jose_status
) -> jose_status {
    let secrets: [SecretBytes] =
        if let crt { [d, crt.p, crt.q, crt.dp, crt.dq, crt.qi] } else { [d] }
    var numbers = unsafe [jose_number](
        repeating: jose_number(bytes: nil, len: 0), count: Int(JOSE_RSA_PARTS))
    for (index, secret) in secrets.enumerated() {
        // Safe: the secrets outlive the call below, and nothing writes to them.
        unsafe numbers[index] = secret.withSpan {
            unsafe $0.withPointer { unsafe jose_number(bytes: $0, len: $1) }
        }
    }
    return withExtendedLifetime(secrets) {
        unsafe numbers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

extension NativeKey {
    /// Returns the block inside an RSA signature (RSAVP1, RFC 8017, 5.2.2), for explanations only.
    /// It does not show that the signature is valid. Throws `rejected` for a signature of another
    /// size than the modulus or not below it, `unusableKey` for another type of key.
    package func opened(rsaSignature signature: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: kind == .rsa ? sizeBytes : 0)
        var out = block.mutableSpan
        try check(
            unsafe out.withPointer { target, count in
                unsafe signature.withPointer { input, inputCount in
                    unsafe jose_rsa_open(handle.pointer, target, count, input, inputCount)
                }
            })
        return block
    }
}
