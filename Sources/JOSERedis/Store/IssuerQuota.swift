// The quota of each issuer in a time window, counted on the server.

import JOSE
import JOSEBytes
import Synchronization

/// Remembers the issuers that used up their quota, to reject their tokens without a request. Only
/// accepted tokens count, so that replays of a stolen token do not use up the quota. A process
/// learns the count when a token is accepted, so each process may accept a few too many.
final class IssuerQuota: Sendable {
    /// In the latest window only.
    private struct ExhaustedIssuers {
        var window = Int64.min
        var issuers: Set<[UInt8]> = []
    }

    private let limit: Int
    private let exhausted = Lock(ExhaustedIssuers())

    init(_ limit: Int) { self.limit = limit }

    private static func window(_ now: NumericDate) -> Int64 {
        now.seconds / RedisReplaySettings.quotaWindowSeconds
    }

    func allows(_ issuer: String, at now: NumericDate) -> Bool {
        exhausted.withLock {
            $0.window != IssuerQuota.window(now) || !$0.issuers.contains(Array(issuer.utf8))
        }
    }

    /// The commands that count an accepted token.
    func counting(
        _ issuer: String, at now: NumericDate, _ settings: RedisReplaySettings
    ) throws(RedisError) -> Pipeline {
        // Only for its digest, which does not cover `expires`.
        let entry = ReplayEntry(
            purpose: "quota", issuer: issuer, audience: "", tokenID: "\(IssuerQuota.window(now))",
            expires: now)
        let key = settings.key("quota", try entry.keyDigest())
        var pipeline = Pipeline()
        pipeline.add(Array("INCR".utf8), key)
        // The window starts and ends up to the maximum clock tolerance earlier or later on another
        // machine. The counter stays until the window has ended on all machines.
        let seconds =
            RedisReplaySettings.quotaWindowSeconds
            + 2 * RedisReplaySettings.maxClockToleranceSeconds
        pipeline.add(Array("EXPIRE".utf8), key, Array("\(seconds)".utf8))
        return pipeline
    }

    /// Reads the server's count, for `allows`. Returns the error in the replies, or nil.
    func note(
        _ replies: [RedisReply], _ issuer: String, at now: NumericDate
    ) -> RedisError? {
        // Ignored: a server without memory for a counter rejects entries too.
        if replies.first == .error(.full) { return nil }
        for case .error(let failure) in replies { return failure }
        guard replies.count == 2, case .integer(let count) = replies[0], replies[1] == .integer(1)
        else { return .broken }
        guard count >= limit else { return nil }
        exhausted.withLock { exhausted in
            let window = IssuerQuota.window(now)
            if window > exhausted.window { exhausted = ExhaustedIssuers(window: window) }
            if window == exhausted.window { exhausted.issuers.insert(Array(issuer.utf8)) }
        }
        return nil
    }
}

extension ReplayEntry {
    func keyDigest() throws(RedisError) -> [UInt8] {
        do throws(JOSEError) {
            return try digest()
        } catch {
            throw .internal
        }
    }
}
