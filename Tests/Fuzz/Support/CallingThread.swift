// A thread that runs what is asynchronous by its signature alone. The campaigns have this file too,
// by a link: no product holds it.

/// Runs work that never suspends on the calling thread, so that its time and memory are measured
/// there.
final class CallingThread: TaskExecutor, @unchecked Sendable {
    // Only that one thread accesses it: jobs that do not suspend are enqueued where they run.
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
        guard let result = outcome.result else { throw Waits() }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    struct Waits: Error {}
}
