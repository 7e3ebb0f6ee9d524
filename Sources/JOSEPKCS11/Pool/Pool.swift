// The threads of a token: as many as it has sessions, started when there is work for them.

import JOSE
import JOSEBytes
import Synchronization

/// Runs operations on threads of its own, in the order of their coming.
final class Pool: Sendable {
    let seat: Seat
    private let most: Int
    private let room: ThreadRoom
    private let bell: Bell
    private let clock = CustodyClock()

    private struct State {
        var queue = Queue()
        var threads = 0
        /// Threads that wait for a ring that was not made yet.
        var idle = 0
        var isClosed = false
    }
    private let state = Lock(State())

    /// How many operations may wait; those that were given up meanwhile are among them.
    private static let mostWaiting = 4_096

    init(_ seat: Seat, threads: Int, room: ThreadRoom = .process) throws(JOSEError) {
        self.seat = seat
        self.room = room
        most = threads
        bell = try Bell()
    }

    /// Runs an operation; a task that was cancelled, or whose time is over, does not wait for its end.
    func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Worker) throws(TokenFault) -> Value
    ) async throws(TokenFault) -> Value {
        guard !Task.isCancelled else { throw CustodyOutage.cancelled.fault }
        let job = PoolJob(until: deadline, work)
        submit(job)
        do throws(CustodyOutage) {
            try await clock.wait(for: job.wait, before: deadline)
        } catch {
            throw error.fault
        }
        return try job.value()
    }

    /// Ends the threads once nothing waits.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { bell.ring() }
    }

    private enum Next { case ring, start, nothing, refuse }

    private func submit(_ job: any Job) {
        guard seat.module.isHere else { return job.giveUp(TokenFault.afterFork) }
        let next = state.withLock { state -> Next in
            guard state.queue.count < Pool.mostWaiting else { return .refuse }
            state.queue.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .ring
            }
            guard state.threads < most else { return .nothing }
            state.threads += 1
            return .start
        }
        switch next {
        case .ring: bell.ring()
        case .nothing: break
        case .refuse: job.giveUp("too many operations wait for the PKCS#11 token")
        case .start:
            guard !room.start({ self.work() }) else { return }
            // Others may still do it; where there is no thread at all, nobody will.
            let isAlone = state.withLock { state in
                state.threads -= 1
                return state.threads == 0
            }
            if isAlone { job.giveUp("there is no thread for the PKCS#11 token") }
        }
    }

    /// What a thread does until the pool is closed.
    private func work() {
        let worker = Worker(seat)
        while true {
            let (job, isOver) = state.withLock { state -> ((any Job)?, Bool) in
                if let job = state.queue.takeFirst() { return (job, false) }
                if state.isClosed { return (nil, true) }
                state.idle += 1
                return (nil, false)
            }
            if let job {
                job.run(worker)
            } else if isOver {
                return worker.end()
            } else {
                bell.wait()
            }
        }
    }
}

/// What a thread of a pool takes from the queue.
private protocol Job: AnyObject, Sendable {
    func run(_ worker: Worker)
    func giveUp(_ reason: StaticString)
}

/// An operation and who waits for it; whatever comes first, the result or the end of patience, is the answer.
private final class PoolJob<Value: Sendable>: Job {
    let wait = Awaited()
    private let result = Lock<Result<Value, TokenFault>?>(nil)
    private let deadline: ContinuousClock.Instant
    private let work: @Sendable (Worker) throws(TokenFault) -> Value

    init(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Worker) throws(TokenFault) -> Value
    ) {
        self.deadline = deadline
        self.work = work
    }

    /// What came of it; there where the wait ended without an outage.
    func value() throws(TokenFault) -> Value {
        guard let result = result.withLock({ $0 }) else { throw .failed }
        return try result.get()
    }

    func giveUp(_ reason: StaticString) { answer(.failure(.unavailable(reason))) }

    func run(_ worker: Worker) {
        guard !wait.isOver else { return }
        guard ContinuousClock.now < deadline else {
            wait.end(.late)
            return
        }
        do throws(TokenFault) {
            answer(.success(try work(worker)))
        } catch {
            answer(.failure(error))
        }
    }

    private func answer(_ answer: Result<Value, TokenFault>) {
        result.withLock { $0 = answer }
        wait.end()
    }
}

extension CustodyOutage {
    fileprivate var fault: TokenFault {
        switch self {
        case .cancelled: .unavailable("the task was cancelled")
        case .late: .unavailable("the PKCS#11 token did not answer in time")
        case .full: .unavailable("too many operations wait for the PKCS#11 token")
        }
    }
}

/// First in, first out, at a constant cost each.
private struct Queue {
    private var incoming: [any Job] = []
    private var outgoing: [any Job] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ job: any Job) { incoming.append(job) }

    mutating func takeFirst() -> (any Job)? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}
