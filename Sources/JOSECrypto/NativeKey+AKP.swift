// AKP keys: import and public key. `NativeKey.secretMember` returns the seed.

internal import CJOSECrypto

extension NativeKey {
    /// Throws `unusableKey` unless `pub` has the parameter set's size (RFC 9964, 5).
    package static func akpPublic(
        _ set: NativeCurve, pub: Span<UInt8>
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        try check(
            unsafe pub.withPointer { pub, count in
                unsafe jose_akp_public(&key, set.native, pub, count)
            })
        return try unsafe owned(key, .curve(set))
    }

    /// Imports a private key from its seed. An empty `pub` is computed; `expanded` may be empty.
    /// Throws `unusableKey` for a wrong size, or if `pub` or `expanded` does not match the seed.
    package static func akpPrivate(
        _ set: NativeCurve, pub: Span<UInt8>, seed: SecretBytes, expanded: Span<UInt8>
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status = unsafe pub.withPointer { pub, pubCount in
            unsafe expanded.withPointer { expanded, expandedCount in
                seed.withSpan { seed in
                    unsafe seed.withPointer { seed, seedCount in
                        unsafe jose_akp_private(
                            &key, set.native, pub, pubCount, seed, seedCount, expanded,
                            expandedCount)
                    }
                }
            }
        }
        try check(status)
        return try unsafe owned(key, .curve(set))
    }

    package func publicAKP() -> [UInt8] { publicNumber(0) }
}
