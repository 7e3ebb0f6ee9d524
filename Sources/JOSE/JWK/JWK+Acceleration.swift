// Keys and sets that compute in another way.

import JOSECrypto

extension JWK {
    /// The same key, computing in another way; operations are prepared anew at first use. Its `publicKey`, and sets that are made of
    /// it, keep the way; texts do not have it.
    ///
    /// - Parameter acceleration: The way.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> JWK {
        let kept = prepared.options.intersection(.checksEverySignature)
        return computing(acceleration.options.union(kept))
    }

    /// The same key, which verifies each ECDSA, EdDSA and ML-DSA signature by a public copy held apart before it leaves: a
    /// fault of the machine then gives an error and no wrong signature, from which the key might be found.
    ///
    /// Costs one verification for each signature. RSA takes no notice: its signatures are always looked at, which costs
    /// 1 to 7 % of one. Nor does HMAC: a shared secret has no public copy, and a wrong MAC tells nothing of it.
    public func checkingEverySignature() -> JWK {
        computing(prepared.options.union(.checksEverySignature))
    }

    /// The same key with these options in place of its own.
    func computing(_ options: OperationOptions) -> JWK {
        var key = self
        key.prepared = PreparedKey(prepared.material, options: options, held: prepared.held)
        return key
    }
}

extension JWKSet {
    /// The same keys, each computing in another way; see `JWK.withAcceleration(_:)`.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> JWKSet {
        JWKSet(keys: keys.map { $0.withAcceleration(acceleration) }, skipped: skipped)
    }
}
