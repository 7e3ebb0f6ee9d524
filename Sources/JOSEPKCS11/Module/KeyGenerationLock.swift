// One caller at a time makes a key in a token, so that no two keys get one name.

import JOSE
import JOSEBytes
import Synchronization

/// A mutex for tasks: a caller waits until its deadline, and blocks no thread meanwhile.
final class KeyGenerationLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [Completion] = []
    }
    private let state = Lock(State())
    private let clock = ExternalKeyClock()

    /// The turn of one caller; it ends with `end()`, or with the value.
    final class Hold: Sendable {
        private let turn: KeyGenerationLock
        private let isOver = Lock(false)

        fileprivate init(_ turn: KeyGenerationLock) { self.turn = turn }

        deinit { end() }

        func end() {
            let wasOver = isOver.withLock { isOver in
                defer { isOver = true }
                return isOver
            }
            if !wasOver { turn.pass() }
        }
    }

    /// Waits for the turn.
    ///
    /// - Throws: `unavailable` where the deadline passed or the task was cancelled.
    nonisolated(nonsending) func take(
        until deadline: ContinuousClock.Instant
    ) async throws(PKCS11Error) -> Hold {
        let wait = state.withLock { state -> Completion? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let wait = Completion()
            state.waiting.append(wait)
            return wait
        }
        if let wait {
            do throws(ExternalKeyWaitError) {
                try await clock.wait(for: wait, before: deadline)
            } catch {
                throw error.failure
            }
        }
        return Hold(self)
    }

    /// Passes the turn to the first caller that still waits.
    private func pass() {
        while true {
            let next = state.withLock { state -> Completion? in
                guard !state.waiting.isEmpty else {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next, !next.end() else { return }
        }
    }
}
