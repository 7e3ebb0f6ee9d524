// What a remote set tells logs and metrics.

public import JOSE

/// Something that happened to a remote set. Holds no key and nothing that a token said.
public struct RemoteJWKSetEvent: JOSEEvent {
    /// What happened; new kinds may be added in later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The last word of the event's name, such as `replaced`.
        public let description: String
        let level: JOSEEventLevel

        /// A request started.
        public static let started = Kind(description: "started", level: .debug)
        /// The server sent another set, which now serves.
        public static let replaced = Kind(description: "replaced", level: .info)
        /// The server has the set that we have.
        public static let unchanged = Kind(description: "unchanged", level: .debug)
        /// The request failed; `failure` says why. An earlier set serves on until its time ends.
        public static let failed = Kind(description: "failed", level: .warning)
        /// Callers were rejected, since there is no set that is fresh enough; `count` says how many
        /// since the event before. At most one every 10 seconds.
        public static let rejected = Kind(description: "rejected", level: .error)
        /// Callers were rejected, since the set that serves lacks their `kid` and the last request
        /// failed; `count` says how many since the event before. At most one every
        /// `unknownKeyIDInterval`: anybody may send such tokens.
        public static let unknownKeyID = Kind(description: "unknown-kid", level: .warning)

        package static let all: [Kind] = [
            started, replaced, unchanged, failed, rejected, unknownKeyID,
        ]
        package var row: (name: String, level: JOSEEventLevel) { ("jose.keyset.\(self)", level) }
    }

    /// What happened.
    public let kind: Kind
    /// Where the set lives.
    public let url: String
    /// Why the request was made: `first`, `ahead`, `expired`, `unknown-kid`; nil for `rejected` and
    /// `unknownKeyID`.
    public internal(set) var cause: String?
    /// What went wrong: a transport's word, `status`, or a `JOSEError` code's name.
    public internal(set) var failure: String?
    /// The HTTP status, where there was an answer.
    public internal(set) var status: Int?
    /// The time from the start of the request to its end.
    public internal(set) var duration: Duration?
    /// The number of keys in the set that serves now.
    public internal(set) var keyCount: Int?
    /// The number of its entries that cannot be used, such as those whose certificates were
    /// rejected.
    public internal(set) var skippedCount: Int?
    /// Of a set that replaced another: which of its entries are skipped, and why; the first 16.
    public internal(set) var skipped: [SkippedKey] = []
    /// Of `rejected` and `unknownKeyID`: how many callers since the event of this kind before.
    public internal(set) var count: Int?
    /// Whether a caller is given keys now: of a failed request, whether an earlier set stands in.
    public internal(set) var isServing: Bool?

    static let maxSkipped = 16

    init(_ kind: Kind, url: String) {
        self.kind = kind
        self.url = url
    }
}

extension RemoteJWKSetEvent {
    /// `jose.keyset.` and the kind.
    public var name: String { kind.row.name }
    /// The kind's level.
    public var level: JOSEEventLevel { kind.level }
    /// The members that are known.
    public var values: [(name: String, value: JOSEEventValue)] {
        known([
            ("url", .string(url)), ("cause", cause.map { .string($0) }),
            ("fault", failure.map { .string($0) }), ("status", status.map { .integer(Int64($0)) }),
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
