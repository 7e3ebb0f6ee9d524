// The events of the Redis store.

public import JOSE

/// An event of a `RedisReplayStore`. It never contains token content or a password.
public struct RedisReplayEvent: JOSEEvent {
    /// The kind of an event. Later versions may add kinds.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last part of the event's name, such as `connected`.
        public let description: String
        let level: JOSEEventLevel

        /// The server was connected to and can be used.
        public static let connected = Kind(description: "connected", level: .info)
        /// An attempt to connect failed; `failure` has the reason.
        public static let failed = Kind(description: "failed", level: .warning)
        /// The connection ended. A later call of `markUsed` connects again.
        public static let lost = Kind(description: "lost", level: .warning)
        /// A new epoch began, since the server may have lost entries. Tokens issued before
        /// `epoch` plus a tolerance are rejected; see `RedisReplaySettings.clockTolerance`.
        public static let newEpoch = Kind(description: "new-epoch", level: .warning)
        /// `markUsed` rejected a token; `failure` has the reason, such as `used`.
        public static let rejected = Kind(description: "rejected", level: .warning)

        package static let all: [Kind] = [connected, failed, lost, newEpoch, rejected]
        package var descriptor: (name: String, level: JOSEEventLevel) {
            ("jose.replay.\(self)", level)
        }
    }

    /// What happened.
    public let kind: Kind
    /// The server, without user and password.
    public let server: String
    /// The reason of `failed`, `lost` and `rejected`.
    public internal(set) var failure: RedisError?
    /// How long the attempt to connect, or `markUsed`, took.
    public internal(set) var duration: Duration?
    /// The time until the next attempt to connect may start.
    public internal(set) var retryAfter: Duration?
    /// The server's version, for `connected`.
    public internal(set) var serverVersion: String?
    /// The epoch, for `connected` and `newEpoch`.
    public internal(set) var epoch: NumericDate?

    init(_ kind: Kind, server: String) {
        self.kind = kind
        self.server = server
    }
}

extension RedisReplayEvent {
    /// `jose.replay.` and the kind.
    public var name: String { kind.descriptor.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// The members that are known; `epoch` in whole seconds since 1970.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("server", .string(server)), ("failure", failure.map { .string($0.description) }),
            ("duration", duration.map { .duration($0) }),
            ("retry-after", retryAfter.map { .duration($0) }),
            ("version", serverVersion.map { .string($0) }),
            ("epoch", epoch.map { .integer($0.seconds) }),
        ])
    }
}
