// What a remote set tells logs and metrics.

/// Something that happened to a remote set. Holds no key and nothing that a token said.
public struct RemoteJWKSetEvent: Sendable {
    /// What happened; new kinds may be added in later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The word for logs and metrics, such as `replaced`.
        public let description: String

        /// A request started.
        public static let started = Kind(description: "started")
        /// The server sent another set, which now serves.
        public static let replaced = Kind(description: "replaced")
        /// The server has the set that we have.
        public static let unchanged = Kind(description: "unchanged")
        /// The request failed; `fault` says why. An earlier set serves on until its time ends.
        public static let failed = Kind(description: "failed")
        /// A caller was refused, since there is no set that is fresh enough, or it lacks the `kid` and the last request
        /// failed.
        public static let refused = Kind(description: "refused")
    }

    /// What happened.
    public let kind: Kind
    /// Where the set lives.
    public let url: String
    /// Why the request was made: `first`, `ahead`, `expired`, `unknown-kid`; nil for `refused`.
    public internal(set) var cause: String?
    /// What went wrong: a transport's word, `status`, or a `JOSEError` code's name.
    public internal(set) var fault: String?
    /// The HTTP status, where there was an answer.
    public internal(set) var status: Int?
    /// The time from the start of the request to its end.
    public internal(set) var duration: Duration?
    /// The number of keys in the set that serves now.
    public internal(set) var keyCount: Int?

    /// The number of keys in it that cannot be used, such as those whose certificates were refused.
    public internal(set) var skippedCount: Int?

    init(_ kind: Kind, url: String) {
        self.kind = kind
        self.url = url
    }
}
