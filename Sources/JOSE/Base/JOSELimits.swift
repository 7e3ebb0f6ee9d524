// Every bound on foreign input, in one value.

import JOSECrypto

/// The bounds that foreign input must keep; each is checked before the work that it bounds.
///
/// The defaults suit OpenID Connect; raise a member openly where a use needs it. A number beyond what a member can be is
/// kept at the nearest that it can be.
public struct JOSELimits: Sendable, Hashable {
    /// A whole compact token, in bytes; at most 512 MiB.
    public var tokenBytes = 262_144 {
        didSet { tokenBytes = JOSELimits.bytes(tokenBytes) }
    }
    /// A protected header, in characters of its base64url text; at most 512 MiB.
    public var headerBytes = 16_384 {
        didSet { headerBytes = JOSELimits.bytes(headerBytes) }
    }
    /// How deep JSON may nest; at most 128.
    public var jsonDepth = 32 {
        didSet { jsonDepth = min(max(jsonDepth, 0), 128) }
    }
    /// A `kid`, in bytes of UTF-8; at most 512 MiB.
    public var keyIDBytes = 1_024 {
        didSet { keyIDBytes = JOSELimits.bytes(keyIDBytes) }
    }
    /// A JWK Set, in bytes; at most 512 MiB.
    public var keySetBytes = 524_288 {
        didSet { keySetBytes = JOSELimits.bytes(keySetBytes) }
    }
    /// The number of keys in a JWK Set; at most 1,048,576.
    public var keyCount = 1_000 {
        didSet { keyCount = min(max(keyCount, 0), 1 << 20) }
    }
    /// The certificates of an `x5c` member; at most 16.
    public var chainCount = 4 {
        didSet { chainCount = min(max(chainCount, 0), CertificateChain.maxCertificates) }
    }
    /// The signatures or recipients of a JSON serialisation, which may have 128 names and values for each, 2,048 at least;
    /// at most 1,000. Also how many private keys are tried for one token, where several may be for a recipient.
    public var recipientCount = 16 {
        didSet { recipientCount = min(max(recipientCount, 0), 1_000) }
    }
    /// What a compressed plaintext may grow to, in bytes; at most 512 MiB.
    public var inflatedBytes = 250_000 {
        didSet { inflatedBytes = JOSELimits.bytes(inflatedBytes) }
    }
    /// The fewest iterations of a password's derivation, `p2c`; never below 1.
    public var minIterations = 1_000 {
        didSet { minIterations = min(max(minIterations, 1), 1 << 31) }
    }
    /// The most iterations of a password's derivation, `p2c`; never above 2,147,483,647.
    public var maxIterations = 1_000_000 {
        didSet { maxIterations = min(max(maxIterations, 0), (1 << 31) - 1) }
    }
    /// The smallest RSA modulus, in bits; never below 2048.
    public var minRSABits = 2_048 {
        didSet { minRSABits = min(max(minRSABits, 2_048), JOSELimits.maxRSABits + 1) }
    }
    /// The largest RSA modulus, in bits; never above 16384.
    public var maxRSABits = 8_192 {
        didSet { maxRSABits = min(max(maxRSABits, 0), JOSELimits.maxRSABits) }
    }
    /// The most iterations of all recipients of one token together; where it is less than `maxIterations`, that counts.
    ///
    /// A million costs a reader a quarter of a second to a whole one. Two passwords of the usual 600,000 iterations are too
    /// many for one token: two have 500,000 each, sixteen 62,500.
    public var tokenIterations = 1_000_000 {
        didSet { tokenIterations = JOSELimits.iterations(tokenIterations) }
    }
    /// The most iterations of a key file: of its MAC, its encrypted parts and its keys together.
    ///
    /// Those with SHA-384 and SHA-512 count twice, as they take twice as long. A PKCS#12 file as it is written here has
    /// 1,800,000.
    public var keyFileIterations = 2_000_000 {
        didSet { keyFileIterations = JOSELimits.iterations(keyFileIterations) }
    }

    /// The defaults.
    public init() {}

    /// The bound on the sum of `p2c`: one derivation is bounded by its own.
    var iterationsInAll: Int { max(tokenIterations, maxIterations) }

    private static func iterations(_ asked: Int) -> Int { min(max(asked, 0), (1 << 31) - 1) }

    /// The defaults.
    public static let standard = JOSELimits()

    private static let maxRSABits = 16_384

    /// Sizes stay below what positions in a text can tell.
    private static func bytes(_ asked: Int) -> Int { min(max(asked, 0), 1 << 29) }

    /// The sizes of a modulus, where a key's shape was accepted by both bounds.
    var rsaBits: ClosedRange<Int> { minRSABits...max(minRSABits, maxRSABits) }
}
