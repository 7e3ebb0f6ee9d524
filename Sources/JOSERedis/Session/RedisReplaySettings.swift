// The names, times and bounds that the store keeps to.

/// How the store names its keys, how long it waits, and what it bounds.
public struct RedisReplaySettings: Sendable {
    /// What the store's keys start with. All machines that share entries use one prefix. Default `jose`.
    public var prefix = "jose"
    /// The time limit of a claim, connecting included. Default 1 second, 10 milliseconds to 30 seconds.
    public var timeLimit: Duration {
        get { anyTimeLimit }
        set { anyTimeLimit = min(max(newValue, .milliseconds(10)), .seconds(30)) }
    }
    /// The same without its bounds: a machine that is full of other tests answers when it can.
    package var anyTimeLimit: Duration = .seconds(1)
    /// By how much the clocks of machines may differ. Default 60 seconds.
    ///
    /// Those of issuers may differ by `maxLeeway`. Entries stay this much longer; after a loss, tokens are rejected until
    /// their `iat` is this much and the leeway after it, and what the machines issued themselves, such as codes, until its issue is
    /// this much after it.
    public var clockTolerance: Duration = .seconds(60) {
        didSet { clockTolerance = min(max(clockTolerance, .zero), .seconds(300)) }
    }
    /// The longest leeway of all verifiers that share the store, on all machines. Default 300 seconds, as much as any policy
    /// allows; up to a day.
    ///
    /// After a loss a token may have been used with another verifier, which took it further ahead of its `iat` than the one that
    /// has it now. A shorter time must be true of every verifier; a use that tells of a longer one is judged by that.
    public var maxLeeway: Duration = .seconds(300) {
        didSet { maxLeeway = min(max(maxLeeway, .zero), .seconds(86_400)) }
    }
    /// The longest time from now to the end of an entry; longer ones are rejected. Default 10 minutes and 301 seconds:
    /// the longest `exp`, the longest leeway, and the second that `claim` adds.
    public var maxLifetime: Duration = .seconds(901) {
        didSet { maxLifetime = min(max(maxLifetime, .seconds(1)), .seconds(86_400)) }
    }
    /// How many tokens of one issuer are taken in ten minutes, over all machines; nil sets no bound. Default 100,000.
    public var quota: Int? = 100_000 {
        didSet { quota = quota.map { max($0, 1) } }
    }
    /// The longest time between attempts to connect while they fail. Default 5 seconds.
    public var maxRetryDelay: Duration = .seconds(5) {
        didSet { maxRetryDelay = min(max(maxRetryDelay, .milliseconds(10)), .seconds(60)) }
    }

    /// The defaults.
    public init() {}

    /// The window in which tokens of an issuer are counted.
    static let quotaWindowSeconds: Int64 = 600

    /// The time until the next attempt, after so many failures in a row; the store shortens it by chance.
    func backoff(_ failures: Int) -> Duration {
        min(.milliseconds(50) * (1 << min(max(failures, 1), 16)), maxRetryDelay)
    }
}
