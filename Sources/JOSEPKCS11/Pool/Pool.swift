// The threads of a token: as many as it has sessions, started when there is work for them.

import JOSE
import JOSEBytes
import Synchronization

/// Runs operations on threads of its own, in the order of their coming.
final class Pool: Sendable {
    let seat: Seat
    private let most: Int
    private let room: WorkerPool
    private let clock = ExternalKeyClock()

    private struct State {
        var queue = Queue()
        /// What wants a PIN of its own, one at a time: who gives it may be slow, and is to keep one thread.
        var asking = Queue()
        var isAsking = false
        var numbers: UInt64 = 0
        var threads = 0
        /// The bells of the threads that sleep; the last to fall asleep, whose caches are warmest, wakes first.
        var sleeping: [Bell] = []
        /// Whether a thread is on its way to the queue: one at a time, and who takes work calls the next.
        var isComing = false
        var isClosed = false

        var isFullOfAsking: Bool { asking.count >= Pool.maxAsking }

        /// Takes an operation into its queue; why not, where that is full.
        mutating func append(_ job: any Job, asks: Bool) -> StaticString? {
            guard asks || queue.count < Pool.maxWaiting else { return Pool.full }
            guard !asks || !isFullOfAsking else { return Pool.fullOfAsking }
            numbers += 1
            if asks { asking.append(job, numbers) } else { queue.append(job, numbers) }
            return nil
        }

        /// What came first of that which a thread may do now.
        mutating func take() -> (job: any Job, asks: Bool)? {
            if !isAsking, asking.first < queue.first, let job = asking.takeFirst() {
                isAsking = true
                return (job, true)
            }
            return queue.takeFirst().map { ($0, false) }
        }

        mutating func takeAll() -> [any Job] { queue.takeAll() + asking.takeAll() }

        /// Whom the work that waits needs.
        mutating func next(atMost most: Int) -> Next {
            guard !isComing, !queue.isEmpty || !isAsking && !asking.isEmpty else { return .nothing }
            if let bell = sleeping.popLast() {
                isComing = true
                return .ring(bell)
            }
            guard threads < most else { return .nothing }
            isComing = true
            threads += 1
            return .start
        }
    }
    private enum Next {
        case ring(Bell)
        case start, nothing
    }
    private let state = Lock(State())

    /// How many operations may wait; those that were given up meanwhile are among them.
    private static let maxWaiting = 4_096
    private static let full: StaticString = "too many operations wait for the PKCS#11 token"
    /// How many operations may wait that want a PIN each: they have a bound of their own, since those of other keys are done
    /// while somebody is slow with a PIN.
    private static let maxAsking = 256
    private static let fullOfAsking: StaticString =
        "too many operations wait that want a PIN of the PKCS#11 token each"

    init(_ seat: Seat, threads: Int, room: WorkerPool = .process) {
        self.seat = seat
        self.room = room
        most = threads
    }

