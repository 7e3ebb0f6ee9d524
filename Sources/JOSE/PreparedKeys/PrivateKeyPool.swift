// Threads that compute with local RSA private keys, several operations at once.

import JOSEBytes
import JOSECrypto
import Synchronization

/// A few threads that compute with RSA private keys, for servers with many concurrent requests.
///
/// `JWK.served(by:options:)` returns a key whose operations run on these threads. Use it like an
/// external key: with asynchronous calls, deadlines, cancellation and a bounded queue.
///
/// If several operations wait, a thread runs up to four of them in parallel. This needs keys with
/// `KeyAcceleration.withPrivateKeys` and a processor with AVX-512 IFMA. No timer delays an
/// operation: an idle thread starts it at once. So batches form only under load, where they raise
/// the throughput of a thread.
///
/// Several keys may share a pool. The oldest operation runs first, so a slow key delays the others:
/// an operation of 8,192 bits takes tens of times as long as one of 2,048. Give a key that is much
/// slower, or whose clients are less trusted, its own pool or a lower
/// `ExternalKeyOptions.maxConcurrent`.
///
/// At most 4,096 operations of all keys wait for a thread. One key may occupy at most as many
/// places as remain free: 2,048 without other keys. Further operations throw `unavailable` at once
/// (event `queueFull`).
///
/// A pool's threads end when the pool and all its keys are released. They block all signals that
/// can be blocked: no signal handler of the program runs on them.
///
/// A child of `fork` must `exec` before it uses the library: it has none of the threads, and
/// Swift's locks do not work there.
public final class PrivateKeyPool: Sendable {
    let threads: PoolThreads

    /// Creates a pool. Its threads start when they are first needed.
    ///
    /// The first pool of a process tests the kernels of private keys, in some tens of milliseconds.
    ///
    /// - Parameter threads: The maximum number of threads, 1 to 1,024. More than the processors
    ///   that the program may use do not help.
    /// - Throws: `misuse` for a number out of range.
    public init(threads: Int = 1) throws(JOSEError) {
        guard 1...1_024 ~= threads else {
            throw .misuse("'threads' is {}; it must be 1 to 1,024", .number(threads))
        }
        self.threads = PoolThreads(max: threads)
    }

    init(on threads: PoolThreads) { self.threads = threads }

    deinit { threads.close() }
}

/// The queue and the threads of a pool. The threads end after `close`, once the queue is empty.
final class PoolThreads: Sendable {
    private struct State {
        var queue = PoolQueue()
        var threads: PooledThreads

        mutating func next() -> PooledThreads.NextThread { threads.next(hasWork: !queue.isEmpty) }
    }
    private let state: Lock<State>
    private let clock = ExternalKeyClock()
    private let process: Int32
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    /// Whether a kernel can run four operations at once. Tested at creation, so that no request
    /// waits for the test.
    private let hasLanes = !FIPSLibrary.isUsedByProcess && VectorKernel.rsaPrivateFour.isInUse

    var waitingCount: Int { state.withLock { $0.queue.count } }
    var idleCount: Int { state.withLock { $0.threads.idleCount } }

    init(
        max: Int, process: Int32 = HostProcess.identifier,
        by start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = startThread
    ) {
        state = Lock(State(threads: PooledThreads(max: max)))
        self.process = process
        self.start = start
    }

