// The loop of `josectl batch`: reads lines, processes them in tasks, writes responses in order.

import JOSEBytes
import Synchronization

struct BatchRun {
    let handler: BatchHandler
    let lineLimit: Int
    let progress: Progress

    /// Several times the eight RSA operations that AVX-512 runs in parallel.
    static let linesPerGroup = 32
    /// The maximum number of unwritten groups for each of the `jobs`. Responses after a slow group
    /// wait in memory.
    private static let groupsPerJob = 4

    /// Reads on the caller's thread, which may wait for lines while `jobs` tasks process others.
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
                        || groups - writer.writtenCount == jobs * BatchRun.groupsPerJob
                    {
                        try await tasks.next()
                        running -= 1
                    }
                    let (group, index) = (rest.prefix(BatchRun.linesPerGroup), groups)
                    tasks.addTask {
                        let responses = await handler.response(group, lineLimit: lineLimit)
                        try writer.write(responses, at: index)
                    }
                    rest = rest.dropFirst(BatchRun.linesPerGroup)
                    (groups, running) = (groups + 1, running + 1)
                }
            }
            try await tasks.waitForAll()
        }
    }
}

/// Writes texts to standard output in the order of their indexes.
private final class OrderedWriter: Sendable {
    private let state = Lock((finished: [Int: [UInt8]](), next: 0))

    var writtenCount: Int { state.withLock { $0.next } }

    /// Writes the text once all texts before it are written, then those that waited for it.
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
