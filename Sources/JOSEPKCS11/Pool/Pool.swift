// The worker threads of a PKCS#11 token, and the queue of operations in front of them. Each thread
// has one session and starts on demand.

import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization

final class Pool: Sendable {
    let binding: SlotBinding
    private let workers: WorkerPool
    private let clock = ExternalKeyClock()

    private struct State {
        var queue = Queue()
        /// Operations that need their own PIN: one at a time, since each blocks a thread.
        var pinQueue = Queue()
        var isPINJobRunning = false
        var lastNumber: UInt64 = 0
        var threads: PooledThreads

        /// Returns the reason if the queue is full.
        mutating func append(_ job: any Job, needsPIN: Bool) -> StaticString? {
            guard needsPIN || queue.count < Pool.maxWaiting else { return Pool.full }
            guard !needsPIN || pinQueue.count < Pool.maxPINWaiting else { return Pool.pinQueueFull }
            lastNumber += 1
            if needsPIN { pinQueue.append(job, lastNumber) } else { queue.append(job, lastNumber) }
            return nil
        }

        mutating func take() -> (job: any Job, needsPIN: Bool)? {
            if !isPINJobRunning, pinQueue.first < queue.first, let job = pinQueue.takeFirst() {
                isPINJobRunning = true
                return (job, true)
            }
            return queue.takeFirst().map { ($0, false) }
        }

        /// Removes an operation, unless a thread took it.
        mutating func remove(_ job: any Job) {
            queue.remove(job)
            pinQueue.remove(job)
        }

        mutating func takeAll() -> [any Job] { queue.takeAll() + pinQueue.takeAll() }

        /// Whether an operation waits that may run now.
        var hasWork: Bool { !queue.isEmpty || !isPINJobRunning && !pinQueue.isEmpty }

        mutating func next() -> PooledThreads.NextThread { threads.next(hasWork: hasWork) }
    }
    private let state: Lock<State>

    private static let maxWaiting = 4_096
    private static let full: StaticString = "too many operations wait for the PKCS#11 token"
    /// Separate from `maxWaiting`, because other operations run while one waits for its PIN.
    private static let maxPINWaiting = 256
    private static let pinQueueFull: StaticString =
        "too many operations wait for a PIN of the PKCS#11 token"

    var counts: (waiting: Int, idle: Int) {
        state.withLock { ($0.queue.count + $0.pinQueue.count, $0.threads.idleCount) }
    }

    init(_ binding: SlotBinding, threads: Int, workers: WorkerPool = .process) {
        self.binding = binding
        self.workers = workers
        state = Lock(State(threads: PooledThreads(max: threads)))
    }

