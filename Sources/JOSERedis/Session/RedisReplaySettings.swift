// Settings of the Redis store.

/// The key prefix, time limits and bounds of a `RedisReplayStore`.
///
/// Values outside a range are clamped to it.
public struct RedisReplaySettings: Sendable {
    /// The prefix of all keys, the same on all machines that share entries. 1 to 64 printable ASCII
    /// characters. Default `jose`.
    public var prefix = "jose"
    /// The time limit of `markUsed`, including connecting: 10 milliseconds to 30 seconds. Default 1
    /// second.
    public var timeLimit: Duration {
        get { anyTimeLimit }
        set { anyTimeLimit = min(max(newValue, .milliseconds(10)), .seconds(30)) }
    }
    /// The time limit without clamping, for tests on a busy machine.
    package var anyTimeLimit: Duration = .seconds(1)
    /// The maximum difference between the clocks of your machines: 0 to 300 seconds. Default 60
    /// seconds. `maxLeeway` covers the clocks of issuers.
    ///
    /// Entries are kept this much longer. After a loss of data, a token is accepted only if its
    /// `iat` is later than the loss by the sum of this time and `maxLeeway`. For values that your
    /// machines issue, such as codes, only this time counts.
    public var clockTolerance: Duration = .seconds(60) {
        didSet {
            clockTolerance = min(
                max(clockTolerance, .zero), .seconds(RedisReplaySettings.maxClockToleranceSeconds))
        }
    }
    /// The maximum leeway of all verifiers that share the store, on all machines: 0 seconds to a
    /// day. Default 300 seconds, the maximum that a policy allows.
    ///
    /// Before a loss of data, a verifier with a larger leeway may have accepted a token that this
    /// one would still reject. Set a shorter time only if no verifier has a larger leeway. If
    /// `ReplayEntry.leeway` is larger, that value counts.
    public var maxLeeway: Duration = .seconds(300) {
        didSet { maxLeeway = min(max(maxLeeway, .zero), .seconds(86_400)) }
    }
    /// The maximum time from now to the end of an entry, 1 second to a day. Tokens that live longer
    /// are rejected. Default 901 seconds: 10 minutes until `exp`, 300 seconds of leeway, and the
    /// second that `markUsed` adds.
    public var maxLifetime: Duration = .seconds(901) {
        didSet { maxLifetime = min(max(maxLifetime, .seconds(1)), .seconds(86_400)) }
    }
    /// The maximum number of tokens of one issuer that all machines together accept in ten minutes:
    /// at least 1. Nil sets no bound. Default 100,000.
    public var quota: Int? = 100_000 {
        didSet { quota = quota.map { max($0, 1) } }
    }
    /// The maximum time between failing attempts to connect, 10 milliseconds to 60 seconds. Default
    /// 5 seconds.
    public var maxRetryDelay: Duration = .seconds(5) {
        didSet { maxRetryDelay = min(max(maxRetryDelay, .milliseconds(10)), .seconds(60)) }
    }

    /// Creates settings with the defaults.
    public init() {}

    /// The window in which tokens of an issuer are counted.
    static let quotaWindowSeconds: Int64 = 600
    /// The upper end of the range of `clockTolerance`.
    static let maxClockToleranceSeconds: Int64 = 300

    /// The maximum time until the next attempt after this many failures in a row. The store waits a
    /// random 50 to 100 % of this time.
    func backoff(_ failures: Int) -> Duration {
        min(.milliseconds(50) * (1 << min(max(failures, 1), 16)), maxRetryDelay)
    }
}
