// What a proof of possession must be: algorithms and times, the same for everybody who shares a store of proofs.

public import JOSE

/// The rules for proofs of possession (RFC 9449).
public struct DPoPRules: Sendable {
    /// The only algorithms, the preferred first; those of P-256, Ed25519 and RSA keys.
    public var algorithms: [SignatureAlgorithm] = [.es256, .ed25519, .edDSA, .ps256, .rs256]
    /// How old a proof may be, besides the leeway; 1 to 300 whole seconds.
    public var maxAge = Duration.seconds(60)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }
    /// How far clocks may differ; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }
    /// How the keys in proofs compute, which are strangers'; see `JWK.withAcceleration(_:)`. Of a
    /// server's rules and a client's own the stricter counts.
    public var acceleration = KeyAcceleration.automatic

    /// The defaults.
    public init() {}

    /// The defaults.
    public static let standard = DPoPRules()

    /// Bounds on a proof: its key is a stranger's, so is its size.
    static let limits: JOSELimits = {
        var limits = JOSELimits.standard
        limits.tokenBytes = 16_384
        limits.headerBytes = 8_192
        limits.jsonDepth = 8
        return limits
    }()

    /// Throws `misuse` for a number that is out of its range, or a list that cannot be.
    func check() throws(JOSEError) {
        guard 1...300 ~= maxAgeSeconds, 0...300 ~= leewaySeconds else {
            throw .misuse("a proof is 1 to 300 seconds old, with a leeway of 0 to 300 seconds")
        }
        guard !algorithms.isEmpty else { throw .misuse("name the algorithms to accept") }
    }

    /// For how long behind its `iat` a proof is remembered.
    var keptSeconds: Int { maxAgeSeconds + leewaySeconds + 1 }

    /// The names of the algorithms, as metadata and challenges list them.
    var algorithmNames: [String] { algorithms.map(\.name) }
}

/// Whether a server takes proofs of possession.
public enum DPoPRequirement: Sendable, Hashable {
    /// It does not look at them.
    case ignored
    /// A client may bring one, and then its token is bound to the key.
    case accepted
    /// Every client brings one.
    case required
}