    /// Runs an operation. Waits at most until the deadline or the cancellation of the task.
    /// `permit` is given back when the operation ends, even if the caller has stopped waiting.
    nonisolated(nonsending) func run(
        _ work: PoolJob.Work, before deadline: ContinuousClock.Instant,
        permit: ExternalKeyPermit? = nil
    ) async throws(ExternalKeyError) -> PoolJob.Output {
        // In a child of fork, a thread that does not exist there may hold a lock.
        guard !Task.isCancelled, process == HostProcess.identifier else { throw .unavailable }
        let job = PoolJob(work, before: deadline, permit)
        guard submit(job) else {
            permit?.foundFullQueue.store(true, ordering: .relaxed)
            throw .unavailable
        }
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: job.wait, before: deadline)
        } catch {
            // Frees the place in the queue for another operation at once.
            state.withLock { $0.queue.remove(job) }
            throw .unavailable
        }
        return try job.output()
    }

    func close() {
        guard process == HostProcess.identifier else { return }
        for event in state.withLock({ $0.threads.close() }) { event.signal() }
    }

    /// Appends an operation; false if too many wait. It ends in an error if no thread can run it.
    func submit(_ job: PoolJob) -> Bool {
        let next = state.withLock { state -> PooledThreads.NextThread? in
            state.queue.append(job) ? state.next() : nil
        }
        guard let next else { return false }
        provideThread(next)
        return true
    }

    private func provideThread(_ next: PooledThreads.NextThread) {
        guard !next.provide(startingBy: start, { self.work($0) }) else { return }
        let (left, idle) = state.withLock { state in
            let idle = state.threads.failToStart(hasWork: !state.queue.isEmpty)
            return (state.threads.isEmpty ? state.queue.takeAll() : [], idle)
        }
        idle?.signal()
        for job in left { job.end(.failure(.unavailable)) }
    }

    /// The loop of a thread: runs operations until the pool is closed and its queue is empty.
    private func work(_ event: WakeUpEvent) {
        var hasArrived = true
        while true {
            let (jobs, next) = state.withLock { state -> ([PoolJob], PooledThreads.NextThread?) in
                if hasArrived { state.threads.arrive() }
                let jobs = state.queue.take { hasLanes && $0.usesLanesNow }
                if !jobs.isEmpty { return (jobs, state.next()) }
                return ([], state.threads.sleep(event) ? .nothing : nil)
            }
            hasArrived = jobs.isEmpty
            guard let next else { return }
            if jobs.isEmpty {
                event.wait()
            } else {
                provideThread(next)
                PoolJob.run(jobs)
            }
        }
    }
}

/// The waiting operations, first come first served. They are few enough for an array.
struct PoolQueue {
    static let capacity = 4_096

    private var jobs: [PoolJob] = []
    private var counts: [ObjectIdentifier: Int] = [:]

    var count: Int { jobs.count }
    var isEmpty: Bool { jobs.isEmpty }

    /// Appends an operation; returns false if there is no place. One key must not take all places,
    /// so it may have at most as many as are free.
    @discardableResult
    mutating func append(_ job: PoolJob) -> Bool {
        let free = PoolQueue.capacity - jobs.count
        guard free > 0 else { return false }
        if let key = job.key {
            guard counts[key, default: 0] < free else { return false }
            counts[key, default: 0] += 1
        }
        jobs.append(job)
        return true
    }

