// Fresh keys.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// Makes an RSA key in this process.
    ///
    /// - Parameters:
    ///   - rsaBits: The size of the modulus in bits, 2048 to 8192.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, by its registered name.
    /// - Throws: `misuse` for a size outside the limits, `internal` if OpenSSL fails.
    ///
    /// Costs tens of milliseconds at 2048 bits and grows with the fourth power of the size.
    public static func generate(
        rsaBits: Int = 2048, keyID: String? = nil, use: KeyUse? = nil, algorithm: String? = nil
    ) throws(JOSEError) -> JWK {
        guard rsaBits >= 2048, rsaBits <= 8192, rsaBits % 8 == 0 else {
            throw .misuse("RSA keys have 2048 to 8192 bits, a multiple of 8")
        }
        return try generate(.rsa, bits: rsaBits, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// Makes a key on a curve in this process.
    ///
    /// - Parameters:
    ///   - curve: The curve; it decides between `EC` and `OKP`, and between signatures and key agreement.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, by its registered name.
    /// - Throws: `unsupported` where the libcrypto that runs does not have the curve, `internal` if OpenSSL fails.
    ///
    /// Costs tens of microseconds.
    public static func generate(
        curve: JWKCurve, keyID: String? = nil, use: KeyUse? = nil, algorithm: String? = nil
    ) throws(JOSEError) -> JWK {
        try generate(curve.kind, bits: 0, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// Makes an algorithm key pair in this process.
    ///
    /// - Parameters:
    ///   - akp: The algorithm whose key it is, such as `.mlDSA44`; it becomes `alg`.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use` to write.
    /// - Throws: `keyUnusable` for an algorithm with other keys, `unsupported` where the libcrypto that runs does not have it,
    ///   `internal` if OpenSSL fails.
    ///
    /// Costs a tenth of a millisecond. Source: RFC 9964, 4.
    public static func generate(
        akp: SignatureAlgorithm, keyID: String? = nil, use: KeyUse? = nil
    ) throws(JOSEError) -> JWK {
        guard akp.keyTypes == [.akp] else {
            throw KeyFit.otherType.error(.signing(akp), KeyNames(.mlDSA44, .none))
        }
        return try generate(akp.kinds, bits: 0, keyID: keyID, use: use, algorithm: nil)
    }

    /// Makes a symmetric key in this process.
    ///
    /// - Parameters:
    ///   - symmetricBits: The size in bits, 128 to 4096, a multiple of 8.
    ///   - keyID: The `kid`; 128 random bits where none is given, since a thumbprint would be a hash of the secret.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, by its registered name.
    /// - Throws: `misuse` for a size outside the limits, `internal` if OpenSSL fails.
    public static func generate(
        symmetricBits: Int, keyID: String? = nil, use: KeyUse? = nil, algorithm: String? = nil
    ) throws(JOSEError) -> JWK {
        guard symmetricBits >= 128, symmetricBits <= 4096, symmetricBits % 8 == 0 else {
            throw .misuse(
                "symmetric keys that are made here have 128 to 4096 bits, a multiple of 8")
        }
        return try generate(.oct, bits: symmetricBits, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// A fresh key of one kind; `bits` is looked at where the type has sizes. Without a name it gets its thumbprint, or
    /// random bits where that would be a hash of a secret.
    package static func generate(
        _ kind: KeyKind, bits: Int, keyID: String?, use: KeyUse?, algorithm: String?
    ) throws(JOSEError) -> JWK {
        guard let row = KeyKindRow.row(kind), let type = KeyTypeTable.row(row.type) else {
            throw .misuse("a key is of one kind")
        }
        var key: JWK
        do throws(CryptoFault) {
            key = JWK(try type.generate(row, bits))
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        if let keyID {
            key.keyID = keyID
        } else {
            key.keyID = type.hasPublicPart ? try key.thumbprint() : try randomName()
        }
        key.use = use
        if let algorithm { key.algorithm = algorithm }
        return key
    }

    private static func randomName() throws(JOSEError) -> String {
        do {
            let bytes = try Random.bytes(16)
            return Base64URL.encodeToString(bytes.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}
