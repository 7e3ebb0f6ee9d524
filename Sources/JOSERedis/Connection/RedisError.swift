// Why the store over Redis rejects, for logs and for callers that connect ahead.

import JOSE

/// What kept a use from being claimed, or a server from being used.
public struct RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for logs and metrics, such as `time-limit`; the server's own codes stand as `server: MISCONF`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// No address, or no connection.
    public static let unreachable = RedisError("unreachable")
    /// The connection broke, the server owed an answer for too long, or another claim was answered nonsense.
    public static let lost = RedisError("lost")
    /// The time limit passed. The server may have stored the entry: the token counts as used.
    public static let timeLimit = RedisError("time-limit")
    /// The server answers what the protocol or the command does not allow.
    public static let broken = RedisError("broken")
    /// More than 65,536 requests wait on the connection.
    public static let busy = RedisError("busy")
    /// The last attempts failed; the next one has to wait.
    public static let backingOff = RedisError("backing-off")
    /// The store was closed.
    public static let closed = RedisError("closed")
    /// Memory, threads or the digest failed.
    public static let `internal` = RedisError("internal")

    /// The server does not take the user and password, or does not let the user do what the store needs.
    public static let denied = RedisError("denied")
    /// `maxmemory-policy` is not `noeviction`: the server would forget entries that must stay.
    public static let evicts = RedisError("evicts")
    /// The server is a replica.
    public static let notPrimary = RedisError("not-primary")
    /// The server is part of a cluster, which this store does not support.
    public static let cluster = RedisError("cluster")
    /// The server takes no writes now.
    public static let readOnly = RedisError("read-only")
    /// The server lost its entries, or is not the one that we connected to.
    public static let changed = RedisError("changed")

    /// The server has no memory left.
    public static let full = RedisError("full")
    /// The issuer has as many tokens in this window as it may have.
    public static let quota = RedisError("quota")
    /// The token was used before, or has expired.
    public static let used = RedisError("used")
    /// The token was issued before the store's epoch: whether it was used is not known any more.
    public static let beforeEpoch = RedisError("before-epoch")
    /// The token lives longer than `RedisReplaySettings.maxLifetime`.
    public static let lifetime = RedisError("lifetime")

    /// An error reply, by its first word: at most 24 letters A to Z.
    static func server(_ reply: String) -> RedisError {
        // By bytes: a `Character` may be as long as the reply, and its comparison takes quadratic
        // time.
        let code = String(Substring(reply.utf8.prefix(24).prefix { 0x41...0x5a ~= $0 }))
        return known[code] ?? RedisError("server: \(code)")
    }

    private static let known: [String: RedisError] = [
        "OOM": .full, "READONLY": .readOnly, "NOAUTH": .denied, "WRONGPASS": .denied,
        "NOPERM": .denied, "MOVED": .cluster, "CLUSTERDOWN": .cluster,
    ]

    /// What it means for the token.
    var replayFailure: ReplayStoreError {
        switch self {
        case .used: .used
        case .beforeEpoch: .issuedBeforeStore
        case .full: .full
        case .quota: .quotaExceeded
        case .lifetime: .lifetimeTooLong
        default: .unavailable
        }
    }
}
