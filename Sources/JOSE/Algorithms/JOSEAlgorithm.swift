// JOSEAlgorithm: the algorithm that a key or a header names, known to this library or not.

import JOSEBytes

/// The value of `alg` in a JWK or header: a signature, key management or content encryption
/// algorithm, or an unknown name.
///
/// Set a known algorithm with `key.algorithm = .es256`. `signature`, `keyManagement` and
/// `contentEncryption` return the typed algorithm. `==` compares names byte for byte.
public struct JOSEAlgorithm: Sendable, Hashable {
    private let exact: ExactString

    /// The name, exactly as in the key or header.
    public var name: String { exact.text }

    /// Creates the algorithm with this case-sensitive name, registered or not.
    public init(name: String) { exact = ExactString(name) }

    /// Creates the value for a signature algorithm.
    public init(_ algorithm: SignatureAlgorithm) { self.init(name: algorithm.name) }

    /// Creates the value for a key management algorithm.
    public init(_ algorithm: KeyManagementAlgorithm) { self.init(name: algorithm.name) }

    /// Creates the value for a content encryption algorithm, for keys that encrypt directly.
    public init(_ algorithm: ContentEncryptionAlgorithm) { self.init(name: algorithm.name) }

    /// The signature algorithm with this name; nil if there is none.
    public var signature: SignatureAlgorithm? {
        SignatureAlgorithm.entries.first { name.isExactly($0.staticName) }
    }

    /// The key management algorithm with this name; nil if there is none.
    public var keyManagement: KeyManagementAlgorithm? {
        KeyManagementAlgorithm.entries.first { name.isExactly($0.staticName) }
    }

    /// The content encryption algorithm with this name; nil if there is none.
    public var contentEncryption: ContentEncryptionAlgorithm? {
        ContentEncryptionAlgorithm.entries.first { name.isExactly($0.staticName) }
    }
}

extension JOSEAlgorithm: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension JOSEAlgorithm: ExpressibleByStringLiteral {
    /// Creates the algorithm with this name, for names without a constant.
    public init(stringLiteral value: String) { self.init(name: value) }
}

// MARK: Signatures

extension JOSEAlgorithm {
    /// `RS256`; see `SignatureAlgorithm.rs256`.
    public static let rs256 = JOSEAlgorithm(SignatureAlgorithm.rs256)
    /// `RS384`; see `SignatureAlgorithm.rs384`.
    public static let rs384 = JOSEAlgorithm(SignatureAlgorithm.rs384)
    /// `RS512`; see `SignatureAlgorithm.rs512`.
    public static let rs512 = JOSEAlgorithm(SignatureAlgorithm.rs512)
    /// `PS256`; see `SignatureAlgorithm.ps256`.
    public static let ps256 = JOSEAlgorithm(SignatureAlgorithm.ps256)
    /// `PS384`; see `SignatureAlgorithm.ps384`.
    public static let ps384 = JOSEAlgorithm(SignatureAlgorithm.ps384)
    /// `PS512`; see `SignatureAlgorithm.ps512`.
    public static let ps512 = JOSEAlgorithm(SignatureAlgorithm.ps512)
    /// `ES256`; see `SignatureAlgorithm.es256`.
    public static let es256 = JOSEAlgorithm(SignatureAlgorithm.es256)
    /// `ES384`; see `SignatureAlgorithm.es384`.
    public static let es384 = JOSEAlgorithm(SignatureAlgorithm.es384)
    /// `ES512`; see `SignatureAlgorithm.es512`.
    public static let es512 = JOSEAlgorithm(SignatureAlgorithm.es512)
    /// `ES256K`; see `SignatureAlgorithm.es256K`.
    public static let es256K = JOSEAlgorithm(SignatureAlgorithm.es256K)
    /// `EdDSA`; see `SignatureAlgorithm.edDSA`.
    public static let edDSA = JOSEAlgorithm(SignatureAlgorithm.edDSA)
    /// `Ed25519`; see `SignatureAlgorithm.ed25519`.
    public static let ed25519 = JOSEAlgorithm(SignatureAlgorithm.ed25519)
    /// `Ed448`; see `SignatureAlgorithm.ed448`.
    public static let ed448 = JOSEAlgorithm(SignatureAlgorithm.ed448)
    /// `HS256`; see `SignatureAlgorithm.hs256`.
    public static let hs256 = JOSEAlgorithm(SignatureAlgorithm.hs256)
    /// `HS384`; see `SignatureAlgorithm.hs384`.
    public static let hs384 = JOSEAlgorithm(SignatureAlgorithm.hs384)
    /// `HS512`; see `SignatureAlgorithm.hs512`.
    public static let hs512 = JOSEAlgorithm(SignatureAlgorithm.hs512)
    /// `ML-DSA-44`; see `SignatureAlgorithm.mlDSA44`.
    public static let mlDSA44 = JOSEAlgorithm(SignatureAlgorithm.mlDSA44)
    /// `ML-DSA-65`; see `SignatureAlgorithm.mlDSA65`.
    public static let mlDSA65 = JOSEAlgorithm(SignatureAlgorithm.mlDSA65)
    /// `ML-DSA-87`; see `SignatureAlgorithm.mlDSA87`.
    public static let mlDSA87 = JOSEAlgorithm(SignatureAlgorithm.mlDSA87)
}

