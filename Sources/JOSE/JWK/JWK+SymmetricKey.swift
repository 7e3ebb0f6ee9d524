// Symmetric keys in and out as bytes.

import JOSECrypto

extension JWK {
    /// A symmetric key, `oct`, from bytes that both sides share (RFC 7518, 6.4).
    ///
    /// - Parameters:
    ///   - bytes: The key: an array, or `Data`. It is copied into memory that is wiped; the caller
    ///     wipes its own copy. A password is no key.
    ///   - keyID: The `kid`.
    ///   - use: The `use`.
    ///   - algorithm: The `alg`, such as `.hs256`.
    /// - Throws: `keyUnusable` for no bytes or more than 65,536, and for an algorithm that takes
    ///   other keys, another size or another use. A name that this library does not know is not
    ///   checked.
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

    /// A symmetric key from bytes that must not be copied into an array.
    package init(symmetricKey bytes: Span<UInt8>) throws(JOSEError) {
        self.init(try OctKeyMaterial(SecretBytes(copying: bytes)))
    }

    /// Lends the bytes of a symmetric key for one use; they are wiped afterwards.
    ///
    /// - Throws: `keyUnusable` for a key of another type, and what `body` throws.
    public func withSymmetricKey<Result>(
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard let material = prepared.material as? OctKeyMaterial else {
            throw .keyUnusable("the key is not symmetric")
        }
        return try material.secretMember().withSpan(body)
    }
}
