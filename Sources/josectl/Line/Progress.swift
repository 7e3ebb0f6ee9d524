// A line on the terminal that shows how far the work is, from its first second on.

import JOSEBytes
import Synchronization

/// What standard error shows of work that takes longer than a second; nothing where that is no
/// terminal.
final class Progress: Sendable {
    private struct State {
        var text = ""
        var width = 0
        var isEnded = false
    }
    private let state = Lock(State())
    private let isShown: Bool

    /// - Parameters:
    ///   - output: Whose work it is.
    ///   - isOn: Whether it is to be shown at all.
    init(_ output: Output, isOn: Bool = true) {
        isShown = isOn && Descriptor.error.isTerminal && Process.environment("TERM") != "dumb"
        guard isShown else { return }
        let (command, start) = (output.command, ContinuousClock.now)
        Task.detached { [self] in
            repeat {
                try? await Task.sleep(for: .seconds(1))
            } while show(command, (ContinuousClock.now - start).components.seconds)
        }
    }

    /// Writes the line; false once the work is done.
    private func show(_ command: String, _ seconds: Int64) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            let line = "josectl \(command): \(state.text), \(seconds) s"
            try? Descriptor.error.write("\r" + padded(line, state.width))
            state.width = max(state.width, line.count)
            return true
        }
    }

    /// Says what is done now.
    func say(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let text = text()
        state.withLock { $0.text = text }
    }

    /// Takes the line away, before anything else is written there; a second time does nothing.
    func end() {
        state.withLock { state in
            if state.width > 0, !state.isEnded {
                try? Descriptor.error.write("\r" + padded("", state.width) + "\r")
            }
            state.isEnded = true
        }
    }
}
