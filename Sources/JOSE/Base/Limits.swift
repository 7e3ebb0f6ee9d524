// Every bound on foreign input, in one value.

/// The bounds that foreign input must keep; each is checked before the work that it bounds.
///
/// The defaults suit OpenID Connect; raise a member openly where a use needs it.
public struct Limits: Sendable, Hashable {
    /// A whole compact token, in bytes.
    public var tokenBytes = 262_144
    /// A protected header, in characters of its base64url text.
    public var headerBytes = 16_384
    /// How deep JSON may nest.
    public var jsonDepth = 32
    /// A `kid`, in bytes of UTF-8.
    public var keyIDBytes = 1_024
    /// A JWK Set, in bytes.
    public var keySetBytes = 524_288
    /// The number of keys in a JWK Set.
    public var keyCount = 1_000
    /// The certificates of an `x5c` member.
    public var chainCount = 4
    /// The signatures or recipients of a JSON serialisation, which may have 128 names and values for each, 2,048 at least.
    /// Also how many private keys are tried for one token, where several may be for a recipient.
    public var recipientCount = 16
    /// What a compressed plaintext may grow to, in bytes.
    public var inflatedBytes = 250_000
    /// The fewest iterations of a password's derivation, `p2c`.
    public var minimumIterations = 1_000
    /// The most iterations of a password's derivation, `p2c`.
    public var maximumIterations = 1_000_000
    /// The smallest RSA modulus, in bits; never below 2048.
    public var minimumRSABits = 2_048 {
        didSet { minimumRSABits = max(minimumRSABits, 2_048) }
    }
    /// The largest RSA modulus, in bits; never above 16384.
    public var maximumRSABits = 8_192 {
        didSet { maximumRSABits = min(maximumRSABits, 16_384) }
    }
    /// The most iterations of all recipients of one token together; where it is less than `maximumIterations`, that counts.
    ///
    /// A million costs a reader a quarter of a second to a whole one. Two passwords of the usual 600,000 iterations are too
    /// many for one token: two have 500,000 each, sixteen 62,500.
    public var tokenIterations = 1_000_000 {
        didSet { tokenIterations = Limits.iterations(tokenIterations) }
    }
    /// The most iterations of a key file: of its MAC, its encrypted parts and its keys together.
    ///
    /// Those with SHA-384 and SHA-512 count twice, as they take twice as long. A PKCS#12 file as it is written here has
    /// 1,800,000.
    public var keyFileIterations = 2_000_000 {
        didSet { keyFileIterations = Limits.iterations(keyFileIterations) }
    }

    /// The defaults.
    public init() {}

    /// The bound on the sum of `p2c`: one derivation is bounded by its own.
    var iterationsInAll: Int { max(tokenIterations, maximumIterations) }

    private static func iterations(_ asked: Int) -> Int { min(max(asked, 0), (1 << 31) - 1) }

    /// The defaults.
    public static let standard = Limits()
}
