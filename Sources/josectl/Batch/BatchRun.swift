// The loop of batch: reads lines, processes them in tasks and writes the responses in order.

import JOSEBytes
import Synchronization

/// Processes lines; each response is written as soon as the responses before it are written.
struct BatchRun {
    let handler: BatchHandler
    let lineLimit: Int
    /// Shows how many lines were read.
    let progress: Progress

    /// The lines per task: several times the eight signatures that are verified together.
    static let groupCount = 32
    /// How many groups per task may be started and not written. The responses behind a slow group
    /// wait in memory.
    private static let groupsPerTask = 4

    /// Reads on the caller's thread, which may wait for lines while tasks process others.
    ///
    /// - Parameter jobs: The maximum number of tasks.
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
                    while running == jobs
                        || groups - writer.writtenCount == jobs * BatchRun.groupsPerTask
                    {
                        try await tasks.next()
                        running -= 1
                    }
                    let (group, index) = (rest.prefix(BatchRun.groupCount), groups)
                    tasks.addTask {
                        let responses = await handler.response(group, lineLimit: lineLimit)
                        try writer.write(responses, at: index)
                    }
                    rest = rest.dropFirst(BatchRun.groupCount)
                    (groups, running) = (groups + 1, running + 1)
                }
            }
            try await tasks.waitForAll()
        }
    }
}

/// Writes texts to standard output in order, in whatever order they are finished.
private final class OrderedWriter: Sendable {
    private let state = Lock((finished: [Int: [UInt8]](), next: 0))

    /// The number of texts that are written.
    var writtenCount: Int { state.withLock { $0.next } }

    /// Writes the text with this index once all before it are written, and those that wait for it.
    func write(_ text: [UInt8], at index: Int) throws {
        try state.withLock { state in
            state.finished[index] = text
            while let text = state.finished.removeValue(forKey: state.next) {
                try Descriptor.output.write(text)
                state.next += 1
            }
        }
    }
}
