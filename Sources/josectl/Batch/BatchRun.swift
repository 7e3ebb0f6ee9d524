// The loop of batch: lines are read here and answered by tasks; the answers keep their order.

import JOSEBytes
import Synchronization

/// Reads lines, answers them, writes each answer as soon as those before it are written.
struct BatchRun {
    let desk: BatchHandler
    let lineLimit: Int
    /// Reports how many lines were read.
    let progress: Progress

    /// Lines that one task answers: several times the eight that verify side by side.
    private static let groupCount = 32

    /// Reads on the caller's thread, which may wait for lines while tasks answer.
    ///
    /// - Parameter jobs: How many groups of lines are answered at a time.
    nonisolated(nonsending) func run(jobs: Int) async throws {
        var reader = LineReader(.input, limit: lineLimit)
        let writer = OrderedWriter()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            var (count, groups, running) = (0, 0, 0)
            while let lines = try reader.next() {
                count += lines.count
                progress.say("\(count) lines")
                var rest = lines[...]
                while !rest.isEmpty {
                    if running == jobs {
                        try await tasks.next()
                        running -= 1
                    }
                    let (group, place) = (rest.prefix(BatchRun.groupCount), groups)
                    tasks.addTask {
                        let responses = await desk.response(group, lineLimit: lineLimit)
                        try writer.write(responses, at: place)
                    }
                    rest = rest.dropFirst(BatchRun.groupCount)
                    (groups, running) = (groups + 1, running + 1)
                }
            }
            try await tasks.waitForAll()
        }
    }
}

/// Standard output for texts that are finished in another order than they are written in.
private final class OrderedWriter: Sendable {
    private let state = Lock((finished: [Int: [UInt8]](), next: 0))

    /// Writes the text of this place and those behind it, once all before it are written.
    func write(_ text: [UInt8], at place: Int) throws {
        try state.withLock { state in
            state.finished[place] = text
            while let text = state.finished.removeValue(forKey: state.next) {
                try Descriptor.output.write(text)
                state.next += 1
            }
        }
    }
}
