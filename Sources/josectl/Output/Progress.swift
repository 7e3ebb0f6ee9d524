// Shows the progress of long work on the terminal.

import JOSEBytes
import Synchronization

/// A line on standard error, shown on terminals once the work takes longer than a second.
final class Progress: Sendable {
    private struct State {
        var text = ""
        var width = 0
        var isEnded = false
    }
    private let state = Lock(State())
    private let isShown: Bool

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

    /// Returns false once the work is done.
    private func show(_ command: String, _ seconds: Int64) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            let line = "josectl \(command): \(state.text), \(seconds) s"
            try? Descriptor.error.write("\r" + padded(line, state.width))
            state.width = max(state.width, line.count)
            return true
        }
    }

    func say(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let text = text()
        state.withLock { $0.text = text }
    }

    /// Removes the line. Call it before other output; a second call does nothing.
    func end() {
        state.withLock { state in
            if state.width > 0, !state.isEnded {
                try? Descriptor.error.write("\r" + padded("", state.width) + "\r")
            }
            state.isEnded = true
        }
    }
}
