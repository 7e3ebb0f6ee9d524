// The epoch: the time since which a server has lost no entries. Older tokens are rejected.

import JOSE

/// The time since which a run of a server kept every entry. All machines read it from `epochKey`.
struct Epoch: Sendable, Hashable {
    /// The server's `run_id`, which changes with each start.
    let run: String
    let since: NumericDate

    init(run: String, since: NumericDate) {
        self.run = run
        self.since = since
    }

    /// Parses the key's value: the run, a space, whole seconds.
    init?(_ value: [UInt8]) {
        let parts = value.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 2, Epoch.isRun(parts[0]), 1...12 ~= parts[1].count,
            parts[1].allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        let seconds = parts[1].reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        guard let since = NumericDate(exactly: seconds) else { return nil }
        run = String(decoding: parts[0], as: UTF8.self)
        self.since = since
    }

    /// The key's value; fractions of a second are rounded up.
    var value: [UInt8] {
        let seconds = since.seconds + (since.attoseconds > 0 ? 1 : 0)
        return Array("\(run) \(seconds)".utf8)
    }

    static func isRun(_ text: some Collection<UInt8>) -> Bool {
        text.count == 40 && text.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Whether the token cannot have been used before the epoch.
    ///
    /// A verifier accepts an `iat` up to its leeway ahead of its clock, and its clock may be ahead
    /// of the clock that set the epoch by `clockTolerance`. So `iat` must be later than the epoch
    /// by the sum of both. For values that the provider itself issued, only `clockTolerance`
    /// counts. Without `iat`, the expiration decides: a token that was accepted before the epoch
    /// expires at most `maxLifetime` after it, plus `clockTolerance`.
    func covers(_ use: ReplayEntry, _ settings: RedisReplaySettings) -> Bool {
        if let issued = use.issuedAt {
            // In two steps: a date saturates at its range, but a sum of two durations may overflow.
            let leeway = use.isIssuedHere ? .zero : max(use.leeway, settings.maxLeeway)
            return issued > since.advanced(by: leeway).advanced(by: settings.clockTolerance)
        }
        let lastEnd = since.advanced(by: settings.maxLifetime + settings.clockTolerance)
        return use.expires > lastEnd
    }
}
