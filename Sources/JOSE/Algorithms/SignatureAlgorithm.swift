// SignatureAlgorithm: the table of signature algorithms.

package import JOSECrypto

/// A signature or MAC algorithm of the JOSE registry, `alg` of a JWS (RFC 7518, 3).
public struct SignatureAlgorithm: TableEntry {
    package let staticName: StaticString
    /// The registered name, such as `RS256`.
    public var name: String { staticName.description }
    /// The key types that the algorithm works with.
    public var keyTypes: [KeyType] { kinds.keyTypes }
    package let kinds: KeyKind
    /// How advisable the algorithm is.
    public let status: AlgorithmStatus
    package let id: UInt8
    package let family: SignatureFamily
    /// The hash of the operation. Families with a fixed hash ignore it.
    package let hash: HashAlgorithm
    /// The hash of `at_hash` and `c_hash` in a token with this algorithm (OpenID Connect Core,
    /// 3.1.3.6); nil for ML-DSA, for which no hash is defined.
    package var tokenHash: HashAlgorithm? { family == .mlDSA ? nil : hash }
    /// The allowed sizes of a symmetric key; nil for other keys.
    package var symmetricKeyBytes: SymmetricKeySize?
    package let reference: StaticString
    package let advice: StaticString

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3).
    public static let rs256 = SignatureAlgorithm(
        staticName: "RS256", kinds: .rsa, status: .recommended, id: 0, family: .rsaPKCS1,
        hash: .sha256,
        reference: "RFC 7518, 3.3",
        advice: "What most providers use; prefer PS256, ES256 or Ed25519 if you can choose.")
    /// RSASSA-PKCS1-v1_5 with SHA-384 (RFC 7518, 3.3).
    public static let rs384 = SignatureAlgorithm(
        staticName: "RS384", kinds: .rsa, status: .acceptable, id: 1, family: .rsaPKCS1,
        hash: .sha384,
        reference: "RFC 7518, 3.3",
        advice: "No stronger than RS256 with the same key; for a peer that requires it.")
    /// RSASSA-PKCS1-v1_5 with SHA-512 (RFC 7518, 3.3).
    public static let rs512 = SignatureAlgorithm(
        staticName: "RS512", kinds: .rsa, status: .acceptable, id: 2, family: .rsaPKCS1,
        hash: .sha512,
        reference: "RFC 7518, 3.3",
        advice: "No stronger than RS256 with the same key; for a peer that requires it.")
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes (RFC 7518, 3.5).
    public static let ps256 = SignatureAlgorithm(
        staticName: "PS256", kinds: .rsa, status: .recommended, id: 3, family: .rsaPSS,
        hash: .sha256,
        reference: "RFC 7518, 3.5",
        advice: "Preferred for RSA keys if the peer supports it.")
    /// RSASSA-PSS with SHA-384 and a salt of 48 bytes (RFC 7518, 3.5).
    public static let ps384 = SignatureAlgorithm(
        staticName: "PS384", kinds: .rsa, status: .recommended, id: 4, family: .rsaPSS,
        hash: .sha384,
        reference: "RFC 7518, 3.5",
        advice: "As PS256, and no stronger with the same key.")
    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 7518, 3.5).
    public static let ps512 = SignatureAlgorithm(
        staticName: "PS512", kinds: .rsa, status: .recommended, id: 5, family: .rsaPSS,
        hash: .sha512,
        reference: "RFC 7518, 3.5",
        advice: "As PS256, and no stronger with the same key.")
    /// ECDSA on P-256 with SHA-256 (RFC 7518, 3.4).
    public static let es256 = SignatureAlgorithm(
        staticName: "ES256", kinds: JWKCurve.p256.kind, status: .recommended, id: 6, family: .ecdsa,
        hash: .sha256,
        reference: "RFC 7518, 3.4",
        advice: "Short signatures, fast to make; a good first choice.")
    /// ECDSA on P-384 with SHA-384 (RFC 7518, 3.4).
    public static let es384 = SignatureAlgorithm(
        staticName: "ES384", kinds: JWKCurve.p384.kind, status: .recommended, id: 7, family: .ecdsa,
        hash: .sha384,
        reference: "RFC 7518, 3.4",
        advice: "For rules that require P-384; slow in OpenSSL 3.0.")
    /// ECDSA on P-521 with SHA-512 (RFC 7518, 3.4).
    public static let es512 = SignatureAlgorithm(
        staticName: "ES512", kinds: JWKCurve.p521.kind, status: .recommended, id: 8, family: .ecdsa,
        hash: .sha512,
        reference: "RFC 7518, 3.4",
        advice: "For rules that require P-521; slower than ES256.")
    /// ECDSA on secp256k1 with SHA-256 (RFC 8812, 3.2).
    public static let es256K = SignatureAlgorithm(
        staticName: "ES256K", kinds: JWKCurve.secp256k1.kind, status: .acceptable, id: 9,
        family: .ecdsa,
        hash: .sha256,
        reference: "RFC 8812, 3.2",
        advice: "For ledgers and wallets on this curve; otherwise prefer ES256.")
    /// Ed25519 or Ed448, depending on the key (RFC 8037, 3.1).
    ///
    /// RFC 9864 deprecates this name in favour of `Ed25519` and `Ed448`. Names are compared
    /// exactly: a policy or key with `alg` `EdDSA` does not accept `Ed25519`, nor the reverse.
    public static let edDSA = SignatureAlgorithm(
        staticName: "EdDSA", kinds: [JWKCurve.ed25519.kind, JWKCurve.ed448.kind],
        status: .acceptable,
        id: 10,
        family: .edDSA,
        hash: .sha512,
        reference: "RFC 8037, 3.1",
        advice: "The older name, which leaves the curve to the key; prefer Ed25519.")
    /// Ed25519 (RFC 9864, 2.2).
    public static let ed25519 = SignatureAlgorithm(
        staticName: "Ed25519", kinds: JWKCurve.ed25519.kind, status: .recommended, id: 11,
        family: .edDSA,
        hash: .sha512,
        reference: "RFC 9864, 2.2",
        advice:
            "A good choice if the peer supports it: short, fast, signed without random numbers.")
    /// Ed448 (RFC 9864, 2.2).
    public static let ed448 = SignatureAlgorithm(
        staticName: "Ed448", kinds: JWKCurve.ed448.kind, status: .acceptable, id: 12,
        family: .edDSA,
        hash: .sha512,
        reference: "RFC 9864, 2.2",
        advice: "For rules that require more than 128 bits of strength.")
    /// HMAC with SHA-256 and a key of 32 bytes or more (RFC 7518, 3.2).
    public static let hs256 = SignatureAlgorithm(
        staticName: "HS256", kinds: .oct, status: .acceptable, id: 13, family: .hmac,
        hash: .sha256, symmetricKeyBytes: .atLeast(32),
        reference: "RFC 7518, 3.2",
        advice: "For two parties that share a secret; each of them can sign.")
    /// HMAC with SHA-384 and a key of 48 bytes or more (RFC 7518, 3.2).
    public static let hs384 = SignatureAlgorithm(
        staticName: "HS384", kinds: .oct, status: .acceptable, id: 14, family: .hmac,
        hash: .sha384, symmetricKeyBytes: .atLeast(48),
        reference: "RFC 7518, 3.2",
        advice: "As HS256 with a longer secret; HS256 is strong enough.")
    /// HMAC with SHA-512 and a key of 64 bytes or more (RFC 7518, 3.2).
    public static let hs512 = SignatureAlgorithm(
        staticName: "HS512", kinds: .oct, status: .acceptable, id: 15, family: .hmac,
        hash: .sha512, symmetricKeyBytes: .atLeast(64),
        reference: "RFC 7518, 3.2",
        advice: "As HS256 with a longer secret; HS256 is strong enough.")
    /// ML-DSA-44 with an empty context (RFC 9964, 5).
    public static let mlDSA44 = SignatureAlgorithm(
        staticName: "ML-DSA-44", kinds: .mlDSA44, status: .acceptable, id: 16, family: .mlDSA,
        hash: .sha512,
        reference: "RFC 9964, 5",
        advice: "Against quantum computers, if the peer supports it; a token is 3.2 KB longer.")
    /// ML-DSA-65 with an empty context (RFC 9964, 5).
    public static let mlDSA65 = SignatureAlgorithm(
        staticName: "ML-DSA-65", kinds: .mlDSA65, status: .acceptable, id: 17, family: .mlDSA,
        hash: .sha512,
        reference: "RFC 9964, 5",
        advice: "As ML-DSA-44 with more strength, for rules that require it; 4.4 KB longer.")
    /// ML-DSA-87 with an empty context (RFC 9964, 5).
    public static let mlDSA87 = SignatureAlgorithm(
        staticName: "ML-DSA-87", kinds: .mlDSA87, status: .acceptable, id: 18, family: .mlDSA,
        hash: .sha512,
        reference: "RFC 9964, 5",
        advice: "As ML-DSA-44 with the most strength, for rules that require it; 6.2 KB longer.")

    /// Ed25519 under its older name, for rules that allow only this curve. `entries` lacks it,
    /// since `edDSA` has the name.
    package static let edDSAOnEd25519 = SignatureAlgorithm(
        staticName: "EdDSA", kinds: JWKCurve.ed25519.kind, status: .acceptable, id: 19,
        family: .edDSA,
        hash: .sha512,
        reference: "RFC 8037, 3.1",
        advice: "For FAPI 2.0, which allows EdDSA with Ed25519 only.")

    /// All algorithms, supported by the installed libcrypto or not.
    package static let entries: [SignatureAlgorithm] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .es256K, .edDSA,
        .ed25519, .ed448, .hs256, .hs384, .hs512, .mlDSA44, .mlDSA65, .mlDSA87,
    ]

    /// The algorithms that the installed libcrypto supports.
    public static let all = entries.filter(\.isAvailable)

    /// Whether the installed libcrypto supports the algorithm with at least one kind of key.
    /// Otherwise its use throws `unsupported`.
    public var isAvailable: Bool { missing == nil }

    /// What libcrypto lacks for the first key kind; nil if libcrypto supports at least one kind.
    package var missing: String? {
        kinds.entries.firstMissing { family.missing(hash, with: $0.native) }
    }

    /// The supported algorithms whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }
}

extension SignatureAlgorithm {
    /// Creates the supported algorithm with this registered name; nil for any other name.
    public init?(name: String) {
        guard let entry = SignatureAlgorithm.all.first(where: { name.isExactly($0.staticName) })
        else {
            return nil
        }
        self = entry
    }
}
