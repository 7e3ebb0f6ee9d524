// Keys for an algorithm that is given as a value: its name becomes `alg`, and a key that does not fit it is refused.

import JOSEBytes

extension JWK {
    /// A symmetric key for a MAC; see `init(symmetricKey:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public init(
        symmetricKey bytes: some Collection<UInt8>, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: SignatureAlgorithm
    ) throws(JOSEError) {
        self = try JWK(symmetricKey: bytes, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// A symmetric key for a key management algorithm; see `init(symmetricKey:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public init(
        symmetricKey bytes: some Collection<UInt8>, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) {
        self = try JWK(symmetricKey: bytes, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    func fitting(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
        try fitting(.signing(algorithm), algorithm.symmetricKeyBytes)
    }

    func fitting(_ algorithm: KeyManagementAlgorithm) throws(JOSEError) -> JWK {
        try fitting(.decrypting(algorithm), algorithm.symmetricKeyBytes)
    }

    private func fitting(
        _ query: KeyQuery, _ size: SymmetricKeySize?
    ) throws(JOSEError) -> JWK {
        let fit = fit(query)
        guard fit == .fits else { throw fit.error(query, names) }
        if keyType == .oct, let size { try size.check(bits: sizeBits, query.algorithm) }
        return self
    }
}