// MARK: Key management

extension JOSEAlgorithm {
    /// `RSA-OAEP`; see `KeyManagementAlgorithm.rsaOAEP`.
    public static let rsaOAEP = JOSEAlgorithm(KeyManagementAlgorithm.rsaOAEP)
    /// `RSA-OAEP-256`; see `KeyManagementAlgorithm.rsaOAEP256`.
    public static let rsaOAEP256 = JOSEAlgorithm(KeyManagementAlgorithm.rsaOAEP256)
    /// `RSA-OAEP-384`; see `KeyManagementAlgorithm.rsaOAEP384`.
    public static let rsaOAEP384 = JOSEAlgorithm(KeyManagementAlgorithm.rsaOAEP384)
    /// `RSA-OAEP-512`; see `KeyManagementAlgorithm.rsaOAEP512`.
    public static let rsaOAEP512 = JOSEAlgorithm(KeyManagementAlgorithm.rsaOAEP512)
    /// `A128KW`; see `KeyManagementAlgorithm.a128KW`.
    public static let a128KW = JOSEAlgorithm(KeyManagementAlgorithm.a128KW)
    /// `A192KW`; see `KeyManagementAlgorithm.a192KW`.
    public static let a192KW = JOSEAlgorithm(KeyManagementAlgorithm.a192KW)
    /// `A256KW`; see `KeyManagementAlgorithm.a256KW`.
    public static let a256KW = JOSEAlgorithm(KeyManagementAlgorithm.a256KW)
    /// `dir`; see `KeyManagementAlgorithm.direct`.
    public static let direct = JOSEAlgorithm(KeyManagementAlgorithm.direct)
    /// `ECDH-ES`; see `KeyManagementAlgorithm.ecdhES`.
    public static let ecdhES = JOSEAlgorithm(KeyManagementAlgorithm.ecdhES)
    /// `ECDH-ES+A128KW`; see `KeyManagementAlgorithm.ecdhESA128KW`.
    public static let ecdhESA128KW = JOSEAlgorithm(KeyManagementAlgorithm.ecdhESA128KW)
    /// `ECDH-ES+A192KW`; see `KeyManagementAlgorithm.ecdhESA192KW`.
    public static let ecdhESA192KW = JOSEAlgorithm(KeyManagementAlgorithm.ecdhESA192KW)
    /// `ECDH-ES+A256KW`; see `KeyManagementAlgorithm.ecdhESA256KW`.
    public static let ecdhESA256KW = JOSEAlgorithm(KeyManagementAlgorithm.ecdhESA256KW)
    /// `A128GCMKW`; see `KeyManagementAlgorithm.a128GCMKW`.
    public static let a128GCMKW = JOSEAlgorithm(KeyManagementAlgorithm.a128GCMKW)
    /// `A192GCMKW`; see `KeyManagementAlgorithm.a192GCMKW`.
    public static let a192GCMKW = JOSEAlgorithm(KeyManagementAlgorithm.a192GCMKW)
    /// `A256GCMKW`; see `KeyManagementAlgorithm.a256GCMKW`.
    public static let a256GCMKW = JOSEAlgorithm(KeyManagementAlgorithm.a256GCMKW)

    #if PBES2
        /// `PBES2-HS256+A128KW`; see `KeyManagementAlgorithm.pbes2HS256A128KW`.
        public static let pbes2HS256A128KW = JOSEAlgorithm(KeyManagementAlgorithm.pbes2HS256A128KW)
        /// `PBES2-HS384+A192KW`; see `KeyManagementAlgorithm.pbes2HS384A192KW`.
        public static let pbes2HS384A192KW = JOSEAlgorithm(KeyManagementAlgorithm.pbes2HS384A192KW)
        /// `PBES2-HS512+A256KW`; see `KeyManagementAlgorithm.pbes2HS512A256KW`.
        public static let pbes2HS512A256KW = JOSEAlgorithm(KeyManagementAlgorithm.pbes2HS512A256KW)
    #endif
}

// MARK: Content encryption

extension JOSEAlgorithm {
    /// `A128CBC-HS256`; see `ContentEncryptionAlgorithm.a128CBCHS256`.
    public static let a128CBCHS256 = JOSEAlgorithm(ContentEncryptionAlgorithm.a128CBCHS256)
    /// `A192CBC-HS384`; see `ContentEncryptionAlgorithm.a192CBCHS384`.
    public static let a192CBCHS384 = JOSEAlgorithm(ContentEncryptionAlgorithm.a192CBCHS384)
    /// `A256CBC-HS512`; see `ContentEncryptionAlgorithm.a256CBCHS512`.
    public static let a256CBCHS512 = JOSEAlgorithm(ContentEncryptionAlgorithm.a256CBCHS512)
    /// `A128GCM`; see `ContentEncryptionAlgorithm.a128GCM`.
    public static let a128GCM = JOSEAlgorithm(ContentEncryptionAlgorithm.a128GCM)
    /// `A192GCM`; see `ContentEncryptionAlgorithm.a192GCM`.
    public static let a192GCM = JOSEAlgorithm(ContentEncryptionAlgorithm.a192GCM)
    /// `A256GCM`; see `ContentEncryptionAlgorithm.a256GCM`.
    public static let a256GCM = JOSEAlgorithm(ContentEncryptionAlgorithm.a256GCM)
}
