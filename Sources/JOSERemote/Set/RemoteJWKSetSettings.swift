// The times and sizes that a remote set keeps to.

public import JOSE

/// When a remote set asks its server again, how long it trusts what it has, and what a request may cost.
public struct RemoteJWKSetSettings: Sendable {
    /// How long a set is fresh at least, whatever the server says; also where it says nothing. Default 5 minutes,
    /// never over 366 days. Below 10 seconds it is 10 seconds from the set's arrival, the least time between two requests.
    public var minFreshness: Duration = .seconds(300) {
        didSet { minFreshness = RemoteJWKSetSettings.within(minFreshness) }
    }
    /// How long a set is fresh at most, whatever the server says. Default 24 hours, never over 366 days.
    public var maxFreshness: Duration = .seconds(86_400) {
        didSet { maxFreshness = RemoteJWKSetSettings.within(maxFreshness) }
    }
    /// How long a set serves beyond its freshness while the server fails. Default 1 hour, never over 366 days.
    public var staleFor: Duration = .seconds(3_600) {
        didSet { staleFor = RemoteJWKSetSettings.within(staleFor) }
    }
    /// The time between two requests because of an unknown `kid`, of which the first was answered. Default 5 minutes, never
    /// below 10 seconds and never over 366 days.
    public var unknownKeyIDInterval: Duration = .seconds(300) {
        didSet {
            unknownKeyIDInterval = RemoteJWKSetSettings.within(
                max(unknownKeyIDInterval, .seconds(10)))
        }
    }
    /// The time limit of a request. Default 5 seconds, 100 milliseconds to 60 seconds.
    public var requestTime: Duration = .seconds(5) {
        didSet { requestTime = min(max(requestTime, .milliseconds(100)), .seconds(60)) }
    }
    /// What is demanded of the certificates in the set, by the store's anchors. Default: nothing.
    public var certificates = CertificateRule.ignore
    /// How the keys compute.
    public var acceleration = KeyAcceleration.automatic
    /// Bounds on the set; `keySetBytes` is also the most that is read of a body.
    public var limits = JOSELimits.standard

    /// The defaults.
    public init() {}

    /// The least time between two requests: counted from the last attempt, longer after each failure in a row.
    static let cooldown: Duration = .seconds(10)
    /// The longest cooldown.
    static let maxCooldown: Duration = .seconds(60)
    /// The longest time by which a refresh comes before the end of freshness.
    static let maxLead: Duration = .seconds(300)

    /// Times stay where sums of a few of them are Durations.
    private static func within(_ asked: Duration) -> Duration {
        min(max(asked, .zero), .seconds(366 * 86_400))
    }

    /// What the server says, within our bounds.
    func lifetime(_ served: Duration?) -> Duration {
        min(max(served ?? minFreshness, minFreshness), max(maxFreshness, minFreshness))
    }
}
