// The quota of each issuer in a time window, counted on the server.

import JOSE
import JOSEBytes
import Synchronization

/// The issuers that have used up their quota. The server keeps the counts for all machines.
///
/// Only accepted tokens count, so that replaying a stolen token does not use up the quota. An
/// issuer over its quota is rejected without a request. Tokens whose commands are already being
/// sent are still accepted, so the count may exceed the quota.
final class IssuerQuota: Sendable {
    /// The issuers over their quota in the latest window. A new window replaces the whole set.
    private struct IssuersOverQuota {
        var window = Int64.min
        var issuers: Set<[UInt8]> = []
    }

    private let limit: Int
    private let over = Lock(IssuersOverQuota())

    init(_ limit: Int) { self.limit = limit }

    private static func window(_ now: NumericDate) -> Int64 {
        now.seconds / RedisReplaySettings.quotaWindowSeconds
    }

    /// Whether the issuer may use another token in this window.
    func allows(_ issuer: String, at now: NumericDate) -> Bool {
        over.withLock {
            $0.window != IssuerQuota.window(now) || !$0.issuers.contains(Array(issuer.utf8))
        }
    }

    /// Returns the commands that count an accepted token.
    func counting(
        _ issuer: String, at now: NumericDate, _ settings: RedisReplaySettings
    ) throws(RedisError) -> Pipeline {
        let window = ReplayEntry(
            purpose: "quota", issuer: issuer, audience: "", tokenID: "\(IssuerQuota.window(now))",
            expires: now)
        let key = settings.key("quota", try window.keyDigest())
        var pipeline = Pipeline()
        pipeline.add(Array("INCR".utf8), key)
        // The window starts and ends up to the maximum clock tolerance earlier or later on another
        // machine. The counter stays until the window has ended on all of them.
        let seconds =
            RedisReplaySettings.quotaWindowSeconds
            + 2 * RedisReplaySettings.maxClockToleranceSeconds
        pipeline.add(Array("EXPIRE".utf8), key, Array("\(seconds)".utf8))
        return pipeline
    }

    /// Reads the server's count, and rejects further tokens of an issuer that reached the limit.
    /// Returns the error in the replies, or nil.
    func note(
        _ replies: [RedisReply], _ issuer: String, at now: NumericDate
    ) -> RedisError? {
        // A server without memory for a counter has no memory for entries either, and rejects them
        // itself.
        if replies.first == .error(.full) { return nil }
        for case .error(let failure) in replies { return failure }
        guard replies.count == 2, case .integer(let count) = replies[0], replies[1] == .integer(1)
        else { return .broken }
        guard count >= limit else { return nil }
        over.withLock { over in
            let window = IssuerQuota.window(now)
            if window > over.window { over = IssuersOverQuota(window: window) }
            if window == over.window { over.issuers.insert(Array(issuer.utf8)) }
        }
        return nil
    }
}

extension ReplayEntry {
    /// Returns the digest that names the entry in Redis.
    func keyDigest() throws(RedisError) -> [UInt8] {
        do throws(JOSEError) {
            return try digest()
        } catch {
            throw .internal
        }
    }
}
