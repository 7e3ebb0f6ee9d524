// A replay store over Redis or Valkey. All calls share one connection.

public import JOSE
import JOSEBytes
import Synchronization

/// A replay store over Redis or Valkey, for a provider that runs on several machines.
///
/// `markUsed` sends `SET key value NX PX`. All calls share one connection, which has its own
/// thread. The store fails closed if the server is unreachable, slow, full, read-only or evicting,
/// has lost data, or sends an invalid reply. It connects at the first `markUsed` or `connect()`. A
/// child of `fork` must `exec` before it uses a store. Guarantees: article OneTimeTokens.
public final class RedisReplayStore: ReplayStore {
    private typealias Waiter = CheckedContinuation<Result<Session, RedisError>, Never>

    private struct State {
        var session: Session?
        /// The number of the last attempt to connect, and of the session that it made.
        var attempt = 0
        var isConnecting = false
        /// The result of the attempt is being reported, and callers wait for that.
        var isReporting = false
        /// The end of the session is being reported. The session is removed after that.
        var isEnding = false
        var waiters: [Waiter] = []
        var failureCount = 0
        var nextAttempt = Duration.zero
        var isClosed = false
    }

    /// The value of `RedisReplaySettings.maxLifetime`.
    public var maxLifetime: Duration? { settings.maxLifetime }

    private let server: RedisServer
    private let settings: RedisReplaySettings
    private let now: @Sendable () -> NumericDate
    private let observe: JOSEEventHandler
    private let quota: IssuerQuota?
    private let state = Lock(State())
    private let origin = ContinuousClock.now

    /// Creates a store without connecting.
    ///
    /// - Parameters:
    ///   - server: The server with the entries.
    ///   - settings: The key prefix, time limits and bounds.
    ///   - observe: Called for every event, each a `RedisReplayEvent`, on any thread; must not
    ///     block.
    ///   - now: The time for a new epoch, by the clock that verifies tokens; nil is the system's.
    /// - Throws: `misuse` unless the prefix has 1 to 64 printable ASCII characters.
    public init(
        server: RedisServer, settings: RedisReplaySettings = .init(),
        observe: @escaping JOSEEventHandler = { _ in },
        now: (@Sendable () -> NumericDate)? = nil
    ) throws(JOSEError) {
        guard 1...64 ~= settings.prefix.utf8.count,
            settings.prefix.utf8.allSatisfy({ 0x21...0x7e ~= $0 })
        else {
            throw .misuse("RedisReplaySettings.prefix needs 1 to 64 printable ASCII characters")
        }
        self.server = server
        self.settings = settings
        self.now = now ?? { .now }
        self.observe = observe
        quota = settings.quota.map(IssuerQuota.init)
    }

    deinit { close() }

    /// Connects and checks the server, for a provider that must not start without its store.
    ///
    /// - Throws: The reason why the server cannot be used.
    public func connect() async throws(RedisError) {
        _ = try await session()
    }

    /// Closes the store for good. Pending and later calls of `markUsed` throw `unavailable`.
    public func close() {
        let (session, waiters) = state.withLock { state in
            let ended = (state.session, state.waiters)
            state.isClosed = true
            state.session = nil
            state.waiters = []
            return ended
        }
        session?.connection.end()
        for waiter in waiters { waiter.resume(returning: .failure(.closed)) }
    }

