// The queue in front of an external key, which limits concurrent operations. No thread blocks.

import JOSEBytes
import Synchronization

final class ExternalKeyQueue: Sendable {
    private struct State {
        var running = 0
        /// By ticket number. Callers that stopped waiting are removed.
        var waiting: [UInt64: Completion] = [:]
        /// No waiting caller has a lower ticket number.
        var first: UInt64 = 0
        /// The next ticket number.
        var next: UInt64 = 0
    }
    private let state = Lock(State())
    private let maxConcurrent: Int
    private let maxWaiting: Int

    init(_ options: ExternalKeyOptions) {
        maxConcurrent = options.maxConcurrent
        maxWaiting = options.maxWaiting
    }

    /// Waits for a free permit and takes it, for one call. `leave()` returns the permit.
    nonisolated(nonsending) func enter(
        before deadline: ContinuousClock.Instant, _ clock: ExternalKeyClock
    ) async throws(ExternalKeyWaitError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard ContinuousClock.now < deadline else { throw .timedOut }
        guard let (number, wait) = try enqueue() else { return }
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: wait, before: deadline)
        } catch {
            state.withLock { _ = $0.waiting.removeValue(forKey: number) }
            throw error
        }
    }

    /// Takes a free permit and returns nil, or returns a wait for one.
    private func enqueue() throws(ExternalKeyWaitError) -> (number: UInt64, wait: Completion)? {
        try state.withLock { (state) throws(ExternalKeyWaitError) in
            guard state.running == maxConcurrent else {
                state.running += 1
                return nil
            }
            guard state.waiting.count < maxWaiting else { throw .queueFull }
            let (number, wait) = (state.next, Completion())
            state.next += 1
            state.waiting[number] = wait
            return (number, wait)
        }
    }

    /// Gives the permit to the next waiting caller, or frees it.
    func leave() {
        while let wait = nextWaiting() {
            if wait.end() { return }
        }
    }

    private func nextWaiting() -> Completion? {
        state.withLock { state in
            while state.first < state.next {
                let wait = state.waiting.removeValue(forKey: state.first)
                state.first += 1
                if let wait { return wait }
            }
            state.running -= 1
            return nil
        }
    }
}

/// A permit taken from an `ExternalKeyQueue`. `giveBack()` returns it when the operation ends,
/// even if the caller's executor is busy; otherwise `deinit` returns it.
package final class ExternalKeyPermit: Sendable {
    private let queue: ExternalKeyQueue
    private let isReturned = Atomic(false)
    /// Set by the external key if its own queue was full and it rejected the operation.
    let foundFullQueue = Atomic(false)
    /// Identifies the external key.
    var key: ObjectIdentifier { ObjectIdentifier(queue) }

    init(of queue: ExternalKeyQueue) { self.queue = queue }

    deinit { giveBack() }

    /// Returns the permit to the queue, once.
    package func giveBack() {
        if !isReturned.exchange(true, ordering: .relaxed) { queue.leave() }
    }
}