    /// Runs an operation. Does not wait beyond the deadline or the cancellation of the task.
    ///
    /// - Parameters:
    ///   - needsPIN: Whether the operation needs its own PIN (`CKA_ALWAYS_AUTHENTICATE`).
    ///   - permit: Returned when the operation ends, not when the caller stops waiting.
    nonisolated(nonsending) func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant, needsPIN: Bool = false,
        permit: ExternalKeyPermit? = nil,
        _ work: @escaping @Sendable (Worker) throws(PKCS11Error) -> Value
    ) async throws(PKCS11Error) -> Value {
        guard !Task.isCancelled else { throw ExternalKeyWaitError.cancelled.failure }
        let job = PoolJob(until: deadline, permit, work)
        submit(job, needsPIN: needsPIN)
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: job.wait, before: deadline)
        } catch {
            state.withLock { $0.remove(job) }
            throw error.failure
        }
        return try job.value()
    }

    /// Lets the threads end when no operation waits.
    func close() {
        for event in state.withLock({ $0.threads.close() }) { event.signal() }
    }

    private func submit(_ job: any Job, needsPIN: Bool) {
        guard binding.module.isSameProcess else { return job.giveUp(PKCS11Error.afterFork) }
        let (rejection, next) = state.withLock {
            state -> (StaticString?, PooledThreads.NextThread) in
            if let rejection = state.append(job, needsPIN: needsPIN) {
                return (rejection, .nothing)
            }
            return (nil, state.next())
        }
        if let rejection { return job.giveUp(rejection) }
        provideThread(next)
    }

    /// Wakes or starts the next thread. If that fails and none is left, waiting operations fail.
    private func provideThread(_ next: PooledThreads.NextThread) {
        guard !next.provide(startingBy: workers.start, { self.work($0) }) else { return }
        let (abandoned, idle) = state.withLock { state in
            let idle = state.threads.failToStart(hasWork: state.hasWork)
            return (state.threads.isEmpty ? state.takeAll() : [], idle)
        }
        idle?.signal()
        for job in abandoned { job.giveUp("there is no thread for the PKCS#11 token") }
    }

    /// What a thread does until the pool is closed.
    private func work(_ event: WakeUpEvent) {
        let worker = Worker(binding)
        var hasStartedOrWoken = true
        var hasUsedPIN = false
        while true {
            let (taken, next) = state.withLock {
                state -> ((job: any Job, needsPIN: Bool)?, PooledThreads.NextThread?) in
                if hasStartedOrWoken { state.threads.arrive() }
                if hasUsedPIN { state.isPINJobRunning = false }
                if let taken = state.take() { return (taken, state.next()) }
                return (nil, state.threads.sleep(event) ? .nothing : nil)
            }
            hasStartedOrWoken = taken == nil
            hasUsedPIN = taken?.needsPIN == true
            guard let next else { return worker.end() }
            if let taken {
                provideThread(next)
                taken.job.run(worker)
            } else {
                event.wait()
            }
        }
    }
}

private protocol Job: AnyObject, Sendable {
    func run(_ worker: Worker)
    func giveUp(_ reason: StaticString)
}

/// An operation and its waiting caller. The wait ends at the result, the deadline or cancellation.
private final class PoolJob<Value: Sendable>: Job {
    let wait = Completion()
    private struct State {
        var permit: ExternalKeyPermit?
        var result: Result<Value, PKCS11Error>?
    }
    private let state: Lock<State>
    private let deadline: ContinuousClock.Instant
    private let work: @Sendable (Worker) throws(PKCS11Error) -> Value

    init(
        until deadline: ContinuousClock.Instant, _ permit: ExternalKeyPermit?,
        _ work: @escaping @Sendable (Worker) throws(PKCS11Error) -> Value
    ) {
        state = Lock(State(permit: permit))
        self.deadline = deadline
        self.work = work
    }

    /// Call it only after `wait` ended without an error.
    func value() throws(PKCS11Error) -> Value {
        guard let result = state.withLock({ $0.result }) else { throw .failed }
        return try result.get()
    }

    func giveUp(_ reason: StaticString) { end(.failure(.unavailable(reason))) }

    func run(_ worker: Worker) {
        guard !wait.isOver else { return }
        guard ContinuousClock.now < deadline else {
            wait.end(.timedOut)
            return
        }
        do throws(PKCS11Error) {
            end(.success(try work(worker)))
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ result: Result<Value, PKCS11Error>) {
        // The permit is given back outside the lock, and before the caller continues.
        let permit = state.withLock { state in
            state.result = result
            return state.permit.take()
        }
        permit?.giveBack()
        wait.end()
    }
}

/// Waiting operations, oldest first. `remove` searches linearly, through at most `maxWaiting`.
private struct Queue {
    private var entries: [(number: UInt64, job: any Job)] = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The number of the oldest operation; the maximum if empty.
    var first: UInt64 { entries.first?.number ?? .max }

    mutating func append(_ job: any Job, _ number: UInt64) { entries.append((number, job)) }

    mutating func takeFirst() -> (any Job)? { isEmpty ? nil : entries.removeFirst().job }

    /// The caller must keep a reference to the operation until the lock is released. The last
    /// reference may free the PKCS#11 token, whose `deinit` calls `close`, which takes the lock.
    mutating func remove(_ job: any Job) { entries.removeAll { $0.job === job } }

    mutating func takeAll() -> [any Job] {
        defer { entries = [] }
        return entries.map(\.job)
    }
}
