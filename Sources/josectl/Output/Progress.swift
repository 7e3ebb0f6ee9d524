// Shows progress on the terminal.

import JOSEBytes
import Synchronization

/// A line on standard error that shows the progress of work that takes longer than a second.
///
/// Nothing is shown if standard error is no terminal.
final class Progress: Sendable {
    private struct State {
        var text = ""
        var width = 0
        var isEnded = false
    }
    private let state = Lock(State())
    private let isShown: Bool

    /// - Parameters:
    ///   - output: The output of the command that works.
    ///   - isOn: Whether progress may be shown.
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

    /// Writes the line; returns false once the work is done.
    private func show(_ command: String, _ seconds: Int64) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            let line = "josectl \(command): \(state.text), \(seconds) s"
            try? Descriptor.error.write("\r" + padded(line, state.width))
            state.width = max(state.width, line.count)
            return true
        }
    }

    /// Sets the text that is shown.
    func say(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let text = text()
        state.withLock { $0.text = text }
    }

    /// Removes the line before other output; a second call does nothing.
    func end() {
        state.withLock { state in
            if state.width > 0, !state.isEnded {
                try? Descriptor.error.write("\r" + padded("", state.width) + "\r")
            }
            state.isEnded = true
        }
    }
}
