// The state machine of a `RemoteJWKSet`: when to request, what to serve, when to reject. It has no
// clock and no network.

import JOSE

/// Every call passes the time since a fixed origin, which never decreases. States of a set:
///
///     nothing ──success──▶ fresh ──▶ ahead ──▶ expired ──▶ too old (rejected)
///                            ▲ success │          │             │
///                            └─────────┴──────────┴─────────────┘
///
/// `ahead` is the last tenth of the fresh time, at most `maxLead`. The set is still served while a
/// request already runs.
struct RefreshMachine: Sendable {
    enum Cause: String {
        case first
        case ahead
        case expired
        case unknownKeyID = "unknown-kid"
    }

    /// A request that the caller must send now, and end with `finish`.
    struct Start {
        let number: Int
        let cause: Cause
        let entityTag: String?
        let begun: Duration
    }

    enum Decision {
        case use(PublicJWKSet)
        case useAndStart(PublicJWKSet, Start)
        /// Wait for the pending request. If there is a `Start`, send that request first.
        case wait(Start?)
        case reject
    }

    enum Outcome {
        /// A set to serve, new or the cached one. Certificates in it expire after `validFor`.
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
    private var cached: ServedSet?
    private var requestCount = 0
    private var pending: Int?
    private var lastAttempt: Duration?
    /// The start of the last successful request that an unknown kid caused. The kid is not stored:
    /// a stored kid would prevent a request after its key is published.
    private var lastUnknownKeyIDFetch: Duration?
    private var failureCount = 0

    init(_ settings: RemoteJWKSetSettings) { self.settings = settings }

    var isFetching: Bool { pending != nil }
    var entityTag: String? { cached?.entityTag }
    var latest: PublicJWKSet? { cached?.keys }

    mutating func ask(_ keyID: String?, at now: Duration) -> Decision {
        guard let cached, now < cached.staleUntil else {
            if isFetching { return .wait(nil) }
            guard isDue(now) else { return .reject }
            return .wait(start(cached == nil ? .first : .expired, now))
        }
        if let keyID, !cached.keys.hasKey(withID: keyID), isValidKeyID(keyID) {
            if isFetching { return .wait(nil) }
            if mayFetchUnknownKeyID(now) { return .wait(start(.unknownKeyID, now)) }
        }
        guard now >= cached.freshUntil else {
            guard now >= cached.aheadFrom, !isFetching, isDue(now) else { return .use(cached.keys) }
            return .useAndStart(cached.keys, start(.ahead, now))
        }
        // Expired: callers wait for the request, so that a removed key is no longer used. If the
        // last request failed, they get the expired set at once.
        let hasFailed = failureCount > 0
        let keys = serving(cached, now)
        if isFetching { return hasFailed ? .use(keys) : .wait(nil) }
        guard isDue(now) else { return .use(keys) }
        let request = start(.expired, now)
        return hasFailed ? .useAndStart(keys, request) : .wait(request)
    }

    /// Ends a request. False if the request has already ended, such as at its deadline.
    mutating func finish(_ start: Start, _ outcome: Outcome, at now: Duration) -> Bool {
        guard pending == start.number else { return false }
        pending = nil
        switch outcome {
        case .failed: failureCount += 1
        case .fetched(let keys, let entityTag, let freshness, let validFor):
            failureCount = 0
            if start.cause == .unknownKeyID { lastUnknownKeyIDFetch = start.begun }
            // Unless a certificate expires earlier, the set is fresh for one cooldown or more from
            // its arrival. So the next request is allowed when the set expires.
            let end = max(
                start.begun + settings.lifetime(freshness), now + RemoteJWKSetSettings.cooldown)
            let lifetime = end - start.begun
            // The set is refreshed when a certificate chain expires: the server may have a new one.
            let freshUntil = validFor.map { min(now + $0, end) } ?? end
            cached = ServedSet(
                keys: keys, entityTag: entityTag,
                aheadFrom: freshUntil - min(lifetime / 10, RemoteJWKSetSettings.maxLead),
                freshUntil: freshUntil, staleUntil: end + settings.staleFor)
        }
        return true
    }

    /// Whether the set lacks this kid and the last request failed: the key may exist or not.
    func isUndetermined(_ keyID: String?) -> Bool {
        guard failureCount > 0, let keyID, let cached else { return false }
        return isValidKeyID(keyID) && !cached.keys.hasKey(withID: keyID)
    }

    /// What a caller gets after its request ended; nil rejects.
    func settle(_ keyID: String?, at now: Duration) -> PublicJWKSet? {
        guard let cached, now < cached.staleUntil, !isUndetermined(keyID) else { return nil }
        return serving(cached, now)
    }

    /// The set, marked as stale if it is expired and the last request failed.
    private func serving(_ cached: ServedSet, _ now: Duration) -> PublicJWKSet {
        failureCount > 0 && now >= cached.freshUntil ? cached.keys.markedStale() : cached.keys
    }

    private mutating func start(_ cause: Cause, _ now: Duration) -> Start {
        requestCount += 1
        pending = requestCount
        lastAttempt = now
        return Start(number: requestCount, cause: cause, entityTag: entityTag, begun: now)
    }

    private func isDue(_ now: Duration) -> Bool {
        guard let lastAttempt else { return true }
        var cooldown = RemoteJWKSetSettings.cooldown
        for _ in 0..<min(max(failureCount - 1, 0), 8) { cooldown *= 2 }
        return now - lastAttempt >= min(cooldown, RemoteJWKSetSettings.maxCooldown)
    }

    private func mayFetchUnknownKeyID(_ now: Duration) -> Bool {
        guard isDue(now) else { return false }
        guard let lastUnknownKeyIDFetch else { return true }
        return now - lastUnknownKeyIDFetch >= settings.unknownKeyIDInterval
    }

    private func isValidKeyID(_ keyID: String) -> Bool {
        keyID.utf8.count <= settings.limits.keyIDBytes
    }
}

extension PublicJWKSet {
    /// Whether a key of the set, usable or not, has this kid.
    func hasKey(withID keyID: String) -> Bool {
        var found = false
        forEachKey(withID: keyID.utf8.span) { _ in found = true }
        return found
    }
}
