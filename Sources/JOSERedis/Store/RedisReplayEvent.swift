// What a store tells a log.

public import JOSE

/// Something that happened to a store; never holds a token's content or a password.
public struct RedisReplayEvent: JOSEEvent {
    /// What happened; new kinds may be added in later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last word of the event's name, such as `connected`.
        public let description: String
        let level: JOSEEventLevel

        /// A connection was made and the server is fit.
        public static let connected = Kind(description: "connected", level: .info)
        /// An attempt failed; `failure` says why.
        public static let failed = Kind(description: "failed", level: .warning)
        /// The connection ended; the next claim makes another.
        public static let lost = Kind(description: "lost", level: .warning)
        /// A new epoch began, as the server had no entries of before: tokens issued until `epoch` are rejected.
        public static let newEpoch = Kind(description: "new-epoch", level: .warning)
        /// A claim was rejected; `failure` says why, `used` among others.
        public static let rejected = Kind(description: "rejected", level: .warning)

        package static let all: [Kind] = [connected, failed, lost, newEpoch, rejected]
        package var row: (name: String, level: JOSEEventLevel) { ("jose.replay.\(self)", level) }
    }

    /// What happened.
    public let kind: Kind
    /// The server, without user and password.
    public let server: String
    /// Why.
    public internal(set) var failure: RedisError?
    /// The time from the start of the attempt or claim to its end.
    public internal(set) var duration: Duration?
    /// The time before which no further attempt is made.
    public internal(set) var retryAfter: Duration?
    /// The server's version, where it was connected.
    public internal(set) var serverVersion: String?
    /// The epoch, where it was read or began.
    public internal(set) var epoch: NumericDate?

    init(_ kind: Kind, server: String) {
        self.kind = kind
        self.server = server
    }
}

extension RedisReplayEvent {
    /// `jose.replay.` and the kind.
    public var name: String { kind.row.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// The members that are known; `epoch` in whole seconds since 1970.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("server", .string(server)), ("fault", failure.map { .string($0.description) }),
            ("duration", duration.map { .duration($0) }),
            ("retry-after", retryAfter.map { .duration($0) }),
            ("version", serverVersion.map { .string($0) }),
            ("epoch", epoch.map { .integer($0.seconds) }),
        ])
    }
}