    /// Records the use of a token; see `ReplayStore.markUsed(_:at:)`.
    ///
    /// Costs one round trip, shared with concurrent calls, and ends within `timeLimit`. After the
    /// time limit the token counts as used, because the server may have stored the entry.
    public func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
        let begun = clock()
        do throws(RedisError) {
            try await markUsed(use, at: now, until: begun + settings.timeLimit)
        } catch {
            var event = RedisReplayEvent(.rejected, server: server.description)
            event.failure = error
            event.duration = clock() - begun
            observe(event)
            throw error.replayFailure
        }
    }

    private func markUsed(
        _ use: ReplayEntry, at now: NumericDate, until end: Duration
    ) async throws(RedisError) {
        guard use.expires > now else { throw .used }
        let life = use.expires.duration(since: now)
        guard life <= settings.maxLifetime else { throw .lifetime }
        let key = settings.key("use", try use.keyDigest())
        if let quota, !quota.allows(use.issuer, at: now) { throw .quota }
        let session = try await session()
        guard session.epoch.covers(use, settings) else { throw .beforeEpoch }

        var pipeline = Pipeline()
        let milliseconds = (life + settings.clockTolerance) / .milliseconds(1) + 1
        pipeline.add(
            Array("SET".utf8), key, [UInt8(ascii: "1")], Array("NX".utf8), Array("PX".utf8),
            Array("\(Int64(milliseconds))".utf8))
        // If the server is emptied before this `GET`, this call fails; if later, the next call.
        pipeline.add(Array("GET".utf8), Array(settings.epochKey.utf8))
        let replies: [RedisReply]
        do throws(RedisError) {
            replies = try await session.connection.send(pipeline, timeout: end - clock())
        } catch {
            // A slow server may recover, so its session stays. Other errors end the session.
            if error == .timeLimit || error == .busy { throw error }
            throw drop(session, error)
        }
        try check(replies, use, session)
        count(use, at: now, session)
    }

    /// Throws unless this call is the first use, and the server has kept all entries since the
    /// token was issued.
    private func check(
        _ replies: [RedisReply], _ use: ReplayEntry, _ session: Session
    ) throws(RedisError) {
        guard replies.count == 2 else { throw drop(session, .broken) }
        switch replies[0] {
        case .ok: break
        case .nothing: throw .used
        case .error(.full): throw .full
        case .error(let failure): throw drop(session, failure)
        default: throw drop(session, .broken)
        }
        if case .error(let failure) = replies[1] { throw drop(session, failure) }
        guard let epoch = session.adopt(replies[1]) else { throw drop(session, .changed) }
        guard epoch.covers(use, settings) else { throw .beforeEpoch }
        state.withLock { $0.failureCount = 0 }
    }

    /// Counts an accepted token for the quota, without waiting. An error reply ends the session.
    private func count(_ use: ReplayEntry, at now: NumericDate, _ session: Session) {
        guard let quota else { return }
        let pipeline: Pipeline
        do throws(RedisError) {
            pipeline = try quota.counting(use.issuer, at: now, settings)
        } catch {
            _ = drop(session, error)
            return
        }
        session.connection.start(pipeline, timeout: settings.timeLimit) {
            [weak self, weak session] result in
            // A failed request is ignored: with such a connection the next `markUsed` fails too.
            guard case .success(let replies) = result, let self, let session else { return }
            if let failure = quota.note(replies, use.issuer, at: now) { _ = drop(session, failure) }
        }
    }
}

// MARK: - The session

extension RedisReplayStore {
    private enum Step {
        case settled(Result<Session, RedisError>)
        case waits
        case starts(Int)
    }

    private func clock() -> Duration { origin.duration(to: .now) }

    /// All callers share one attempt to connect. Fails at once until the next attempt is due.
    private func session() async throws(RedisError) -> Session {
        if let session = state.withLock({ $0.session }) { return session }
        return try await withCheckedContinuation { continuation in
            let now = clock()
            let step: Step = state.withLock { state in
                if state.isClosed { return .settled(.failure(.closed)) }
                if let session = state.session { return .settled(.success(session)) }
                if !state.isConnecting, now < state.nextAttempt {
                    return .settled(.failure(.backingOff))
                }
                state.waiters.append(continuation)
                if state.isConnecting { return .waits }
                state.isConnecting = true
                state.attempt += 1
                return .starts(state.attempt)
            }
            switch step {
            case .settled(let result): continuation.resume(returning: result)
            case .waits: break
            case .starts(let attempt): start(attempt)
            }
        }.get()
    }

    /// Connects in its own task, so that the cancellation of one caller does not stop it.
    private func start(_ attempt: Int) {
        let begun = clock()
        // Callers get an error in time even if the DNS resolver is slow.
        let timeout = Task.detached { [self] in
            do { try await Task.sleep(for: settings.timeLimit) } catch { return }
            settle(attempt, .failure(.timeLimit), begun)
        }
        Task.detached { [self] in
            let result: Result<Session, RedisError>
            do throws(RedisError) {
                result = .success(try await open(attempt, until: begun + settings.timeLimit))
            } catch {
                result = .failure(error)
            }
            timeout.cancel()
            settle(attempt, result, begun)
        }
    }