    /// Runs an operation; a task that was cancelled, or whose time is over, does not wait for its end.
    ///
    /// - Parameter asks: Whether it wants a PIN of its own.
    nonisolated(nonsending) func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant, asks: Bool = false,
        _ work: @escaping @Sendable (Worker) throws(PKCS11Error) -> Value
    ) async throws(PKCS11Error) -> Value {
        guard !Task.isCancelled else { throw ExternalKeyWaitError.cancelled.failure }
        let job = PoolJob(until: deadline, work)
        submit(job, asks: asks)
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: job.wait, before: deadline)
        } catch {
            throw error.failure
        }
        return try job.value()
    }

    /// Ends the threads once nothing waits.
    func close() {
        let sleeping = state.withLock { state in
            state.isClosed = true
            defer { state.sleeping = [] }
            return state.sleeping
        }
        for bell in sleeping { bell.ring() }
    }

    private func submit(_ job: any Job, asks: Bool) {
        guard seat.module.isHere else { return job.giveUp(PKCS11Error.afterFork) }
        // What is let go of may be the last to hold the token, which closes this pool: outside of the lock.
        let (rejection, next, _) = state.withLock { state -> (StaticString?, Next, [any Job]) in
            // While one PIN is out no thread clears away what was given up.
            let over = asks && state.isFullOfAsking ? state.asking.removeOver() : []
            if let rejection = state.append(job, asks: asks) { return (rejection, .nothing, over) }
            return (nil, state.next(atMost: most), over)
        }
        if let rejection { return job.giveUp(rejection) }
        call(next)
    }

    private func call(_ next: Next) {
        switch next {
        case .ring(let bell): bell.ring()
        case .nothing: break
        case .start:
            if let bell = try? Bell(), room.start({ self.work(bell) }) { return }
            // Others may still do it; where there is no thread at all, nobody will.
            let left = state.withLock { state in
                state.isComing = false
                state.threads -= 1
                return state.threads == 0 ? state.takeAll() : []
            }
            for job in left { job.giveUp("there is no thread for the PKCS#11 token") }
        }
    }

    /// What a thread does until the pool is closed.
    private func work(_ bell: Bell) {
        let worker = Worker(seat)
        var comes = true
        var asked = false
        while true {
            let (taken, next) = state.withLock { state -> ((job: any Job, asks: Bool)?, Next?) in
                if comes { state.isComing = false }
                if asked { state.isAsking = false }
                if let taken = state.take() { return (taken, state.next(atMost: most)) }
                guard !state.isClosed else { return (nil, nil) }
                state.sleeping.append(bell)
                return (nil, .nothing)
            }
            comes = false
            asked = taken?.asks == true
            guard let next else { return worker.end() }
            if let taken {
                call(next)
                taken.job.run(worker)
            } else {
                bell.wait()
                comes = true
            }
        }
    }
}

/// What a thread of a pool takes from the queue.
private protocol Job: AnyObject, Sendable {
    /// Whether nobody waits for it any more.
    var isOver: Bool { get }
    func run(_ worker: Worker)
    func giveUp(_ reason: StaticString)
}

/// An operation and who waits for it; whatever comes first, the result or the end of patience, is the answer.
private final class PoolJob<Value: Sendable>: Job {
    let wait = Completion()
    private let result = Lock<Result<Value, PKCS11Error>?>(nil)
    private let deadline: ContinuousClock.Instant
    private let work: @Sendable (Worker) throws(PKCS11Error) -> Value

    init(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Worker) throws(PKCS11Error) -> Value
    ) {
        self.deadline = deadline
        self.work = work
    }

    var isOver: Bool { wait.isOver }

    /// What came of it; there where the wait ended without an outage.
    func value() throws(PKCS11Error) -> Value {
        guard let result = result.withLock({ $0 }) else { throw .failed }
        return try result.get()
    }

    func giveUp(_ reason: StaticString) { response(.failure(.unavailable(reason))) }

    func run(_ worker: Worker) {
        guard !wait.isOver else { return }
        guard ContinuousClock.now < deadline else {
            wait.end(.timedOut)
            return
        }
        do throws(PKCS11Error) {
            response(.success(try work(worker)))
        } catch {
            response(.failure(error))
        }
    }

    private func response(_ response: Result<Value, PKCS11Error>) {
        result.withLock { $0 = response }
        wait.end()
    }
}

/// First in, first out, at a constant cost each: the places of those that went are closed up once they are the most.
private struct Queue {
    private var places: [(number: UInt64, job: (any Job)?)] = []
    private var start = 0

    var count: Int { places.count - start }
    var isEmpty: Bool { start == places.count }
    /// The number of the first; beyond all numbers where there is none.
    var first: UInt64 { isEmpty ? .max : places[start].number }

    mutating func append(_ job: any Job, _ number: UInt64) { places.append((number, job)) }

    mutating func takeFirst() -> (any Job)? {
        guard !isEmpty else { return nil }
        let job = places[start].job.take()
        start += 1
        if isEmpty {
            places.removeAll(keepingCapacity: true)
            start = 0
        } else if start >= 64, start >= count {
            places.removeFirst(start)
            start = 0
        }
        return job
    }

    /// Takes out what nobody waits for any more.
    mutating func removeOver() -> [any Job] {
        let waiting = places[start...]
        places = waiting.filter { $0.job?.isOver == false }
        start = 0
        return waiting.compactMap(\.job).filter(\.isOver)
    }

    mutating func takeAll() -> [any Job] {
        defer { self = Queue() }
        return places.compactMap(\.job)
    }
}