    mutating func remove(_ job: PoolJob) {
        if let index = jobs.firstIndex(where: { $0 === job }) { remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        guard let key = jobs.remove(at: index).key, let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    /// How many of the oldest operations `take` searches for others to run with the first.
    private static let searched = 32

    /// Takes the oldest operation, and with it up to three others of its modulus size that can run
    /// in lanes, if together they are faster than alone.
    mutating func take(inLanesIf usesLanes: (PoolJob.Work) -> Bool) -> [PoolJob] {
        guard let work = jobs.first?.work else { return [] }
        var taken = [0]
        if usesLanes(work) {
            for index in 1..<max(min(jobs.count, PoolQueue.searched), 1)
            where taken.count < PrivateBatch.laneCount {
                let other = jobs[index].work
                if other.modulusBytes == work.modulusBytes, usesLanes(other) { taken.append(index) }
            }
            if taken.count < PrivateBatch.worthwhileCount(modulusBytes: work.modulusBytes) {
                taken = [0]
            }
        }
        let result = taken.map { jobs[$0] }
        for index in taken.reversed() { remove(at: index) }
        return result
    }

    mutating func takeAll() -> [PoolJob] {
        defer { self = PoolQueue() }
        return jobs
    }
}

/// One operation and its waiting caller. Result, deadline or cancellation ends the wait.
final class PoolJob: Sendable {
    enum Work: Sendable {
        case sign(SignatureOperation, digest: [UInt8])
        case unwrap(KeyManagementOperation, encryptedKey: [UInt8])

        var usesLanesNow: Bool {
            switch self {
            case .sign(let operation, _): operation.usesLanesNow
            case .unwrap(let operation, _): operation.usesLanesNow
            }
        }

        /// The error of an operation that was not computed. RSA has a result for every encrypted
        /// key that `mayOpen` accepted, so an unwrapping fails only if memory or libcrypto does.
        var failure: ExternalKeyError {
            switch self {
            case .sign: .failed
            case .unwrap: .unavailable
            }
        }

        var modulusBytes: Int {
            switch self {
            case .sign(let operation, _): operation.signatureBytes
            case .unwrap(_, let encryptedKey): encryptedKey.count
            }
        }
    }

    enum Output: Sendable {
        case signature([UInt8])
        case block(SecretBytes)
    }

    let work: Work
    /// Identifies the key; nil if its number of operations is not limited.
    let key: ObjectIdentifier?
    let wait = Completion()
    private let deadline: ContinuousClock.Instant
    private struct State {
        var permit: ExternalKeyPermit?
        var result: Result<Output, ExternalKeyError>?
    }
    private let state: Lock<State>

    init(_ work: Work, before deadline: ContinuousClock.Instant, _ permit: ExternalKeyPermit?) {
        self.work = work
        key = permit?.key
        self.deadline = deadline
        state = Lock(State(permit: permit))
    }

    /// The output. Call this once, after the wait ended without an error.
    func output() throws(ExternalKeyError) -> Output {
        guard let result = state.withLock({ $0.result.take() }) else { throw .failed }
        return try result.get()
    }

    func end(_ value: Result<Output, ExternalKeyError>) {
        let permit = state.withLock { state in
            state.result = value
            return state.permit.take()
        }
        // Outside the lock, and before the caller continues.
        permit?.giveBack()
        wait.end()
    }

    /// Computes operations in one batch, except those whose wait or deadline is over.
    static func run(_ jobs: [PoolJob]) {
        let now = ContinuousClock.now
        var batch: PrivateBatch
        do {
            batch = try PrivateBatch(capacity: jobs.count)
        } catch {
            for job in jobs { job.end(.failure(.unavailable)) }
            return
        }
        var indices: [Int?] = []
        for job in jobs {
            if job.wait.isOver {
                indices.append(nil)
            } else if job.deadline <= now {
                job.wait.end(.timedOut)
                indices.append(nil)
            } else {
                indices.append(job.add(to: &batch))
                if indices.last == .some(nil) { job.end(.failure(job.work.failure)) }
            }
        }
        batch.run()
        for (job, index) in zip(jobs, indices) {
            guard let index else { continue }
            do throws(CryptoError) {
                job.end(.success(try job.read(index, of: batch)))
            } catch {
                job.end(.failure(job.work.failure))
            }
        }
    }

    private func add(to batch: inout PrivateBatch) -> Int? {
        switch work {
        case .sign(let operation, let digest): batch.add(signing: operation, digest: digest.span)
        case .unwrap(let operation, let key): batch.add(unwrapping: operation, key.span)
        }
    }

    private func read(
        _ index: Int, of batch: borrowing PrivateBatch
    ) throws(CryptoError) -> Output {
        switch work {
        case .sign(let operation, _):
            var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
            var span = signature.mutableSpan
            try batch.signature(index, into: &span)
            return .signature(signature)
        case .unwrap(_, let key): return .block(try batch.block(index, count: key.count))
        }
    }
}
