// KeyManagementAlgorithm: the table of key management algorithms.

package import JOSECrypto

/// A key management algorithm of the JOSE registry, `alg` of a JWE (RFC 7518, 4).
public struct KeyManagementAlgorithm: TableEntry {
    package let staticName: StaticString
    /// The registered name, such as `RSA-OAEP-256`.
    public var name: String { staticName.description }
    /// The key types that the algorithm works with.
    public var keyTypes: [KeyType] { kinds.keyTypes }
    package let kinds: KeyKind
    /// How advisable the algorithm is.
    public let status: AlgorithmStatus
    package let id: UInt8
    package let family: KeyManagementFamily
    /// The hash of RSA-OAEP or PBES2.
    package var hash = HashAlgorithm.sha256
    /// The size of the AES key that wraps the content key; 0 if no AES key does.
    package var wrapBytes = 0
    /// The allowed sizes of a symmetric key; nil for other keys.
    package var symmetricKeyBytes: SymmetricKeySize?
    package var contentKey = ContentKeySource.wrapped
    package var form = ParameterForm.none
    /// Whether several keys may be tried if a token has no `kid`.
    package var mayBeTried = false
    package let reference: StaticString
    package let advice: StaticString

    /// RSAES-OAEP with SHA-1 and MGF1 with SHA-1 (RFC 7518, 4.3).
    public static let rsaOAEP = KeyManagementAlgorithm(
        staticName: "RSA-OAEP", kinds: .rsa, status: .recommended, id: 0, family: .rsaOAEP,
        hash: .sha1,
        mayBeTried: true,
        reference: "RFC 7518, 4.3",
        advice: "Widely supported; SHA-1 is safe in this use.")
    /// RSAES-OAEP with SHA-256 and MGF1 with SHA-256 (RFC 7518, 4.3).
    public static let rsaOAEP256 = KeyManagementAlgorithm(
        staticName: "RSA-OAEP-256", kinds: .rsa, status: .recommended, id: 1, family: .rsaOAEP,
        hash: .sha256,
        mayBeTried: true,
        reference: "RFC 7518, 4.3",
        advice: "Preferred for RSA keys.")
    /// RSAES-OAEP with SHA-384 and MGF1 with SHA-384 (JOSE registry).
    public static let rsaOAEP384 = KeyManagementAlgorithm(
        staticName: "RSA-OAEP-384", kinds: .rsa, status: .acceptable, id: 2, family: .rsaOAEP,
        hash: .sha384,
        mayBeTried: true,
        reference: "JOSE registry",
        advice: "No stronger than RSA-OAEP-256 with the same key; for a peer that requires it.")
    /// RSAES-OAEP with SHA-512 and MGF1 with SHA-512 (JOSE registry).
    public static let rsaOAEP512 = KeyManagementAlgorithm(
        staticName: "RSA-OAEP-512", kinds: .rsa, status: .acceptable, id: 3, family: .rsaOAEP,
        hash: .sha512,
        mayBeTried: true,
        reference: "JOSE registry",
        advice: "No stronger than RSA-OAEP-256 with the same key; for a peer that requires it.")
    /// AES-128 key wrapping with a shared key (RFC 7518, 4.4).
    public static let a128KW = KeyManagementAlgorithm(
        staticName: "A128KW", kinds: .oct, status: .acceptable, id: 4, family: .aesKW,
        wrapBytes: 16,
        symmetricKeyBytes: .exactly(16),
        reference: "RFC 7518, 4.4",
        advice: "For two parties that share a key; each message has its own content key.")
    /// AES-192 key wrapping with a shared key (RFC 7518, 4.4).
    public static let a192KW = KeyManagementAlgorithm(
        staticName: "A192KW", kinds: .oct, status: .acceptable, id: 5, family: .aesKW,
        wrapBytes: 24,
        symmetricKeyBytes: .exactly(24),
        reference: "RFC 7518, 4.4",
        advice: "For two parties that share a key; each message has its own content key.")
    /// AES-256 key wrapping with a shared key (RFC 7518, 4.4).
    public static let a256KW = KeyManagementAlgorithm(
        staticName: "A256KW", kinds: .oct, status: .acceptable, id: 6, family: .aesKW,
        wrapBytes: 32,
        symmetricKeyBytes: .exactly(32),
        reference: "RFC 7518, 4.4",
        advice: "For two parties that share a key; each message has its own content key.")
    /// The shared key encrypts the content itself (RFC 7518, 4.5).
    public static let direct = KeyManagementAlgorithm(
        staticName: "dir", kinds: .oct, status: .acceptable, id: 7, family: .direct,
        symmetricKeyBytes: .byContent,
        contentKey: .shared,
        reference: "RFC 7518, 4.5",
        advice: "The shortest token with a shared key; at most 2^32 messages with AES-GCM.")
    /// ECDH with an ephemeral key gives the content key itself (RFC 7518, 4.6; RFC 8037, 3.2).
    public static let ecdhES = KeyManagementAlgorithm(
        staticName: "ECDH-ES", kinds: .agreement, status: .recommended, id: 8, family: .ecdhES,
        contentKey: .agreed, form: .agreement,
        reference: "RFC 7518, 4.6",
        advice: "The shortest token to a public key, and for one recipient only.")
    /// ECDH with an ephemeral key and AES-128 key wrapping (RFC 7518, 4.6).
    public static let ecdhESA128KW = KeyManagementAlgorithm(
        staticName: "ECDH-ES+A128KW", kinds: .agreement, status: .recommended, id: 9,
        family: .ecdhES,
        wrapBytes: 16,
        form: .agreement,
        reference: "RFC 7518, 4.6",
        advice: "A good first choice for a public key; a message may have several recipients.")
    /// ECDH with an ephemeral key and AES-192 key wrapping (RFC 7518, 4.6).
    public static let ecdhESA192KW = KeyManagementAlgorithm(
        staticName: "ECDH-ES+A192KW", kinds: .agreement, status: .recommended, id: 10,
        family: .ecdhES,
        wrapBytes: 24,
        form: .agreement,
        reference: "RFC 7518, 4.6",
        advice: "As ECDH-ES+A128KW, with a wrapping key of 192 bits.")
    /// ECDH with an ephemeral key and AES-256 key wrapping (RFC 7518, 4.6).
    public static let ecdhESA256KW = KeyManagementAlgorithm(
        staticName: "ECDH-ES+A256KW", kinds: .agreement, status: .recommended, id: 11,
        family: .ecdhES,
        wrapBytes: 32,
        form: .agreement,
        reference: "RFC 7518, 4.6",
        advice: "As ECDH-ES+A128KW, for rules that require 256 bits.")
    /// AES-128 key wrapping in Galois/Counter Mode (RFC 7518, 4.7), at most 2^32 times with a key.
    public static let a128GCMKW = KeyManagementAlgorithm(
        staticName: "A128GCMKW", kinds: .oct, status: .acceptable, id: 12, family: .aesGCMKW,
        wrapBytes: 16,
        symmetricKeyBytes: .exactly(16),
        form: .ivAndTag,
        reference: "RFC 7518, 4.7",
        advice: "A key may wrap at most 2^32 times; AES key wrapping (A128KW) has no limit.")
    /// AES-192 key wrapping in Galois/Counter Mode (RFC 7518, 4.7), at most 2^32 times with a key.
    public static let a192GCMKW = KeyManagementAlgorithm(
        staticName: "A192GCMKW", kinds: .oct, status: .acceptable, id: 13, family: .aesGCMKW,
        wrapBytes: 24,
        symmetricKeyBytes: .exactly(24),
        form: .ivAndTag,
        reference: "RFC 7518, 4.7",
        advice: "A key may wrap at most 2^32 times; AES key wrapping (A128KW) has no limit.")
    /// AES-256 key wrapping in Galois/Counter Mode (RFC 7518, 4.7), at most 2^32 times with a key.
    public static let a256GCMKW = KeyManagementAlgorithm(
        staticName: "A256GCMKW", kinds: .oct, status: .acceptable, id: 14, family: .aesGCMKW,
        wrapBytes: 32,
        symmetricKeyBytes: .exactly(32),
        form: .ivAndTag,
        reference: "RFC 7518, 4.7",
        advice: "A key may wrap at most 2^32 times; AES key wrapping (A128KW) has no limit.")

