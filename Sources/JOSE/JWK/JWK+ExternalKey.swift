// Keys whose private operations run elsewhere: in an external key, or on a pool's threads.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// Returns the same key with an external key as its private part: a device or a service that
    /// signs, unwraps or agrees.
    ///
    /// - Parameters:
    ///   - externalKey: Has the private part of this key.
    ///   - options: Limits on concurrency, waiting and time, and an observer of failures. All
    ///     copies of the returned key share these limits, so call this function once for a key.
    /// - Throws: `misuse` for a private key and for options that allow no operation, `keyUnusable`
    ///   for a symmetric or an invalid public key, `unsupported` if libcrypto lacks its algorithm.
    ///
    /// Use the result as a private key, with the asynchronous calls, those with a `timeout`
    /// parameter. Synchronous calls and private JSON throw `misuse`. The external key is not
    /// trusted: each signature is verified with the public key before it is returned. No call falls
    /// back to a key in memory.
    public func withExternalKey(
        _ externalKey: some ExternalKey, options: ExternalKeyOptions = .standard
    ) throws(JOSEError) -> JWK {
        guard prepared.material.kind.isDisjoint(with: .oct) else {
            throw .keyUnusable("a symmetric key has no public part to use with an external key")
        }
        guard !isPrivate else {
            throw .misuse("the key is private already: pass its public key")
        }
        // Rejects an invalid public key before the external key is used.
        _ = try prepared.material.native()
        var key = self
        key.prepared = PreparedKey(
            prepared.material, options: prepared.options,
            externalKey: try ExternalKeyBinding(externalKey, options, keyID: keyID))
        key.keyOperations = keyOperations?.ofPrivateKey
        return key
    }
}

extension JWK {
    /// Returns the same RSA private key, whose operations run on the threads of a pool.
    ///
    /// - Parameters:
    ///   - pool: The threads, which several keys may share.
    ///   - options: As for `withExternalKey(_:options:)`.
    /// - Throws: `keyUnusable` for a key that is not an RSA private key, or has more than 8,192
    ///   bits; `misuse` for an external key, for `KeyAcceleration.openSSLOnly`, for a FIPS provider
    ///   of the key or the process, and for options that allow no operation.
    ///
    /// Call `withAcceleration(_:)` before this function. If the acceleration of the returned key,
    /// or of a `JWKSet` with it, is changed afterwards, each use of the key throws `misuse`.
    ///
    /// Use the asynchronous calls, those with a `timeout` parameter. Each signature is verified a
    /// second time with the public key, which adds 2 % to its cost.
    public func served(
        by pool: PrivateKeyPool, options: ExternalKeyOptions = .standard
    ) throws(JOSEError) -> JWK {
        try prepared.checkIsLocal()
        guard keyType == .rsa, isPrivate, prepared.material.sizeBits <= 8_192 else {
            throw .keyUnusable(
                "a PrivateKeyPool needs an RSA private key of at most 8,192 bits")
        }
        guard prepared.options.isDisjoint(with: PooledKey.unsupported),
            FIPSProvider.ofProcess == nil
        else {
            throw .unsupportedByPool
        }
        let pooled = PooledKey(
            prepared,
            ExternalKeyCapabilities(
                signatures: SignatureAlgorithm.all.filter { match(.signing($0)) == .matches },
                keyManagement: KeyManagementAlgorithm.all.filter {
                    match(.decrypting($0)) == .matches
                }),
            pool)
        var key = try publicKey.withExternalKey(pooled, options: options)
        key.keyOperations = keyOperations
        return key
    }
}

extension KeyOperations {
    private static let pairs: [(private: KeyOperations, public: KeyOperations)] = [
        (.sign, .verify), (.decrypt, .encrypt), (.unwrapKey, .wrapKey),
    ]

    var ofPublicKey: KeyOperations {
        var operations = self
        for pair in KeyOperations.pairs where operations.remove(pair.private) != nil {
            operations.insert(pair.public)
        }
        return operations
    }

    var ofPrivateKey: KeyOperations {
        var operations = self
        for pair in KeyOperations.pairs where operations.remove(pair.public) != nil {
            operations.insert(pair.private)
        }
        return operations
    }
}
