// Digests with SHA-1 and SHA-2, and HMAC.

internal import CJOSECrypto

package enum HashAlgorithm: UInt8, Sendable, CaseIterable {
    case sha1, sha256, sha384, sha512

    package var digestBytes: Int { jose_hash_bytes(native) }

    var native: jose_hash {
        switch self {
        case .sha1: .JOSE_SHA1
        case .sha256: .JOSE_SHA256
        case .sha384: .JOSE_SHA384
        case .sha512: .JOSE_SHA512
        }
    }
}

package enum Hash {
    /// Appends the digest; needs a free capacity of `digestBytes`.
    package static func digest(
        _ algorithm: HashAlgorithm, _ bytes: Span<UInt8>, into out: inout OutputSpan<UInt8>
    ) throws(CryptoError) {
        let count = algorithm.digestBytes
        guard out.freeCapacity >= count else { throw .failure }
        // Safe: C writes exactly `count` bytes, for which there is capacity.
        let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
            let target = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
            let status = unsafe bytes.withPointer { input, inputCount in
                unsafe jose_hash_digest(algorithm.native, target, count, input, inputCount)
            }
            if status == .JOSE_OK { initialized += count }
            return status
        }
        try check(status)
    }

    package static func digest(
        _ algorithm: HashAlgorithm, _ bytes: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: algorithm.digestBytes)
        var out = result.mutableSpan
        try check(
            unsafe out.withPointer { target, count in
                unsafe bytes.withPointer { input, inputCount in
                    unsafe jose_hash_digest(algorithm.native, target, count, input, inputCount)
                }
            })
        return result
    }
}

package enum HMAC {
    /// Compare codes with `equalConstantTime`.
    package static func code(
        _ algorithm: HashAlgorithm, key: Span<UInt8>, _ message: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: algorithm.digestBytes)
        var out = result.mutableSpan
        try check(
            unsafe out.withPointer { target, count in
                unsafe key.withPointer { keyBytes, keyCount in
                    unsafe message.withPointer { input, inputCount in
                        unsafe jose_hmac(
                            algorithm.native, target, count, keyBytes, keyCount, input, inputCount)
                    }
                }
            })
        return result
    }
}
