// Awaits what never waits for anybody else, on the thread that calls: a thread of the pool that blocks could be its last.

import Foundation

/// The outcome of work that is asynchronous by its signature alone.
func awaiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    try CallingThread().run(work)
}

/// Runs jobs on the thread that calls `run`.
private final class CallingThread: TaskExecutor, @unchecked Sendable {
    // Touched by that one thread alone: jobs that do not wait are enqueued where they run.
    private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        Task(executorPreference: self) {
            do {
                outcome.result = .success(try await work())
            } catch {
                outcome.result = .failure(error)
            }
        }
        while !jobs.isEmpty {
            jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
        }
        guard let result = outcome.result else { throw Broken(description: "it waits") }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }
}
