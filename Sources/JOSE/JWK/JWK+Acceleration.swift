// Selects the implementations that compute with a key or with the keys of a set.

import JOSECrypto

extension JWK {
    /// Returns the same key with other implementations. Operations are prepared again at first use.
    ///
    /// - Parameter acceleration: The implementations to use. The key's `publicKey`, and sets made
    ///   from the key, keep them. JSON does not.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> JWK {
        let kept = prepared.options.intersection(.checksEverySignature)
        return withOptions(acceleration.options.union(kept))
    }

    /// Returns the same key, which verifies each ECDSA, EdDSA and ML-DSA signature with a separate
    /// copy of the public key before it returns the signature.
    ///
    /// A hardware fault then causes an error instead of a faulty signature, which might reveal the
    /// private key. Costs one verification for each signature. RSA signatures are always verified,
    /// at 1 to 7 % of a signature's cost. HMAC is never verified: a wrong MAC reveals nothing of
    /// the shared secret.
    public func checkingEverySignature() -> JWK {
        withOptions(prepared.options.union(.checksEverySignature))
    }

    func withOptions(_ options: OperationOptions) -> JWK {
        var key = self
        key.prepared = PreparedKey(
            prepared.material, options: options, externalKey: prepared.externalKey)
        return key
    }
}

extension JWKSet {
    /// Returns the same keys with other implementations; see `JWK.withAcceleration(_:)`.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> JWKSet {
        JWKSet(keys: keys.map { $0.withAcceleration(acceleration) }, skipped: skipped)
    }
}
