// The settings of the Redis store.

/// The key prefix, time limits and bounds of a `RedisReplayStore`. Values outside a range are
/// clamped to it.
public struct RedisReplaySettings: Sendable {
    /// The prefix of all keys, the same on all machines that share entries: 1 to 64 printable ASCII
    /// characters. Default `jose`.
    public var prefix = "jose"
    /// The time limit of `markUsed`, including connecting: 10 ms to 30 seconds. Default 1 second.
    public var timeLimit: Duration {
        get { anyTimeLimit }
        set { anyTimeLimit = min(max(newValue, .milliseconds(10)), .seconds(30)) }
    }
    /// `timeLimit` without clamping, for tests on a busy machine.
    package var anyTimeLimit: Duration = .seconds(1)
    /// The maximum difference between the clocks of your machines: 0 to 300 seconds. Default 60.
    ///
    /// Entries are kept this much longer. After a loss of data, a token with `iat` is accepted only
    /// if its `iat` is later than the loss by more than this time plus `maxLeeway`. For values that
    /// your machines issue, such as codes, `maxLeeway` does not count.
    public var clockTolerance: Duration = .seconds(60) {
        didSet {
            clockTolerance = min(
                max(clockTolerance, .zero), .seconds(RedisReplaySettings.maxClockToleranceSeconds))
        }
    }
    /// The maximum leeway of all verifiers that share the store, on all machines: 0 seconds to a
    /// day. Default 300 seconds, the maximum that a policy allows.
    ///
    /// Set a shorter time only if no verifier has a larger leeway. Otherwise a token that such a
    /// verifier accepted before a loss of data may be accepted again. If `ReplayEntry.leeway` is
    /// larger, that value counts.
    public var maxLeeway: Duration = .seconds(300) {
        didSet { maxLeeway = min(max(maxLeeway, .zero), .seconds(86_400)) }
    }
    /// The maximum time from now to the end of an entry, 1 second to a day. Tokens that live longer
    /// are rejected. Default 901 seconds: 10 minutes until `exp`, 300 seconds of leeway, and the
    /// second that `markUsed(_:purpose:audience:at:)` adds.
    public var maxLifetime: Duration = .seconds(901) {
        didSet { maxLifetime = min(max(maxLifetime, .seconds(1)), .seconds(86_400)) }
    }
    /// The maximum number of tokens of one issuer that all machines together accept in ten minutes:
    /// at least 1. Concurrent calls may exceed it. Nil sets no bound. Default 100,000.
    public var quota: Int? = 100_000 {
        didSet { quota = quota.map { max($0, 1) } }
    }
    /// The maximum time between failing attempts to connect: 10 ms to 60 s. Default 5 seconds.
    public var maxRetryDelay: Duration = .seconds(5) {
        didSet { maxRetryDelay = min(max(maxRetryDelay, .milliseconds(10)), .seconds(60)) }
    }

    /// Creates settings with the defaults.
    public init() {}

    static let quotaWindowSeconds: Int64 = 600
    static let maxClockToleranceSeconds: Int64 = 300

    /// The wait after this many failures in a row. The store takes a random 50 to 100 % of it.
    func backoff(_ failures: Int) -> Duration {
        min(.milliseconds(50) * (1 << min(max(failures, 1), 16)), maxRetryDelay)
    }
}
