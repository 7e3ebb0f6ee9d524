// The rules for DPoP proofs: algorithms and times.

public import JOSE

/// The rules for DPoP proofs (RFC 9449). Servers that share a replay store must share the rules.
public struct DPoPRules: Sendable {
    /// The accepted algorithms, for P-256, Ed25519 and RSA keys; the preferred first.
    public var algorithms: [SignatureAlgorithm] = [.es256, .ed25519, .edDSA, .ps256, .rs256]
    /// The maximum age of a proof; 1 to 300 whole seconds. The leeway is added.
    public var maxAge = Duration.seconds(60)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }
    /// The tolerated clock difference; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }
    /// Whether vector code or OpenSSL verifies proofs; see `JWK.withAcceleration(_:)`. Untrusted
    /// senders choose the keys of proofs. If a client has its own profile, the setting that allows
    /// fewer implementations applies.
    public var acceleration = KeyAcceleration.automatic

    /// Creates rules with the default values.
    public init() {}

    /// The default rules.
    public static let standard = DPoPRules()

    /// Smaller than `JOSELimits.standard`, as anyone can send a proof.
    static let limits: JOSELimits = {
        var limits = JOSELimits.standard
        limits.tokenBytes = 16_384
        limits.headerBytes = 8_192
        limits.jsonDepth = 8
        return limits
    }()

    func check() throws(JOSEError) {
        guard 1...300 ~= maxAgeSeconds, 0...300 ~= leewaySeconds else {
            throw .misuse("dpop.maxAge must be 1 to 300 seconds, dpop.leeway 0 to 300")
        }
        guard !algorithms.isEmpty else { throw .misuse("dpop.algorithms is empty") }
    }

    /// How long after its `iat` a proof is kept in the replay store.
    var keptSeconds: Int { maxAgeSeconds + leewaySeconds + 1 }

    var algorithmNames: [String] { algorithms.map(\.name) }
}

/// Whether a server accepts DPoP proofs.
public enum DPoPRequirement: Sendable, Hashable {
    /// Proofs are ignored.
    case ignored
    /// A client may send a proof, and its token is then bound to the key.
    case accepted
    /// Every client must send a proof.
    case required
}
