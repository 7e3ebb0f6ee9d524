// The events of a remote set.

public import JOSE

/// An event of a `RemoteJWKSet`. It contains no key and no token content.
public struct RemoteJWKSetEvent: JOSEEvent {
    /// The kind of an event. Later versions may add kinds.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last part of the event's name, such as `replaced`.
        public let description: String
        let level: JOSEEventLevel

        /// A request started.
        public static let started = Kind(description: "started", level: .debug)
        /// The server sent another set, which is now used.
        public static let replaced = Kind(description: "replaced", level: .info)
        /// The server still has the cached set.
        public static let unchanged = Kind(description: "unchanged", level: .debug)
        /// The request failed: see `failure`. The cached set is used until it is too old.
        public static let failed = Kind(description: "failed", level: .warning)
        /// Callers were rejected because no set is fresh enough: `count` of them since the last
        /// such event. At most one event every 10 seconds.
        public static let rejected = Kind(description: "rejected", level: .error)
        /// Callers were rejected because the set lacks their `kid` and the last request failed:
        /// `count` of them since the last such event. At most one event every
        /// `unknownKeyIDInterval`, since anyone can send such tokens.
        public static let unknownKeyID = Kind(description: "unknown-kid", level: .warning)

        package static let all: [Kind] = [
            started, replaced, unchanged, failed, rejected, unknownKeyID,
        ]
        package var descriptor: (name: String, level: JOSEEventLevel) {
            ("jose.keyset.\(self)", level)
        }
    }

    /// What happened.
    public let kind: Kind
    /// The URL that the set was created with.
    public let url: String
    /// The cause of the request: `first`, `ahead`, `expired`, `unknown-kid`; nil for `rejected` and
    /// `unknownKeyID`.
    public internal(set) var cause: String?
    /// The failure: the description of a `JWKSetTransportError`, the string `status` for an
    /// unexpected HTTP status, or the name of a `JOSEError.Code`.
    public internal(set) var failure: String?
    /// The HTTP status, if there was a response.
    public internal(set) var status: Int?
    /// How long the request took.
    public internal(set) var duration: Duration?
    /// The number of keys in the current set.
    public internal(set) var keyCount: Int?
    /// The number of unusable entries of the current set, such as those with rejected certificates.
    public internal(set) var skippedCount: Int?
    /// For `replaced`: the first 16 unusable entries, with reasons.
    public internal(set) var skipped: [SkippedKey] = []
    /// For `rejected` and `unknownKeyID`: the number of callers since the last event of this kind.
    public internal(set) var count: Int?
    /// Whether callers get keys now; for `failed`, whether the cached set is still used.
    public internal(set) var isServing: Bool?

    static let maxSkipped = 16

    init(_ kind: Kind, url: String) {
        self.kind = kind
        self.url = url
    }
}

extension RemoteJWKSetEvent {
    /// `jose.keyset.` and the kind.
    public var name: String { kind.descriptor.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// The members that are known.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("url", .string(url)), ("cause", cause.map { .string($0) }),
            ("failure", failure.map { .string($0) }),
            ("status", status.map { .integer(Int64($0)) }),
            ("duration", duration.map { .duration($0) }),
            ("keys", keyCount.map { .integer(Int64($0)) }),
            ("skipped", skippedCount.map { .integer(Int64($0)) }),
            (
                "skipped-keys",
                skipped.isEmpty
                    ? nil : .text(skipped.map(\.description).joined(separator: "; "))
            ),
            ("serving", isServing.map { .boolean($0) }),
            ("count", count.map { .integer(Int64($0)) }),
        ])
    }
}
