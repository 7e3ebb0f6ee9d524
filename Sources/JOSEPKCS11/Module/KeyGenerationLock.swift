// Lets one caller at a time generate a key in a token, so that no two get the same label or id.

import JOSE
import JOSEBytes
import Synchronization

/// An asynchronous mutex: callers wait until a deadline without blocking a thread.
final class KeyGenerationLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [Completion] = []
    }
    private let state = Lock(State())
    private let clock = ExternalKeyClock()

    /// One caller's ownership of the lock, until `end()` or `deinit`.
    final class Hold: Sendable {
        private let lock: KeyGenerationLock
        private let isOver = Lock(false)

        fileprivate init(_ lock: KeyGenerationLock) { self.lock = lock }

        deinit { end() }

        func end() {
            let wasOver = isOver.withLock { isOver in
                defer { isOver = true }
                return isOver
            }
            if !wasOver { lock.release() }
        }
    }

    /// Throws `unavailable` after the deadline or a cancellation of the task.
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

    /// Passes the lock to the first caller that still waits.
    private func release() {
        while true {
            let next = state.withLock { state -> Completion? in
                guard !state.waiting.isEmpty else {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            // If that caller has stopped waiting, the next one is tried.
            guard let next, !next.end() else { return }
        }
    }
}
