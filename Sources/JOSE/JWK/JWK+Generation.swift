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
        let native = try made { () throws(CryptoFault) in try NativeKey.rsaGenerate(bits: rsaBits) }
        var key = JWK(RSAKeyMaterial(native, limits: .standard))
        if let keyID { key.keyID = keyID } else { key.keyID = try key.thumbprint() }
        return key.with(use, algorithm)
    }

    /// Makes a key on a curve in this process.
    ///
    /// - Parameters:
    ///   - curve: The curve; it decides between `EC` and `OKP`, and between signatures and key agreement.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, by its registered name.
    /// - Throws: `internal` if OpenSSL fails.
    ///
    /// Costs tens of microseconds.
    public static func generate(
        curve: JWKCurve, keyID: String? = nil, use: KeyUse? = nil, algorithm: String? = nil
    ) throws(JOSEError) -> JWK {
        let native = try made { () throws(CryptoFault) in try NativeKey.generate(curve.native) }
        var key = JWK(CurveKeyMaterial(native, curve))
        if let keyID { key.keyID = keyID } else { key.keyID = try key.thumbprint() }
        return key.with(use, algorithm)
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
        let native = try made { () throws(CryptoFault) in
            try NativeKey.symmetricGenerate(bytes: symmetricBits / 8)
        }
        var key = JWK(OctKeyMaterial(native))
        if let keyID { key.keyID = keyID } else { key.keyID = try randomName() }
        return key.with(use, algorithm)
    }

    private func with(_ use: KeyUse?, _ algorithm: String?) -> JWK {
        var key = self
        key.use = use
        key.algorithm = algorithm
        return key
    }

    private static func made(
        _ body: () throws(CryptoFault) -> NativeKey
    ) throws(JOSEError) -> NativeKey {
        do {
            return try body()
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
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