    private func open(_ attempt: Int, until end: Duration) async throws(RedisError) -> Session {
        let connection = try Connection(server) { [weak self] failure in
            self?.connectionEnded(attempt, failure)
        }
        let origin = origin
        let handshake = Handshake(
            server: server, settings: settings, connection: connection, now: now,
            timeLeft: { end - origin.duration(to: .now) })
        return try await handshake.session(attempt)
    }

    private func settle(_ attempt: Int, _ result: Result<Session, RedisError>, _ begun: Duration) {
        let now = clock()
        let percent = Int.random(in: 50...100)
        let reported: (outcome: Result<Session, RedisError>, retryAfter: Duration?)? =
            state.withLock { state in
                guard state.attempt == attempt, state.isConnecting, !state.isReporting else {
                    return nil
                }
                state.isReporting = true
                // If the store was closed meanwhile, nothing keeps the session and its connection.
                let outcome = state.isClosed ? .failure(.closed) : result
                guard case .failure = outcome else { return (outcome, nil) }
                return (outcome, backOff(&state, now, percent))
            }
        guard let reported else { return }
        // Before callers get the session, so that the event precedes theirs in the log.
        report(reported.outcome, now - begun, reported.retryAfter)
        let (outcome, waiters) = state.withLock { state in
            state.isConnecting = false
            state.isReporting = false
            let outcome = state.isClosed ? .failure(.closed) : reported.outcome
            if case .success(let session) = outcome { state.session = session }
            defer { state.waiters = [] }
            return (outcome, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func backOff(_ state: inout State, _ now: Duration, _ percent: Int) -> Duration {
        state.failureCount += 1
        // A random wait: machines that lost the server together reconnect at different times.
        let wait = settings.backoff(state.failureCount) * percent / 100
        state.nextAttempt = now + wait
        return wait
    }

    private func report(
        _ outcome: Result<Session, RedisError>, _ duration: Duration, _ retryAfter: Duration?
    ) {
        switch outcome {
        case .success(let session):
            var event = RedisReplayEvent(.connected, server: server.description)
            event.duration = duration
            event.serverVersion = printable(session.info.version, atMost: 64)
            event.epoch = session.epoch.since
            observe(event)
            guard session.isNewEpoch else { return }
            event = RedisReplayEvent(.newEpoch, server: server.description)
            event.epoch = session.epoch.since
            observe(event)
        case .failure(let failure):
            var event = RedisReplayEvent(.failed, server: server.description)
            event.failure = failure
            event.duration = duration
            event.retryAfter = retryAfter
            observe(event)
        }
    }

    private func connectionEnded(_ attempt: Int, _ failure: RedisError) {
        let wasCurrent = state.withLock { state in
            guard state.session?.number == attempt, !state.isEnding else { return false }
            state.isEnding = true
            return true
        }
        guard wasCurrent else { return }
        reportLost(failure, retryAfter: nil)
        removeSession(attempt)
    }

    /// Lets the next caller connect, after the end of the session was reported.
    private func removeSession(_ attempt: Int) {
        state.withLock { state in
            state.isEnding = false
            if state.session?.number == attempt { state.session = nil }
        }
    }

    /// Ends a session after a failure, and backs off. Returns the failure.
    private func drop(_ session: Session, _ failure: RedisError) -> RedisError {
        let now = clock()
        let percent = Int.random(in: 50...100)
        let wait: Duration? = state.withLock { state in
            guard state.session === session, !state.isEnding else { return nil }
            state.isEnding = true
            return backOff(&state, now, percent)
        }
        session.connection.end()
        if let wait {
            reportLost(failure, retryAfter: wait)
            removeSession(session.number)
        }
        return failure
    }

    private func reportLost(_ failure: RedisError, retryAfter: Duration?) {
        var event = RedisReplayEvent(.lost, server: server.description)
        event.failure = failure
        event.retryAfter = retryAfter
        observe(event)
    }
}
