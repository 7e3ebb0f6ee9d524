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

    /// The defaults.
    public init() {}

    /// The defaults.
    public static let standard = Limits()
}
