// The errors of the Redis store, for logs and for callers of `connect()`.

import JOSE

/// Why `markUsed` rejected a token, or why a server cannot be used.
public struct RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The identifier for logs and metrics, such as `time-limit`. For an error code of the server
    /// without a constant here, it is `server: ` and the code, such as `server: MISCONF`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The host name cannot be resolved, or connecting fails.
    public static let unreachable = RedisError("unreachable")
    /// The connection broke or was silent for too long, or `close()` or a failed call ended it.
    public static let lost = RedisError("lost")
    /// The time limit passed. The server may have stored the entry; then a retry throws `used`.
    public static let timeLimit = RedisError("time-limit")
    /// The server sent a reply that the protocol or the command does not allow.
    public static let broken = RedisError("broken")
    /// 65,536 requests wait on the connection already.
    public static let busy = RedisError("busy")
    /// The last attempt to connect failed or a reply was unusable; the next attempt is not due.
    public static let backingOff = RedisError("backing-off")
    /// The store was closed.
    public static let closed = RedisError("closed")
    /// Memory, a thread or the digest failed.
    public static let `internal` = RedisError("internal")

    /// The server rejects the user and password, or the user lacks a permission.
    public static let denied = RedisError("denied")
    /// `maxmemory-policy` is not `noeviction`: the server could evict entries.
    public static let evicts = RedisError("evicts")
    /// The server is a replica.
    public static let notPrimary = RedisError("not-primary")
    /// The server is part of a cluster, which this store does not support.
    public static let cluster = RedisError("cluster")
    /// The server rejects writes.
    public static let readOnly = RedisError("read-only")
    /// The server lost its entries, or is not the one that the store connected to.
    public static let changed = RedisError("changed")

    /// The server has no memory left.
    public static let full = RedisError("full")
    /// The issuer has used up its quota of this window.
    public static let quota = RedisError("quota")
    /// The token was used before, or has expired.
    public static let used = RedisError("used")
    /// The token was issued before the store's epoch or soon after it, so its use is unknown.
    public static let beforeEpoch = RedisError("before-epoch")
    /// The token lives longer than `RedisReplaySettings.maxLifetime`.
    public static let lifetime = RedisError("lifetime")

    /// Maps an error reply by its first word, at most 24 letters A to Z.
    static func server(_ reply: String) -> RedisError {
        // By bytes: a `Character` may be as long as the reply, and takes quadratic time to compare.
        let code = String(Substring(reply.utf8.prefix(24).prefix { 0x41...0x5a ~= $0 }))
        return known[code] ?? RedisError("server: \(code)")
    }

    private static let known: [String: RedisError] = [
        "OOM": .full, "READONLY": .readOnly, "NOAUTH": .denied, "WRONGPASS": .denied,
        "NOPERM": .denied, "MOVED": .cluster, "CLUSTERDOWN": .cluster,
    ]

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
