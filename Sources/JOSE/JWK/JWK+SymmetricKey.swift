// Symmetric keys from bytes, and as bytes.

import JOSECrypto

extension JWK {
    /// Creates a symmetric key, `oct`, from shared secret bytes (RFC 7518, 6.4).
    ///
    /// - Parameters:
    ///   - bytes: The key, as an array or `Data`, which is copied into memory that is wiped. Wipe
    ///     your own copy. Do not use a password as a key.
    ///   - keyID: The `kid`.
    ///   - use: The `use`.
    ///   - algorithm: The `alg`, such as `.hs256`.
    /// - Throws: `keyUnusable` for no bytes or more than 65,536, or if `algorithm` needs another
    ///   kind of key, another size or another use. An unregistered algorithm name is not checked.
    public init(
        symmetricKey bytes: some Collection<UInt8>, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: JOSEAlgorithm? = nil
    ) throws(JOSEError) {
        self.init(try OctKeyMaterial(SecretBytes(copying: bytes)))
        self.keyID = keyID
        self.use = use
        self.algorithm = algorithm
        try checkAlgorithm()
    }

    /// Creates a symmetric key from bytes that must not be copied into an array.
    package init(symmetricKey bytes: Span<UInt8>) throws(JOSEError) {
        self.init(try OctKeyMaterial(SecretBytes(copying: bytes)))
    }

    /// Passes a copy of a symmetric key's bytes to `body`, and wipes the copy afterwards.
    ///
    /// - Throws: `keyUnusable` for a key of another type, and the errors of `body`.
    public func withSymmetricKey<Result>(
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard let material = prepared.material as? OctKeyMaterial else {
            throw .keyUnusable("the key is not symmetric")
        }
        return try material.secretMember().withSpan(body)
    }
}
