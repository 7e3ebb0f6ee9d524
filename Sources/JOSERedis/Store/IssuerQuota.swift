// How many tokens each issuer may use up in a window, counted on the server and obeyed here.

import JOSE
import JOSEBytes
import Synchronization

/// Knows the issuers that have used up their quota; the count itself lives on the server, one for all machines.
///
/// Only winners are counted, so that replaying a stolen token costs its issuer nothing. An issuer that is over is
/// rejected before anything is sent. What is under way at that moment still counts: the bound is the quota and those.
final class IssuerQuota: Sendable {
    /// The issuers that are over in the latest window that was told of. Those of earlier ones are dropped together, so
    /// that nothing is ever looked through.
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

    /// The commands that count a winner.
    func counting(
        _ issuer: String, at now: NumericDate, _ settings: RedisReplaySettings
    ) throws(RedisError) -> Pipeline {
        let window = ReplayEntry(
            purpose: "quota", issuer: issuer, audience: "", tokenID: "\(IssuerQuota.window(now))",
            expires: now)
        let key = settings.key("quota", try window.digest())
        var pipeline = Pipeline()
        pipeline.add(Array("INCR".utf8), key)
        // Until no machine's clock is in the window any more.
        let seconds = RedisReplaySettings.quotaWindowSeconds + 2 * 300
        pipeline.add(Array("EXPIRE".utf8), key, Array("\(seconds)".utf8))
        return pipeline
    }

    /// Takes the server's count. Returns what is wrong with it, or nil.
    func note(
        _ replies: [RedisReply], _ issuer: String, at now: NumericDate
    ) -> RedisError? {
        // No room for a counter: then there is none for entries either, and the server rejects those itself.
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
    func digest() throws(RedisError) -> [UInt8] {
        do throws(JOSEError) {
            return try name()
        } catch {
            throw .internal
        }
    }
}
