// New keys.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// What a new key is: its type and its size or curve.
    public struct Specification: Sendable {
        let kind: KeyKind
        /// The size where the type has several.
        let bits: Int
        fileprivate let akp: SignatureAlgorithm?

        private init(_ kind: KeyKind, bits: Int = 0, akp: SignatureAlgorithm? = nil) {
            self.kind = kind
            self.bits = bits
            self.akp = akp
        }

        /// An RSA key of 2048 bits.
        public static let rsa = rsa(bits: 2048)

        /// An RSA key.
        ///
        /// - Parameter bits: The size of the modulus in bits, 2048 to 8192, a multiple of 8.
        ///
        /// Costs tens of milliseconds at 2048 bits and grows with the fourth power of the size.
        public static func rsa(bits: Int) -> Specification { Specification(.rsa, bits: bits) }

        /// A key on a curve, which decides between `EC` and `OKP`, and between signatures and key
        /// agreement. Costs tens of microseconds.
        public static func curve(_ curve: JWKCurve) -> Specification { Specification(curve.kind) }

        /// A symmetric key, `oct`.
        ///
        /// - Parameter bits: The size in bits, 128 to 4096, a multiple of 8.
        public static func symmetric(bits: Int) -> Specification { Specification(.oct, bits: bits) }

        /// An algorithm key pair (RFC 9964, 4). Costs a tenth of a millisecond.
        ///
        /// - Parameter algorithm: The algorithm whose key it is, such as `.mlDSA44`; it becomes
        ///   `alg`.
        public static func akp(_ algorithm: SignatureAlgorithm) -> Specification {
            Specification(algorithm.kinds, akp: algorithm)
        }

        fileprivate func check() throws(JOSEError) {
            if let akp, akp.keyTypes != [.akp] {
                throw KeyMatch.wrongType.error(.signing(akp), KeyNames(.mlDSA44, .none))
            }
            switch kind {
            case .rsa:
                guard 2048...8192 ~= bits, bits % 8 == 0 else {
                    throw .misuse("RSA keys have 2048 to 8192 bits, a multiple of 8")
                }
            case .oct:
                guard 128...4096 ~= bits, bits % 8 == 0 else {
                    throw .misuse(
                        "symmetric keys that are made here have 128 to 4096 bits, a multiple of 8")
                }
            default: break
            }
        }
    }

    /// Makes a key in this process.
    ///
    /// - Parameters:
    ///   - specification: Its type and its size or curve.
    ///   - keyID: The `kid`. Where none is given, the RFC 7638 thumbprint; for a symmetric key,
    ///     whose thumbprint would be a hash of the secret, 128 random bits.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, such as `.rs256`.
    /// - Throws: `misuse` for a size outside the limits, `keyUnusable` for an algorithm that takes
    ///   other keys, another size or another use, and for one without algorithm key pairs in
    ///   `.akp`, `unsupported` where the libcrypto that runs does not have the curve or algorithm,
    ///   `internal` if OpenSSL fails. A name that this library does not know is not checked.
    public static func generate(
        _ specification: Specification, keyID: String? = nil, use: KeyUse? = nil,
        algorithm: JOSEAlgorithm? = nil
    ) throws(JOSEError) -> JWK {
        try specification.check()
        if let algorithm { try specification.check(algorithm) }
        let key = try generate(
            specification.kind, bits: specification.bits, keyID: keyID, use: use,
            algorithm: algorithm)
        try key.checkAlgorithm()
        return key
    }

    /// A key of one kind; `bits` counts where the type has sizes. Without a name it gets its
    /// thumbprint, or random bits where that would be a hash of a secret.
    package static func generate(
        _ kind: KeyKind, bits: Int, keyID: String?, use: KeyUse?, algorithm: JOSEAlgorithm?
    ) throws(JOSEError) -> JWK {
        guard let row = KeyKindEntry.row(kind), let type = KeyTypeTable.row(row.type) else {
            throw .misuse("a key is of one kind")
        }
        var key: JWK
        do throws(CryptoError) {
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

extension JWK.Specification {
    /// Before an RSA key is made, which takes long.
    fileprivate func check(_ algorithm: JOSEAlgorithm) throws(JOSEError) {
        guard kind == .rsa, let query = KeyQuery(privateKeyFor: algorithm),
            query.kinds.isDisjoint(with: kind)
        else { return }
        throw KeyMatch.wrongType.error(query, KeyNames(kind, .none))
    }
}
