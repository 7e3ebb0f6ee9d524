// One answer that is waited for, and the clock that ends waiting for too long.

import JOSEBytes
import Synchronization

/// Why nobody waits for an answer any more.
enum CustodyOutage: Error {
    case late, full, cancelled
}

/// An answer that one task waits for; the first that comes counts, and an outage is one.
final class Awaited<Answer: Sendable>: Sendable {
    typealias Outcome = Result<Answer, CustodyOutage>

    private enum State: Sendable {
        case empty
        case awaited(CheckedContinuation<Outcome, Never>)
        case given(Outcome)
    }
    private let state = Lock(State.empty)

    /// Gives the answer; false where there was one already.
    @discardableResult
    func give(_ outcome: Outcome) -> Bool {
        let before = state.withLock { state in
            let before = state
            if case .given = before { return before }
            state = .given(outcome)
            return before
        }
        switch before {
        case .empty: return true
        case .given: return false
        case .awaited(let continuation):
            continuation.resume(returning: outcome)
            return true
        }
    }

    /// Waits for the answer, or for the end of the task.
    fileprivate func outcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let given = state.withLock { state -> Outcome? in
                    if case .given(let outcome) = state { return outcome }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        } onCancel: {
            give(.failure(.cancelled))
        }
    }
}

/// Ends what waits for too long: one sleeping task for all that wait, whose deadlines mostly come in their order.
final class CustodyClock: Sendable {
    private struct Waiting: Sendable {
        let deadline: ContinuousClock.Instant
        let end: @Sendable () -> Void
    }
    private struct State {
        var waiting: [UInt64: Waiting] = [:]
        var numbers: UInt64 = 0
        /// The sleeping task, and when it wakes; nil where nobody sleeps.
        var sleeper: (number: UInt64, wakes: ContinuousClock.Instant)?
    }
    private let state = Lock(State())

    /// Longer is not slept at a time.
    private static let longestSleep = Duration.seconds(3_600)

    /// Waits for an answer, at most until the deadline.
    func outcome<Answer>(
        of answer: Awaited<Answer>, before deadline: ContinuousClock.Instant
    ) async -> Awaited<Answer>.Outcome {
        let number = watch(Waiting(deadline: deadline) { answer.give(.failure(.late)) })
        defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
        return await answer.outcome()
    }

    private func watch(_ waiting: Waiting) -> UInt64 {
        let (number, sleeps) = state.withLock { state in
            state.numbers += 1
            let number = state.numbers
            state.waiting[number] = waiting
            if let sleeper = state.sleeper, sleeper.wakes <= waiting.deadline {
                return (number, false)
            }
            // An earlier sleeper finds another number here when it wakes, and does nothing.
            state.sleeper = (number, waiting.deadline)
            return (number, true)
        }
        if sleeps { sleep(number, until: waiting.deadline) }
        return number
    }

    private func sleep(_ number: UInt64, until deadline: ContinuousClock.Instant) {
        // Not the caller's task: neither its values nor its priority are this one's, which nothing may hold up.
        Task.detached(priority: .high) { [weak self] in
            let end = min(deadline, .now + CustodyClock.longestSleep)
            try? await Task.sleep(until: end, clock: .continuous)
            self?.wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Waiting], ContinuousClock.Instant?) in
            guard state.sleeper?.number == number else { return ([], nil) }
            let late = state.waiting.filter { $0.value.deadline <= now }
            for number in late.keys { state.waiting[number] = nil }
            let next = state.waiting.values.map(\.deadline).min()
            state.sleeper = next.map { (number, $0) }
            return (Array(late.values), next)
        }
        for waiting in late { waiting.end() }
        if let next { sleep(number, until: next) }
    }
}
