// When a remote set asks its server, what it serves meanwhile, and when it rejects: no clock, no network.

import JOSE

/// The state of a remote set. Every call says what time it is; times are since any one origin and never go back.
///
///     nothing ──success──▶ fresh ──▶ ahead ──▶ expired ──▶ too old (rejected)
///                            ▲ success │          │             │
///                            └─────────┴──────────┴─────────────┘
struct RefreshMachine: Sendable {
    /// Why a request is made.
    enum Cause: String {
        case first
        case ahead
        case expired
        case unknownKeyID = "unknown-kid"
    }

    /// A request that the caller must now make, and end with `finish`.
    struct Start {
        let flight: Int
        let cause: Cause
        let entityTag: String?
        let begun: Duration
    }

    enum Response {
        case use(PublicJWKSet)
        case useAndStart(PublicJWKSet, Start)
        /// Wait for the flight; where it is not there yet, start it.
        case wait(Start?)
        case reject
    }

    enum Outcome {
        /// A set to serve, the same or another; `validFor` is the time after which certificates in it end.
        case fetched(
            PublicJWKSet, entityTag: String?, freshness: Duration?, validFor: Duration? = nil)
        case failed
    }

    private struct ServedSet {
        var keys: PublicJWKSet
        var entityTag: String?
        var aheadFrom: Duration
        var freshUntil: Duration
        var staleUntil: Duration
    }

    private let settings: RemoteJWKSetSettings
    private var held: ServedSet?
    private var flightCount = 0
    /// The number of the request under way.
    private var flight: Int?
    private var lastAttempt: Duration?
    /// When a kid that the set lacks last caused a request that was answered; one that failed told nothing. Which kid it was
    /// is not kept: whoever asks, the answer is the whole set, so that no token can keep the machine from looking for a key
    /// that comes later.
    private var lastLook: Duration?
    private var failureCount = 0

    init(_ settings: RemoteJWKSetSettings) { self.settings = settings }

    var isFlying: Bool { flight != nil }
    var entityTag: String? { held?.entityTag }
    var latest: PublicJWKSet? { held?.keys }

    /// What a caller who needs this kid gets now.
    mutating func ask(_ keyID: String?, at now: Duration) -> Response {
        guard let held, now < held.staleUntil else {
            if isFlying { return .wait(nil) }
            guard isDue(now) else { return .reject }
            return .wait(start(held == nil ? .first : .expired, now))
        }
        if let keyID, !held.keys.names(keyID), isWorthAsking(keyID) {
            if isFlying { return .wait(nil) }
            if mayLook(now) { return .wait(start(.unknownKeyID, now)) }
        }
        guard now >= held.freshUntil else {
            guard now >= held.aheadFrom, !isFlying, isDue(now) else { return .use(held.keys) }
            return .useAndStart(held.keys, start(.ahead, now))
        }
        // Expired: the first caller waits, so that a key which was dropped works no longer than the set is fresh.
        // In an outage nobody waits.
        let hasFailed = failureCount > 0
        let keys = serving(held, now)
        if isFlying { return hasFailed ? .use(keys) : .wait(nil) }
        guard isDue(now) else { return .use(keys) }
        let request = start(.expired, now)
        return hasFailed ? .useAndStart(keys, request) : .wait(request)
    }

    /// Ends a flight; false where it was given up before.
    mutating func finish(_ start: Start, _ outcome: Outcome, at now: Duration) -> Bool {
        guard flight == start.flight else { return false }
        flight = nil
        switch outcome {
        case .failed: failureCount += 1
        case .fetched(let keys, let entityTag, let freshness, let validFor):
            failureCount = 0
            if start.cause == .unknownKeyID { lastLook = start.begun }
            // Never shorter than nobody may be asked for the next one: in between, callers would have no set at all.
            let end = max(
                start.begun + settings.lifetime(freshness), now + RemoteJWKSetSettings.cooldown)
            let lifetime = end - start.begun
            // A chain that ends earlier is worth a request then: the server may have a newer one.
            let freshUntil = validFor.map { min(now + $0, end) } ?? end
            held = ServedSet(
                keys: keys, entityTag: entityTag,
                aheadFrom: freshUntil - min(lifetime / 10, RemoteJWKSetSettings.maxLead),
                freshUntil: freshUntil, staleUntil: end + settings.staleFor)
        }
        return true
    }

    /// Whether the set that serves lacks this kid although nobody could be asked for a newer one: then nothing is known
    /// of the key, neither that it is there nor that it is not.
    func leavesOpen(_ keyID: String?) -> Bool {
        guard failureCount > 0, let keyID, let held else { return false }
        return isWorthAsking(keyID) && !held.keys.names(keyID)
    }

    /// What a caller who waited gets; nil rejects.
    func settle(_ keyID: String?, at now: Duration) -> PublicJWKSet? {
        guard let held, now < held.staleUntil, !leavesOpen(keyID) else { return nil }
        return serving(held, now)
    }

    /// The set as it is handed out: in an outage an expired one stands in for the server's.
    private func serving(_ held: ServedSet, _ now: Duration) -> PublicJWKSet {
        failureCount > 0 && now >= held.freshUntil ? held.keys.markedStale() : held.keys
    }

    private mutating func start(_ cause: Cause, _ now: Duration) -> Start {
        flightCount += 1
        flight = flightCount
        lastAttempt = now
        return Start(flight: flightCount, cause: cause, entityTag: entityTag, begun: now)
    }

    /// Whether the cooldown since the last attempt has passed.
    private func isDue(_ now: Duration) -> Bool {
        guard let lastAttempt else { return true }
        var cooldown = RemoteJWKSetSettings.cooldown
        for _ in 0..<min(max(failureCount - 1, 0), 8) { cooldown *= 2 }
        return now - lastAttempt >= min(cooldown, RemoteJWKSetSettings.maxCooldown)
    }

    private func mayLook(_ now: Duration) -> Bool {
        guard isDue(now) else { return false }
        guard let lastLook else { return true }
        return now - lastLook >= settings.unknownKeyIDInterval
    }

    private func isWorthAsking(_ keyID: String) -> Bool {
        keyID.utf8.count <= settings.limits.keyIDBytes
    }
}

extension PublicJWKSet {
    /// Whether a key of the set, usable or not, has this kid.
    func names(_ keyID: String) -> Bool {
        var found = false
        forEachKey(withID: keyID.utf8.span) { _ in found = true }
        return found
    }
}
