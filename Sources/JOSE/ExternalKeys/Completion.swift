// `Completion`, one wait for a result, and `ExternalKeyClock`, which ends waits at their deadlines.

import JOSEBytes
import Synchronization

extension ContinuousClock.Instant {
    /// The instant `time` from now. A duration of more than 253,402,300,799 s is reduced to that,
    /// since the clock traps if a sum overflows.
    package static func end(of time: Duration) -> ContinuousClock.Instant {
        .now + min(time, .seconds(NumericDate.latest.seconds))
    }

    package static func end(of time: Duration?) -> ContinuousClock.Instant? {
        time.map { (time: Duration) -> ContinuousClock.Instant in .end(of: time) }
    }
}

package enum ExternalKeyWaitError: Error {
    case timedOut, queueFull, cancelled
}

/// One wait of one task. Whichever is first ends it: the result or an error.
///
/// The caller stores the result itself. A `Completion` that is generic over the result's type would
/// not be specialised for other modules, and a wait would cost twice as much.
package final class Completion: Sendable {
    private enum State: Sendable {
        case open
        case awaited(CheckedContinuation<ExternalKeyWaitError?, Never>)
        case over(ExternalKeyWaitError?)
    }
    private let state = Lock(State.open)

    package init() {}

    package var isOver: Bool {
        state.withLock { state in
            if case .over = state { return true }
            return false
        }
    }

    /// Ends the wait; `error` is nil if the result is available. False if the wait was already
    /// over.
    @discardableResult
    package func end(_ error: ExternalKeyWaitError? = nil) -> Bool {
        let before = state.withLock { state in
            let before = state
            if case .over = before { return before }
            state = .over(error)
            return before
        }
        switch before {
        case .open: return true
        case .over: return false
        case .awaited(let continuation):
            continuation.resume(returning: error)
            return true
        }
    }

    /// Waits for `end(_:)` or the cancellation of the task. Returns nil if the result is available.
    nonisolated(nonsending) fileprivate func failure() async -> ExternalKeyWaitError? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended = state.withLock { state -> ExternalKeyWaitError?? in
                    if case .over(let error) = state { return .some(error) }
                    state = .awaited(continuation)
                    return .none
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            end(.cancelled)
        }
    }
}

/// Ends waits at their deadlines, usually with one sleeping task: most deadlines come in order.
package final class ExternalKeyClock: Sendable {
    private struct Waiting: Sendable {
        let deadline: ContinuousClock.Instant
        let wait: Completion
    }
    private struct State {
        var waiting: [UInt64: Waiting] = [:]
        var lastNumber: UInt64 = 0
        /// The newest sleeping task: the number of the wait that started it, and the deadline that
        /// it awaits; nil if it ended. It wakes after `maxSleep` at the latest.
        var sleeper: (waitNumber: UInt64, deadline: ContinuousClock.Instant)?
    }
    private let state = Lock(State())

    /// The longest sleep at a time. A task that another one replaced ends when it wakes. So callers
    /// with ever earlier deadlines do not leave many sleeping tasks.
    private static let maxSleep = Duration.seconds(1)

    package init() {}

    nonisolated(nonsending) package func wait(
        for completion: Completion, before deadline: ContinuousClock.Instant
    ) async throws(ExternalKeyWaitError) {
        let number = watch(Waiting(deadline: deadline, wait: completion))
        let failure = await completion.failure()
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
        if let failure { throw failure }
    }

    private func watch(_ waiting: Waiting) -> UInt64 {
        let (number, sleeps) = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.waiting[number] = waiting
            if let sleeper = state.sleeper, sleeper.deadline <= waiting.deadline {
                return (number, false)
            }
            // An earlier task finds this number, not its own, when it wakes, and ends.
            state.sleeper = (number, waiting.deadline)
            return (number, true)
        }
        if sleeps { sleep(number, until: waiting.deadline) }
        return number
    }

    private func sleep(_ number: UInt64, until deadline: ContinuousClock.Instant) {
        // Detached, since it must not inherit the caller's task values or a lower priority.
        Task.detached(priority: .high) { [self] in
            let end = min(deadline, .now + ExternalKeyClock.maxSleep)
            try? await Task.sleep(until: end, clock: .continuous)
            wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Waiting], ContinuousClock.Instant?) in
            guard state.sleeper?.waitNumber == number else { return ([], nil) }
            let late = state.waiting.filter { $0.value.deadline <= now }
            for number in late.keys { state.waiting[number] = nil }
            let next = state.waiting.values.map(\.deadline).min()
            state.sleeper = next.map { (number, $0) }
            return (Array(late.values), next)
        }
        for waiting in late { waiting.wait.end(.timedOut) }
        if let next { sleep(number, until: next) }
    }
}
