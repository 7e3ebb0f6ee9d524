// AKP keys: import and public key. `secretMember` returns the seed.

internal import CJOSECrypto

extension NativeKey {
    /// Imports a public key, which must have the parameter set's size (RFC 9964, 5).
    /// - Throws: `unusableKey` for a wrong size.
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

    /// Imports a private key from its seed; an empty public key is computed, and an empty expanded
    /// key ignored.
    /// - Throws: `unusableKey` for a wrong size, or keys that do not match the seed.
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

    /// Returns the public key.
    package func publicAKP() -> [UInt8] { publicNumber(0) }
}
