// Since when a store knows all: a server that lost entries must not accept what is older.

import JOSE

/// The time since which a run of a server has kept every entry, as all machines read it from one key.
struct Epoch: Sendable, Hashable {
    /// The server's `run_id`, which changes with each start.
    let run: String
    let since: NumericDate

    init(run: String, since: NumericDate) {
        self.run = run
        self.since = since
    }

    /// Reads the key's value: the run, a space, whole seconds.
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

    /// The key's value; a fraction of a second counts as a whole one.
    var value: [UInt8] {
        let seconds = since.seconds + (since.attoseconds > 0 ? 1 : 0)
        return Array("\(run) \(seconds)".utf8)
    }

    /// Forty hexadecimal digits.
    static func isRun(_ text: some Collection<UInt8>) -> Bool {
        text.count == 40 && text.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Whether no use that was claimed before the epoch can be this one.
    ///
    /// An `iat` may have been ahead of the clock by which the token was judged, by the longest leeway of all verifiers, and
    /// that clock ahead of the one that told the epoch, by the tolerance: it must be later by both. What our own machines issued
    /// was used no earlier than one of them told, so for that the tolerance alone counts. Without `iat` the end decides: nothing
    /// that lives longer than the longest lifetime was accepted.
    func covers(_ use: ReplayEntry, _ settings: RedisReplaySettings) -> Bool {
        if let issued = use.issuedAt {
            // One after the other: a leeway of any length keeps to the range of dates, a sum might be no Duration.
            let leeway = use.isIssuedHere ? .zero : max(use.leeway, settings.maxLeeway)
            return issued > since.advanced(by: leeway).advanced(by: settings.clockTolerance)
        }
        let lastEnd = since.advanced(by: settings.maxLifetime + settings.clockTolerance)
        return use.expires > lastEnd
    }
}
