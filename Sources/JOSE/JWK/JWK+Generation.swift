// Generates keys.

import JOSEBytes
package import JOSECrypto

extension JWK {
    /// The type of a new key, and its size or curve.
    public struct Specification: Sendable {
        let kind: KeyKind
        /// In bits; used for RSA and symmetric keys only.
        let bits: Int
        fileprivate let akp: SignatureAlgorithm?
        fileprivate var options: OperationOptions = []

        private init(_ kind: KeyKind, bits: Int = 0, akp: SignatureAlgorithm? = nil) {
            self.kind = kind
            self.bits = bits
            self.akp = akp
        }

        /// An RSA key of 2048 bits.
        public static let rsa = rsa(bits: 2048)

        /// An RSA key.
        ///
        /// - Parameter bits: The size of the modulus in bits: 2048 to 8192, a multiple of 8.
        ///
        /// Costs tens of milliseconds at 2048 bits, and 16 times as much for twice the size.
        public static func rsa(bits: Int) -> Specification { Specification(.rsa, bits: bits) }

        /// A key on a curve. The curve determines `kty` (EC or OKP), and whether the key signs or
        /// agrees. Costs tens of microseconds.
        public static func curve(_ curve: JWKCurve) -> Specification { Specification(curve.kind) }

        /// A symmetric key, `oct`.
        ///
        /// - Parameter bits: The size in bits: 128 to 4096, a multiple of 8.
        public static func symmetric(bits: Int) -> Specification { Specification(.oct, bits: bits) }

        /// An algorithm key pair (RFC 9964, 4). Costs a tenth of a millisecond.
        ///
        /// - Parameter algorithm: The algorithm of the key, such as `.mlDSA44`; it becomes `alg`.
        public static func akp(_ algorithm: SignatureAlgorithm) -> Specification {
            Specification(algorithm.kinds, akp: algorithm)
        }

        /// Returns the same type and size. The generated key then uses the implementations that
        /// `acceleration` selects. With `.fips(_:)` the FIPS provider also generates the key.
        public func withAcceleration(_ acceleration: KeyAcceleration) -> Specification {
            var result = self
            result.options = acceleration.options
            return result
        }

        fileprivate func check() throws(JOSEError) {
            if let akp, akp.keyTypes != [.akp] {
                throw KeyMatch.wrongType.error(.signing(akp), KeyLabels(.mlDSA44, .none))
            }
            switch kind {
            case .rsa:
                guard 2048...8192 ~= bits, bits % 8 == 0 else {
                    throw .misuse(
                        "the RSA key size is {} bits; it must be 2,048 to 8,192, a multiple of 8",
                        .number(bits))
                }
            case .oct:
                guard 128...4096 ~= bits, bits % 8 == 0 else {
                    throw .misuse(
                        "the key size is {} bits; it must be 128 to 4,096, a multiple of 8",
                        .number(bits))
                }
            default: break
            }
        }
    }

    /// Generates a key.
    ///
    /// - Parameters:
    ///   - specification: The key type, and the size or curve.
    ///   - keyID: The `kid`. The default is the RFC 7638 thumbprint; for a symmetric key, whose
    ///     thumbprint is a hash of the secret, 128 random bits.
    ///   - use: The key's `use`.
    ///   - algorithm: The key's `alg`, such as `.rs256`.
    /// - Throws: `misuse` for a size outside the limits. `keyUnusable` if `algorithm` needs another
    ///   kind, size or use, or if `akp(_:)` got no AKP algorithm. `unsupported` if libcrypto
    ///   lacks the curve or algorithm. `internal` if OpenSSL fails. Unregistered `algorithm`s pass.
    public static func generate(
        _ specification: Specification, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: JOSEAlgorithm? = nil
    ) throws(JOSEError) -> JWK {
        try specification.check()
        if let algorithm { try specification.check(algorithm) }
        let key = try generate(
            specification.kind, bits: specification.bits, options: specification.options,
            keyID: keyID, use: use, algorithm: algorithm)
        try key.checkAlgorithm()
        return key
    }

    package static func generate(
        _ kind: KeyKind, bits: Int, options: OperationOptions = [], keyID: String?, use: KeyUse?,
        algorithm: JOSEAlgorithm?
    ) throws(JOSEError) -> JWK {
        guard let entry = KeyKindEntry.entry(kind), let type = KeyTypeEntry(entry.type) else {
            throw .misuse("generate one kind of key at a time")
        }
        var key: JWK
        do throws(CryptoError) {
            key = JWK(try type.generate(entry, bits: bits, in: options.module))
            if !options.isEmpty { key = key.withOptions(options) }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        if let keyID {
            key.keyID = keyID
        } else {
            key.keyID = type.hasPublicPart ? try key.thumbprint() : try randomKeyID()
        }
        key.use = use
        if let algorithm { key.algorithm = algorithm }
        return key
    }

    private static func randomKeyID() throws(JOSEError) -> String {
        do {
            let bytes = try Random.bytes(16)
            return Base64URL.encodeToString(bytes.span)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }
}

extension JWK.Specification {
    /// Rejects an algorithm of another key type before the slow generation of an RSA key.
    fileprivate func check(_ algorithm: JOSEAlgorithm) throws(JOSEError) {
        guard kind == .rsa, let query = KeyQuery(privateKeyFor: algorithm),
            query.kinds.isDisjoint(with: kind)
        else { return }
        throw KeyMatch.wrongType.error(query, KeyLabels(kind, .none))
    }
}
