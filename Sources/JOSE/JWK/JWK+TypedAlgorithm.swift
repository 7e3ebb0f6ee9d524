// Keys for an algorithm that is given as a value: its name becomes `alg`, and a key that does not fit it is refused.

import JOSEBytes

extension JWK {
    /// Makes an RSA key for a signature algorithm; see `generate(rsaBits:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without RSA keys or another use.
    public static func generate(
        rsaBits: Int = 2048, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> JWK {
        try algorithm.takes(.rsa)
        return try generate(rsaBits: rsaBits, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// Makes an RSA key for a key management algorithm; see `generate(rsaBits:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without RSA keys or another use.
    public static func generate(
        rsaBits: Int = 2048, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) -> JWK {
        try algorithm.takes(.rsa)
        return try generate(rsaBits: rsaBits, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// Makes a key on a curve for a signature algorithm; see `generate(curve:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm with other curves or another use.
    public static func generate(
        curve: JWKCurve, keyID: String? = nil, use: KeyUse? = nil, algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> JWK {
        try generate(curve: curve, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// Makes a key on a curve for a key management algorithm; see `generate(curve:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm with other curves or another use.
    public static func generate(
        curve: JWKCurve, keyID: String? = nil, use: KeyUse? = nil, algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) -> JWK {
        try generate(curve: curve, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// Makes a symmetric key for a MAC; see `generate(symmetricBits:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public static func generate(
        symmetricBits: Int, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> JWK {
        try generate(
            symmetricBits: symmetricBits, keyID: keyID, use: use, algorithm: algorithm.name
        ).fitting(algorithm)
    }

    /// Makes a symmetric key for a key management algorithm; see `generate(symmetricBits:keyID:use:algorithm:)` with a
    /// name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public static func generate(
        symmetricBits: Int, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) -> JWK {
        try generate(
            symmetricBits: symmetricBits, keyID: keyID, use: use, algorithm: algorithm.name
        ).fitting(algorithm)
    }

    /// A symmetric key for a MAC; see `init(symmetricKey:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public init(
        symmetricKey bytes: [UInt8], keyID: String? = nil, use: KeyUse? = nil,
        algorithm: SignatureAlgorithm
    ) throws(JOSEError) {
        self = try JWK(symmetricKey: bytes, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    /// A symmetric key for a key management algorithm; see `init(symmetricKey:keyID:use:algorithm:)` with a name.
    ///
    /// - Throws: As there, and `keyUnusable` for an algorithm without such keys, one of another size, or another use.
    public init(
        symmetricKey bytes: [UInt8], keyID: String? = nil, use: KeyUse? = nil,
        algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) {
        self = try JWK(symmetricKey: bytes, keyID: keyID, use: use, algorithm: algorithm.name)
            .fitting(algorithm)
    }

    private func fitting(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
        try fitting(.signing(algorithm), algorithm.symmetricKeyBytes)
    }

    private func fitting(_ algorithm: KeyManagementAlgorithm) throws(JOSEError) -> JWK {
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

extension SignatureAlgorithm {
    /// Before a key is made that takes long.
    fileprivate func takes(_ kind: KeyKind) throws(JOSEError) {
        guard !kinds.isDisjoint(with: kind) else {
            throw KeyFit.otherType.error(.signing(self), KeyNames(kind, .none))
        }
    }
}

extension KeyManagementAlgorithm {
    /// Before a key is made that takes long.
    fileprivate func takes(_ kind: KeyKind) throws(JOSEError) {
        guard !kinds.isDisjoint(with: kind) else {
            throw KeyFit.otherType.error(.encrypting(self), KeyNames(kind, .none))
        }
    }
}
