// A key set behind a URL: asks the machine, makes the requests it wants, and wakes those who wait.

public import JOSE
import JOSEBytes
import Synchronization

/// The keys that a provider publishes at an `https` URL, kept up to date.
///
/// One request is under way at most, however many callers wait. Where the server fails, the last good set serves for
/// `staleFor` beyond its freshness, standing in for the server's (`PublicJWKSet.markedStale()`), then callers are rejected as
/// `unavailable`; so is a `kid` that the set lacks while the server cannot be asked for it. A key that the server dropped is gone with the set that
/// had it; a `kid` with another key means the other key. Where `settings.certificates` demands it, every answer, 304 too,
/// has its chains judged anew. Nothing is fetched before the first call and nothing
/// while nobody calls. Source: RFC 7517, 5; RFC 8725, 3.10; RFC 9111.
public final class RemoteJWKSet: KeySource {
    private struct Waiter {
        let keyID: String?
        let continuation: CheckedContinuation<PublicJWKSet?, Never>
    }
    private struct State {
        var machine: RefreshMachine
        var waiters: [Waiter] = []
        /// The flight whose end is being reported: it is over for the machine once that is done.
        var reported: Int?
        var rejections = Tally()
        var unknownKeyIDs = Tally()
    }

    /// Counts callers between two events.
    private struct Tally {
        private var last: Duration?
        private var count = 0

        /// The count to report; nil within the interval.
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

    /// A set behind a URL of your own configuration, which may be any address, such as one inside a
    /// cluster.
    ///
    /// For a URL that a peer or a user chose, or one that the metadata of an issuer name which they
    /// chose, there is `init(untrustedURL:addressPolicy:settings:transport:observe:clock:now:)`.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL of at most 2,048 ASCII characters, without user and fragment.
    ///   - settings: Times and limits.
    ///   - transport: How to fetch; one `CurlTransport` may serve many sets.
    ///   - observe: Called for every event, each a `RemoteJWKSetEvent`, on any thread, before
    ///     callers have what it reports; must not block.
    ///   - clock: Time since any one origin, never going back; nil is the system's, which counts sleep too.
    ///   - now: The time to judge certificates by when a set arrives; nil is the system's. When a token is verified they
    ///     are judged again, by the verifier's time.
    /// - Throws: `misuse` for another kind of URL.
    public convenience init(
        url: String, settings: RemoteJWKSetSettings = .init(),
        transport: any JWKSetTransport,
        observe: @escaping JOSEEventHandler = { _ in },
        clock: (@Sendable () -> Duration)? = nil, now: (@Sendable () -> NumericDate)? = nil
    ) throws(JOSEError) {
        try self.init(url, .anyAddress, settings, transport, observe, clock, now)
    }

    /// A set behind a URL that a peer or a user chose: the `jwks_uri` of a client that registers
    /// itself, or of an issuer that a tenant names.
    ///
    /// Such a URL may lead to a service of your own network (SSRF), so the address policy has no
    /// default.
    ///
    /// - Parameters:
    ///   - url: As for a URL of your own configuration.
    ///   - addressPolicy: Where a request may connect to: `publicAddresses`, unless peers are in a
    ///     network of your own.
    ///   - settings: Times and limits.
    ///   - transport: How to fetch; it applies the policy to each address that it connects to, as
    ///     `CurlTransport` does.
    ///   - observe: Called for every event, each a `RemoteJWKSetEvent`, on any thread; must not
    ///     block.
    ///   - clock: Time since any one origin, never going back; nil is the system's, which counts
    ///     sleep too.
    ///   - now: The time to check certificates by when a set arrives; nil is the system's.
    /// - Throws: `misuse` for another kind of URL.
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
        guard RemoteURL.isAllowed(url) else {
            throw .misuse("a remote set needs an absolute https URL without user and fragment")
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

    /// The keys to judge a token with; waits where only the server can know.
    ///
    /// - Parameter keyID: The `kid` that the token names.
    /// - Throws: `unavailable` where there is no set that is fresh enough, or the last request failed and the set lacks
    ///   the `kid`.
    ///
    /// With a fresh set that has the kid: one lock and one look-up.
    public func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
        let now = clock()
        let found: PublicJWKSet?
        let (response, isOpen) = state.withLock {
            ($0.machine.ask(keyID, at: now), $0.machine.leavesOpen(keyID))
        }
        switch response {
        case .use(let keys): found = isOpen ? nil : keys
        case .useAndStart(let keys, let start):
            launch(start)
            found = isOpen ? nil : keys
        case .wait(let start):
            if let start { launch(start) }
            found = await keysAfterFlight(keyID)
        case .reject: found = nil
        }
        guard let found else {
            if let event = rejection() { observe(event) }
            throw .unavailable(.keySet, "the key set could not be fetched")
        }
        return found
    }

    /// The event of rejected callers where one is due: a flood of tokens makes one each interval.
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

    /// Waits for the flight to end, which it may have done already.
    private func keysAfterFlight(_ keyID: String?) async -> PublicJWKSet? {
        await withCheckedContinuation { continuation in
            let now = clock()
            let settled: PublicJWKSet?? = state.withLock { state in
                guard state.machine.isFlying else { return state.machine.settle(keyID, at: now) }
                state.waiters.append(Waiter(keyID: keyID, continuation: continuation))
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    /// Makes the request in a task of its own, so that no caller's cancellation ends it for the others.
    private func launch(_ start: RefreshMachine.Start) {
        var event = RemoteJWKSetEvent(.started, url: url)
        event.cause = start.cause.rawValue
        observe(event)
        // A transport that hangs must not hang those who wait.
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
        // What the end leads to. While it is reported the flight goes on, so that nobody has the
        // new set before its event.
        let next: RefreshMachine? = state.withLock { state in
            var next = state.machine
            guard state.reported != start.flight, next.finish(start, result.outcome, at: now)
            else { return nil }
            state.reported = start.flight
            return next
        }
        guard let next else { return }
        var event = RemoteJWKSetEvent(result.kind, url: url)
        event.cause = start.cause.rawValue
        event.failure = result.failure
        event.status = result.status
        event.duration = now - start.begun
        event.keyCount = next.latest?.count
        let most = result.kind == .replaced ? RemoteJWKSetEvent.maxSkipped : 0
        if let skipped = next.latest?.skipped(atMost: most) {
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
