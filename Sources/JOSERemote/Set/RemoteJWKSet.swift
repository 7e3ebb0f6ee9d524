// A key set at a URL: sends the requests of `RefreshMachine` and resumes waiting callers.

public import JOSE
import JOSEBytes
import Synchronization

/// Fetches the JWK Set of a provider from an `https` URL, and keeps it up to date.
///
/// A request is sent only when callers need keys. All callers share it. If the server fails, the
/// last set is used for `staleFor` beyond its freshness, marked as stale
/// (`PublicJWKSet.markedStale()`). After that, callers get `unavailable`. While requests fail,
/// callers with an unknown `kid` also get `unavailable`. A key that the server removed is used
/// until the next set arrives. If `settings.certificates` requires it, chains are validated when a
/// response arrives, also a 304, and again for each token. Source: RFC 7517, 5; RFC 8725, 3.10;
/// RFC 9111.
public final class RemoteJWKSet: KeySource {
    private struct Waiter {
        let keyID: String?
        let continuation: CheckedContinuation<PublicJWKSet?, Never>
    }
    private struct State {
        var machine: RefreshMachine
        var waiters: [Waiter] = []
        /// The request whose end is being reported. `machine` ends it after that.
        var reported: Int?
        var rejections = Tally()
        var unknownKeyIDs = Tally()
    }

    private struct Tally {
        private var last: Duration?
        private var count = 0

        /// Counts a caller. Returns the count to report, or nil until `interval` has passed.
        mutating func add(at now: Duration, _ interval: Duration) -> Int? {
            count += 1
            if let last, now - last < interval { return nil }
            last = now
            defer { count = 0 }
            return count
        }
    }

    private let url: String
    private let addressPolicy: AddressPolicy
    private let settings: RemoteJWKSetSettings
    private let transport: any JWKSetTransport
    private let clock: @Sendable () -> Duration
    private let now: @Sendable () -> NumericDate
    private let observe: JOSEEventHandler
    private let state: Lock<State>

    /// Creates a set for a URL of your own configuration. By default it may connect to any address,
    /// such as one inside a cluster.
    ///
    /// If a peer, a user, or the metadata of an issuer named the URL, use
    /// `init(untrustedURL:addressPolicy:settings:transport:observe:clock:now:)`.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL of at most 2,048 ASCII characters, without user and
    ///     fragment.
    ///   - addressPolicy: The allowed IP addresses. With `loopbackAddresses` the URL may be an
    ///     `http` URL of this machine.
    ///   - settings: Times and limits.
    ///   - transport: The transport; one `CurlTransport` may serve many sets.
    ///   - observe: Called for every event, each a `RemoteJWKSetEvent`, on any thread, before
    ///     callers get the keys that it reports; must not block.
    ///   - clock: Returns the time since a fixed origin, which must never decrease. Nil is the
    ///     system's clock, which includes sleep.
    ///   - now: The time for validating certificates when a set arrives; nil is the system's. For
    ///     each token the certificates are validated again, at the verifier's time.
    /// - Throws: `misuse` for any other URL.
    public convenience init(
        url: String, addressPolicy: AddressPolicy = .anyAddress,
        settings: RemoteJWKSetSettings = .init(), transport: any JWKSetTransport,
        observe: @escaping JOSEEventHandler = { _ in },
        clock: (@Sendable () -> Duration)? = nil, now: (@Sendable () -> NumericDate)? = nil
    ) throws(JOSEError) {
        try self.init(url, addressPolicy, settings, transport, observe, clock, now)
    }

    /// Creates a set for a URL that a peer or a user chose: the `jwks_uri` of a client that
    /// registers itself, or of an issuer that a tenant names.
    ///
    /// Such a URL may lead to a service of your own network (SSRF), so the address policy has no
    /// default.
    ///
    /// - Parameters:
    ///   - url: As for a URL of your own configuration.
    ///   - addressPolicy: The allowed IP addresses: `publicAddresses`, unless peers are in your own
    ///     network.
    ///   - settings: Times and limits.
    ///   - transport: The transport. It must apply the policy to each address that it connects to,
    ///     as `CurlTransport` does.
    ///   - observe: As for a URL of your own configuration.
    ///   - clock: As for a URL of your own configuration.
    ///   - now: As for a URL of your own configuration.
    /// - Throws: `misuse` for any other URL.
    public convenience init(
        untrustedURL url: String, addressPolicy: AddressPolicy,
        settings: RemoteJWKSetSettings = .init(), transport: any JWKSetTransport,
        observe: @escaping JOSEEventHandler = { _ in },
        clock: (@Sendable () -> Duration)? = nil, now: (@Sendable () -> NumericDate)? = nil
    ) throws(JOSEError) {
        try self.init(url, addressPolicy, settings, transport, observe, clock, now)
    }

    private init(
        _ url: String, _ addressPolicy: AddressPolicy, _ settings: RemoteJWKSetSettings,
        _ transport: any JWKSetTransport, _ observe: @escaping JOSEEventHandler,
        _ clock: (@Sendable () -> Duration)?, _ now: (@Sendable () -> NumericDate)?
    ) throws(JOSEError) {
        guard RemoteURL.isAllowed(url, addressPolicy) else {
            throw .misuse(
                """
                a remote set needs an absolute https URL without user and fragment; http needs \
                AddressPolicy.loopbackAddresses and a host 127.0.0.1, [::1] or localhost
                """)
        }
        self.url = url
        self.addressPolicy = addressPolicy
        self.settings = settings
        self.transport = transport
        self.observe = observe
        self.now = now ?? { .now }
        if let clock {
            self.clock = clock
        } else {
            let origin = ContinuousClock.now
            self.clock = { origin.duration(to: .now) }
        }
        state = Lock(State(machine: RefreshMachine(settings)))
    }

