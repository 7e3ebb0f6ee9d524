// What a store tells a log.

public import JOSE

/// Something that happened to a store; never holds a token's content or a password.
public struct RedisReplayEvent: Sendable {
    /// What happened; new kinds may be added in later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The word for logs and metrics, such as `connected`.
        public let description: String

        /// A connection was made and the server is fit.
        public static let connected = Kind(description: "connected")
        /// An attempt failed; `fault` says why.
        public static let failed = Kind(description: "failed")
        /// The connection ended; the next claim makes another.
        public static let lost = Kind(description: "lost")
        /// A new epoch began, as the server had no entries of before: tokens issued until `epoch` are refused.
        public static let newEpoch = Kind(description: "new-epoch")
        /// A claim was refused; `fault` says why, `used` among others.
        public static let refused = Kind(description: "refused")
    }

    /// What happened.
    public let kind: Kind
    /// The server, without user and password.
    public let server: String
    /// Why.
    public internal(set) var fault: RedisFault?
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