    #if PBES2
        /// A password with PBKDF2, HMAC SHA-256 and AES-128 key wrapping (RFC 7518, 4.8).
        public static let pbes2HS256A128KW = KeyManagementAlgorithm(
            staticName: "PBES2-HS256+A128KW", kinds: .oct, status: .legacy, id: 15, family: .pbes2,
            hash: .sha256, wrapBytes: 16, symmetricKeyBytes: .atLeast(1),
            form: .password,
            reference: "RFC 7518, 4.8",
            advice: "Only for passwords that people remember; attackers guess short ones.")
        /// A password with PBKDF2, HMAC SHA-384 and AES-192 key wrapping (RFC 7518, 4.8).
        public static let pbes2HS384A192KW = KeyManagementAlgorithm(
            staticName: "PBES2-HS384+A192KW", kinds: .oct, status: .legacy, id: 16, family: .pbes2,
            hash: .sha384, wrapBytes: 24, symmetricKeyBytes: .atLeast(1),
            form: .password,
            reference: "RFC 7518, 4.8",
            advice: "Only for passwords that people remember; attackers guess short ones.")
        /// A password with PBKDF2, HMAC SHA-512 and AES-256 key wrapping (RFC 7518, 4.8).
        public static let pbes2HS512A256KW = KeyManagementAlgorithm(
            staticName: "PBES2-HS512+A256KW", kinds: .oct, status: .legacy, id: 17, family: .pbes2,
            hash: .sha512, wrapBytes: 32, symmetricKeyBytes: .atLeast(1),
            form: .password,
            reference: "RFC 7518, 4.8",
            advice: "Only for passwords that people remember; attackers guess short ones.")
        private static let passwords: [KeyManagementAlgorithm] = [
            .pbes2HS256A128KW, .pbes2HS384A192KW, .pbes2HS512A256KW,
        ]
    #else
        private static let passwords: [KeyManagementAlgorithm] = []
    #endif

    /// All algorithms, supported by the installed libcrypto or not.
    package static let entries: [KeyManagementAlgorithm] =
        [
            .rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512, .a128KW, .a192KW, .a256KW, .direct,
            .ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW, .a128GCMKW, .a192GCMKW,
            .a256GCMKW,
        ] + passwords

    /// The algorithms that the installed libcrypto supports.
    public static let all = entries.filter(\.isAvailable)

    /// Whether the installed libcrypto supports the algorithm with at least one kind of key.
    /// Otherwise its use throws `unsupported`.
    public var isAvailable: Bool { missing == nil }

    /// What libcrypto lacks for the first key kind; nil if libcrypto supports at least one kind.
    package var missing: String? {
        kinds.entries.firstMissing { family.missing(hash, wrapBytes: wrapBytes, with: $0.native) }
    }

    /// The supported algorithms whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }
}

extension KeyManagementAlgorithm {
    /// Creates the supported algorithm with this registered name; nil for any other name.
    public init?(name: String) {
        guard let entry = KeyManagementAlgorithm.all.first(where: { name.isExactly($0.staticName) })
        else { return nil }
        self = entry
    }
}