    /// Returns the keys to verify a token with. Waits for a response if the set is missing, has
    /// expired, or lacks the `kid`. Does not wait if no request is pending and none may be sent
    /// yet. While requests fail, returns an expired set at once during `staleFor`, unless the set
    /// lacks the `kid`.
    ///
    /// Costs one lock and one lookup if the set is fresh and has the `kid`.
    ///
    /// - Parameter keyID: The `kid` of the token.
    /// - Throws: `unavailable` if no set is fresh enough, or if the last request failed and the set
    ///   lacks the `kid`.
    public func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
        let now = clock()
        let found: PublicJWKSet?
        // After a failed request, a `kid` that the set lacks may exist at the server.
        let (decision, isUndetermined) = state.withLock {
            ($0.machine.ask(keyID, at: now), $0.machine.isUndetermined(keyID))
        }
        switch decision {
        case .use(let keys): found = isUndetermined ? nil : keys
        case .useAndStart(let keys, let start):
            launch(start)
            found = isUndetermined ? nil : keys
        case .wait(let start):
            if let start { launch(start) }
            found = await keysAfterRequest(keyID)
        case .reject: found = nil
        }
        guard let found else {
            if let event = rejection() { observe(event) }
            throw .unavailable(.keySet, "the key set could not be fetched")
        }
        return found
    }

    /// The event for a rejected caller; nil if such an event was reported shortly before.
    private func rejection() -> RemoteJWKSetEvent? {
        let now = clock()
        return state.withLock { state in
            let isServing = state.machine.settle(nil, at: now) != nil
            let count =
                isServing
                ? state.unknownKeyIDs.add(at: now, settings.unknownKeyIDInterval)
                : state.rejections.add(at: now, RemoteJWKSetSettings.cooldown)
            guard let count else { return nil }
            var event = RemoteJWKSetEvent(isServing ? .unknownKeyID : .rejected, url: url)
            event.count = count
            return event
        }
    }

    /// Waits for the pending request, which may have ended already.
    private func keysAfterRequest(_ keyID: String?) async -> PublicJWKSet? {
        await withCheckedContinuation { continuation in
            let now = clock()
            let settled: PublicJWKSet?? = state.withLock { state in
                guard state.machine.isFetching else { return state.machine.settle(keyID, at: now) }
                state.waiters.append(Waiter(keyID: keyID, continuation: continuation))
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    /// Sends the request in its own task, so that the cancellation of a caller does not end it.
    private func launch(_ start: RefreshMachine.Start) {
        var event = RemoteJWKSetEvent(.started, url: url)
        event.cause = start.cause.rawValue
        observe(event)
        // Callers get an error in time even if the transport hangs.
        let deadline = Task.detached { [self] in
            do { try await Task.sleep(for: settings.requestTime + .seconds(1)) } catch { return }
            finish(start, FetchResult(failure: JWKSetTransportError.timeLimit.description))
        }
        Task.detached { [self] in
            let result = await fetch(start)
            deadline.cancel()
            finish(start, result)
        }
    }

    private func fetch(_ start: RefreshMachine.Start) async -> FetchResult {
        let request = JWKSetRequest(
            url: url, entityTag: start.entityTag, timeLimit: settings.requestTime,
            bodyLimitBytes: settings.limits.keySetBytes, addressPolicy: addressPolicy)
        do throws(JWKSetTransportError) {
            let response = try await transport.fetch(request)
            return FetchResult(
                response, to: request, after: state.withLock { $0.machine.latest }, settings,
                at: now())
        } catch {
            return FetchResult(failure: error.description)
        }
    }

    private func finish(_ start: RefreshMachine.Start, _ result: FetchResult) {
        let now = clock()
        // The state after the request, which stays pending while its event is reported: no caller
        // gets the new set before the event.
        let next: RefreshMachine? = state.withLock { state in
            var next = state.machine
            guard state.reported != start.number, next.finish(start, result.outcome, at: now)
            else { return nil }
            state.reported = start.number
            return next
        }
        guard let next else { return }
        var event = RemoteJWKSetEvent(result.kind, url: url)
        event.cause = start.cause.rawValue
        event.failure = result.failure
        event.status = result.status
        event.duration = now - start.begun
        event.keyCount = next.latest?.count
        let maxSkipped = result.kind == .replaced ? RemoteJWKSetEvent.maxSkipped : 0
        if let skipped = next.latest?.skipped(atMost: maxSkipped) {
            event.skippedCount = skipped.count
            event.skipped = skipped.first
        }
        event.isServing = next.settle(nil, at: now) != nil
        observe(event)
        let waiters = state.withLock { state in
            _ = state.machine.finish(start, result.outcome, at: now)
            state.reported = nil
            defer { state.waiters = [] }
            return state.waiters.map { ($0.continuation, state.machine.settle($0.keyID, at: now)) }
        }
        for (continuation, keys) in waiters { continuation.resume(returning: keys) }
    }
}
