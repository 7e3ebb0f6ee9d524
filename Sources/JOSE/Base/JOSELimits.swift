// JOSELimits: the limits on untrusted input.

import JOSECrypto

/// The limits on untrusted input; each is checked before the work that it bounds.
///
/// The defaults suit OpenID Connect. Raise a limit only where you need it. A value outside the
/// range of a limit becomes the nearest valid value.
public struct JOSELimits: Sendable, Hashable {
    /// The size of a compact token in bytes; at most 512 MiB.
    public var tokenBytes = 262_144 {
        didSet { tokenBytes = JOSELimits.bytes(tokenBytes) }
    }
    /// The size of a protected header in base64url characters; at most 512 MiB.
    public var headerBytes = 16_384 {
        didSet { headerBytes = JOSELimits.bytes(headerBytes) }
    }
    /// The nesting depth of JSON; at most 128.
    public var jsonDepth = 32 {
        didSet { jsonDepth = min(max(jsonDepth, 0), 128) }
    }
    /// The size of a `kid` in bytes; at most 512 MiB.
    public var keyIDBytes = 1_024 {
        didSet { keyIDBytes = JOSELimits.bytes(keyIDBytes) }
    }
    /// The size of a JWK Set in bytes; at most 512 MiB, but JSON of 256 MiB or more is rejected.
    public var keySetBytes = 524_288 {
        didSet { keySetBytes = JOSELimits.bytes(keySetBytes) }
    }
    /// The number of keys in a JWK Set; at most 1,048,576.
    public var keyCount = 1_000 {
        didSet { keyCount = min(max(keyCount, 0), 1 << 20) }
    }
    /// The number of certificates in `x5c`; at most 16.
    public var chainCount = 4 {
        didSet { chainCount = min(max(chainCount, 0), CertificateChain.maxCertificates) }
    }
    /// The number of signatures or recipients of a JSON serialisation; at most 1,000.
    ///
    /// The JSON may have 128 times as many names and values, or 2,048 if that is more. A token
    /// is rejected if several recipients match and more keys than this would be tried.
    public var recipientCount = 16 {
        didSet { recipientCount = min(max(recipientCount, 0), 1_000) }
    }
    /// The size of a decompressed plaintext in bytes; at most 512 MiB.
    public var inflatedBytes = 250_000 {
        didSet { inflatedBytes = JOSELimits.bytes(inflatedBytes) }
    }
    /// The minimum number of PBES2 iterations, `p2c`; never below 1.
    public var minIterations = 1_000 {
        didSet { minIterations = min(max(minIterations, 1), 1 << 31) }
    }
    /// The maximum number of PBES2 iterations, `p2c`; never above 2,147,483,647.
    public var maxIterations = 1_000_000 {
        didSet { maxIterations = min(max(maxIterations, 0), (1 << 31) - 1) }
    }
    /// The minimum size of an RSA modulus in bits; never below 2,048.
    public var minRSABits = 2_048 {
        didSet { minRSABits = min(max(minRSABits, 2_048), JOSELimits.maxRSABits + 1) }
    }
    /// The maximum size of an RSA modulus in bits; never above 16,384.
    public var maxRSABits = 8_192 {
        didSet { maxRSABits = min(max(maxRSABits, 0), JOSELimits.maxRSABits) }
    }
    /// The maximum sum of PBES2 iterations over all recipients of one token. If `maxIterations` is
    /// larger, `maxIterations` applies.
    ///
    /// A million iterations take a reader 0.25 to 1 second. With the default, a token with two
    /// passwords can have 500,000 iterations for each.
    public var tokenIterations = 1_000_000 {
        didSet { tokenIterations = JOSELimits.iterations(tokenIterations) }
    }
    /// The maximum sum of iterations of a key file: its MAC, encrypted parts and keys.
    ///
    /// Iterations with SHA-384 and SHA-512 count twice, as they take twice as long. A PKCS#12 file
    /// that this library writes has 1,800,000.
    public var keyFileIterations = 2_000_000 {
        didSet { keyFileIterations = JOSELimits.iterations(keyFileIterations) }
    }

    /// Creates the default limits, those of `standard`.
    public init() {}

    /// The limit on the sum of `p2c`, which always allows one derivation with `maxIterations`.
    var totalIterations: Int { max(tokenIterations, maxIterations) }

    private static func iterations(_ count: Int) -> Int { min(max(count, 0), (1 << 31) - 1) }

    /// The default limits, which functions use without a parameter `limits`.
    public static let standard = JOSELimits()

    private static let maxRSABits = 16_384

    /// Positions have 32 bits. JSON must even be below 256 MiB (`JSON.sizeLimit`).
    private static func bytes(_ count: Int) -> Int { min(max(count, 0), 1 << 29) }

    var rsaBits: ClosedRange<Int> { minRSABits...max(minRSABits, maxRSABits) }
}
