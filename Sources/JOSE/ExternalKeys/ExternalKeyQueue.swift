// Who may ask an external key now: so many at a time, the others in the order of their coming. No thread waits.

import JOSEBytes
import Synchronization

/// The places at an external key.
final class ExternalKeyQueue: Sendable {
    private struct State {
        var underWay = 0
        /// By the number of their coming; who gave up is not here any more.
        var waiting: [UInt64: Completion] = [:]
        /// Nobody waits with a lower number.
        var first: UInt64 = 0
        /// The number of who comes next.
        var next: UInt64 = 0
    }
    private let state = Lock(State())
    private let maxConcurrent: Int
    private let maxWaiting: Int

    init(_ rule: ExternalKeyOptions) {
        maxConcurrent = rule.maxConcurrent
        maxWaiting = rule.maxWaiting
    }

    /// Takes a place, which is to be left again; waits where none is free.
    nonisolated(nonsending) func enter(
        before deadline: ContinuousClock.Instant, _ clock: ExternalKeyClock
    ) async throws(ExternalKeyWaitError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard ContinuousClock.now < deadline else { throw .late }
        guard let (number, turn) = try queue() else { return }
        do throws(ExternalKeyWaitError) {
            try await clock.wait(for: turn, before: deadline)
        } catch {
            state.withLock { _ = $0.waiting.removeValue(forKey: number) }
            throw error
        }
    }

    /// A place in the queue; nil where one at the external key was free.
    private func queue() throws(ExternalKeyWaitError) -> (number: UInt64, turn: Completion)? {
        try state.withLock { (state) throws(ExternalKeyWaitError) in
            guard state.underWay == maxConcurrent else {
                state.underWay += 1
                return nil
            }
            guard state.waiting.count < maxWaiting else { throw .full }
            let (number, turn) = (state.next, Completion())
            state.next += 1
            state.waiting[number] = turn
            return (number, turn)
        }
    }

    /// Gives the place to the next who still wants it.
    func leave() {
        while let turn = nextTurn() {
            if turn.end() { return }
        }
    }

    private func nextTurn() -> Completion? {
        state.withLock { state in
            while state.first < state.next {
                let turn = state.waiting.removeValue(forKey: state.first)
                state.first += 1
                if let turn { return turn }
            }
            state.underWay -= 1
            return nil
        }
    }
}
