// A line on the terminal that tells how far the work is, from its first second on.

/// What is told on standard error of work that takes longer than a second; nothing where that is no terminal.
final class Progress: Sendable {
    private struct State {
        var text = ""
        var isEnded = false
    }
    private let state = Gate(State())
    /// The thread that writes; nil where nothing is told.
    private let writer: Workers?

    /// - Parameters:
    ///   - output: Whose work it is.
    ///   - isOn: Whether it is to be told at all.
    init(_ output: Output, isOn: Bool = true) {
        guard isOn, Descriptor.error.isTerminal, Process.environment("TERM") != "dumb" else {
            writer = nil
            return
        }
        let (state, command, start) = (state, output.command, Process.monotonicSeconds())
        // Where there is no thread, nothing is told, and the work goes on.
        writer = try? Workers(1) {
            var width = 0
            while state.wait(atMost: 1, { $0.isEnded ? true : nil }) == nil {
                let text = state.change { $0.text }
                let seconds = Int(Process.monotonicSeconds() - start)
                let line = "josectl \(command): \(text), \(seconds) s"
                try? Descriptor.error.write("\r" + padded(line, width))
                width = max(width, line.count)
            }
            guard width > 0 else { return }
            try? Descriptor.error.write("\r" + padded("", width) + "\r")
        }
    }

    /// Says what is done now.
    func say(_ text: @autoclosure () -> String) {
        guard writer != nil else { return }
        let text = text()
        state.change { $0.text = text }
    }

    /// Takes the line away, before anything else is written there; a second time does nothing.
    func end() {
        guard let writer,
            !state.change({ state in
                defer { state.isEnded = true }
                return state.isEnded
            })
        else { return }
        writer.join()
    }
}
