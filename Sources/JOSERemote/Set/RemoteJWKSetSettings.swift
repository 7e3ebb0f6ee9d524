// The settings of a remote set.

public import JOSE

/// The refresh times, limits and certificate rule of a `RemoteJWKSet`. Values outside a range are
/// clamped to it.
public struct RemoteJWKSetSettings: Sendable {
    /// The minimum freshness of a set, and the freshness if the server sends none: 0 seconds to 366
    /// days. Default 5 minutes. A set is fresh for at least 10 seconds from its arrival, unless a
    /// certificate expires earlier.
    public var minFreshness: Duration = .seconds(300) {
        didSet { minFreshness = RemoteJWKSetSettings.clamped(minFreshness) }
    }
    /// The maximum freshness: 0 to 366 days. Default 24 hours. A larger `minFreshness` wins.
    public var maxFreshness: Duration = .seconds(86_400) {
        didSet { maxFreshness = RemoteJWKSetSettings.clamped(maxFreshness) }
    }
    /// How long an expired set is used while the server fails: 0 to 366 days. Default 1 hour.
    public var staleFor: Duration = .seconds(3_600) {
        didSet { staleFor = RemoteJWKSetSettings.clamped(staleFor) }
    }
    /// The minimum time from a successful request for an unknown `kid` to the next such request: 10
    /// seconds to 366 days. Default 5 minutes.
    public var unknownKeyIDInterval: Duration = .seconds(300) {
        didSet {
            unknownKeyIDInterval = RemoteJWKSetSettings.clamped(
                max(unknownKeyIDInterval, .seconds(10)))
        }
    }
    /// The time limit of a request: 100 milliseconds to 60 seconds. Default 5 seconds.
    public var requestTime: Duration = .seconds(5) {
        didSet { requestTime = min(max(requestTime, .milliseconds(100)), .seconds(60)) }
    }
    /// The rule for certificates in the set. Default: ignore them.
    public var certificates = CertificateRule.ignore
    /// Which implementations the fetched keys may use; `.automatic` by default.
    public var acceleration = KeyAcceleration.automatic
    /// The limits on the set; `keySetBytes` is also the maximum size of a response body.
    public var limits = JOSELimits.standard

    /// Creates settings with the defaults.
    public init() {}

    /// The minimum time from the start of a request to the start of the next. It doubles with each
    /// failure in a row after the first, up to `maxCooldown`.
    static let cooldown: Duration = .seconds(10)
    static let maxCooldown: Duration = .seconds(60)
    /// The maximum time between the start of a refresh and the end of freshness.
    static let maxLead: Duration = .seconds(300)

    /// Clamps a time, so that sums of a few times cannot overflow.
    private static func clamped(_ time: Duration) -> Duration {
        min(max(time, .zero), .seconds(366 * 86_400))
    }

    func lifetime(_ serverFreshness: Duration?) -> Duration {
        min(max(serverFreshness ?? minFreshness, minFreshness), max(maxFreshness, minFreshness))
    }
}
