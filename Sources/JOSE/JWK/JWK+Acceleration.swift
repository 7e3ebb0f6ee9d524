// The choice of implementations for a key or a set.

import JOSECrypto

extension JWK {
    /// Returns the same key with other implementations. Its operations are prepared again at first
    /// use.
    ///
    /// Its `publicKey`, and sets made from it, keep the choice; JSON does not.
    ///
    /// - Parameter acceleration: The implementations to use.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> JWK {
        let kept = prepared.options.intersection(.checksEverySignature)
        return withOptions(acceleration.options.union(kept))
    }

    /// Returns the same key, which verifies each ECDSA, EdDSA and ML-DSA signature with a separate
    /// copy of the public key before it returns the signature.
    ///
    /// A hardware fault then causes an error instead of a faulty signature, which might reveal the
    /// private key. Costs one verification for each signature. RSA signatures are always verified,
    /// at 1 to 7 % of a signature's cost. HMAC is never verified: a shared secret has no public
    /// copy, and a wrong MAC reveals nothing of the secret.
    public func checkingEverySignature() -> JWK {
        withOptions(prepared.options.union(.checksEverySignature))
    }

    /// Returns the same key with these options instead of its own.
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
