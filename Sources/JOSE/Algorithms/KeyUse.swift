// KeyUse and KeyOperations: the intended use of a key, `use` and `key_ops`.

import JOSEBytes

/// The intended use of a public key, `use` (RFC 7517, 4.2).
public struct KeyUse: Sendable, Hashable {
    /// The identifier in a JWK.
    public var name: String { exact.text }
    private let exact: ExactString

    init(name: String) { exact = ExactString(name) }

    /// `sig`: signatures.
    public static let signature = KeyUse(name: "sig")
    /// `enc`: encryption.
    public static let encryption = KeyUse(name: "enc")
}

/// The registered operations that a key may be used for, `key_ops` (RFC 7517, 4.3).
public struct KeyOperations: OptionSet, Sendable, Hashable {
    /// One bit for each registered operation.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Compute a signature or MAC.
    public static let sign = KeyOperations(rawValue: 1)
    /// Verify a signature or MAC.
    public static let verify = KeyOperations(rawValue: 2)
    /// `encrypt`: encrypt content, as `dir` does.
    public static let encrypt = KeyOperations(rawValue: 4)
    /// `decrypt`: decrypt content, as `dir` does.
    public static let decrypt = KeyOperations(rawValue: 8)
    /// `wrapKey`: encrypt a content encryption key, as RSA-OAEP and AES key wrapping do.
    public static let wrapKey = KeyOperations(rawValue: 16)
    /// `unwrapKey`: decrypt a content encryption key.
    public static let unwrapKey = KeyOperations(rawValue: 32)
    /// `deriveKey`: derive a key, as ECDH-ES does.
    public static let deriveKey = KeyOperations(rawValue: 64)
    /// Derive bits that are not used as a key.
    public static let deriveBits = KeyOperations(rawValue: 128)

    static let names: [(name: StaticString, operation: KeyOperations)] = [
        ("sign", .sign), ("verify", .verify), ("encrypt", .encrypt), ("decrypt", .decrypt),
        ("wrapKey", .wrapKey), ("unwrapKey", .unwrapKey), ("deriveKey", .deriveKey),
        ("deriveBits", .deriveBits),
    ]

    static let forSignatures: KeyOperations = [.sign, .verify]
    static let forEncryption: KeyOperations = [
        .encrypt, .decrypt, .wrapKey, .unwrapKey, .deriveKey, .deriveBits,
    ]
}
