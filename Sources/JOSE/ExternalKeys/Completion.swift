// One wait for an answer, and the clock that ends waiting for too long.

import JOSEBytes
import Synchronization

extension ContinuousClock.Instant {
    /// When a time is over that begins now. One beyond all dates is as long as all of them: the clock traps where a sum is none.
    package static func end(of time: Duration) -> ContinuousClock.Instant {
        .now + min(time, .seconds(NumericDate.latest.seconds))
    }

    /// The same; nil for no time of the caller's own.
    package static func end(of time: Duration?) -> ContinuousClock.Instant? {
        time.map { (time: Duration) -> ContinuousClock.Instant in .end(of: time) }
    }
}

/// Why nobody waits for an answer any more.
package enum ExternalKeyWaitError: Error {
    case late, full, cancelled
}

/// One wait of one task; what ends it first counts, the answer or an outage.
///
/// The answer itself lies with who has the type of it: generic code is not specialised for another module, and a wait
/// would cost as much again.
package final class Completion: Sendable {
    private enum State: Sendable {
        case open
        case awaited(CheckedContinuation<ExternalKeyWaitError?, Never>)
        case over(ExternalKeyWaitError?)
    }
    private let state = Lock(State.open)

    package init() {}

    /// Whether nobody waits any more, so that an answer is for nobody.
    package var isOver: Bool {
        state.withLock { state in
            if case .over = state { return true }
            return false
        }
    }

    /// Ends the wait, without an outage because the answer is there; false where it had ended.
    @discardableResult
    package func end(_ outage: ExternalKeyWaitError? = nil) -> Bool {
        let before = state.withLock { state in
            let before = state
            if case .over = before { return before }
            state = .over(outage)
            return before
        }
        switch before {
        case .open: return true
        case .over: return false
        case .awaited(let continuation):
            continuation.resume(returning: outage)
            return true
        }
    }

    /// Waits for the end, or for that of the task; nil where the answer is there.
    nonisolated(nonsending) fileprivate func outage() async -> ExternalKeyWaitError? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> ExternalKeyWaitError?? in
                    if case .over(let outage) = state { return .some(outage) }
                    state = .awaited(continuation)
                    return .none
                }
                if let outage = isOver { continuation.resume(returning: outage) }
            }
        } onCancel: {
            end(.cancelled)
        }
    }
}

/// Ends what waits for too long: one sleeping task for all that wait, whose deadlines mostly come in their order.
package final class ExternalKeyClock: Sendable {
    private struct Waiting: Sendable {
        let deadline: ContinuousClock.Instant
        let wait: Completion
    }
    private struct State {
        var waiting: [UInt64: Waiting] = [:]
        var numbers: UInt64 = 0
        /// The sleeping task, and when it wakes; nil where nobody sleeps.
        var sleeper: (number: UInt64, wakes: ContinuousClock.Instant)?
    }
    private let state = Lock(State())

    /// Longer is not slept at a time.
    private static let maxSleep = Duration.seconds(3_600)

    package init() {}

    /// Waits, at most until the deadline.
    nonisolated(nonsending) package func wait(
        for response: Completion, before deadline: ContinuousClock.Instant
    ) async throws(ExternalKeyWaitError) {
        let number = watch(Waiting(deadline: deadline, wait: response))
        let outage = await response.outage()
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
        if let outage { throw outage }
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
            let end = min(deadline, .now + ExternalKeyClock.maxSleep)
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
        for waiting in late { waiting.wait.end(.late) }
        if let next { sleep(number, until: next) }
    }
}
