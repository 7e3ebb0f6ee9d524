// Awaits where the fuzzer calls without waiting.

import Foundation

/// The outcome of work that may wait, on the thread that asks for it.
func awaiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        outcome.result = await Result { try await work() }
        done.signal()
    }
    done.wait()
    guard let result = outcome.result else { throw Broken(description: "no outcome") }
    return try result.get()
}

private final class Outcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
