// Work with keys that a token may hold: it stops where the token must be asked, and is done anew with the answer.

import JOSE

/// Does work that may meet a key of a token, asking the token in between.
///
/// - Parameters:
///   - held: The tokens of the run; without any the work is done here and now, and no thread is started for it.
///   - work: Is done once more after each question, from its beginning: what it reads of files, of the clock or at
///     random comes from outside.
nonisolated(nonsending) func asking<Value: Sendable>(
    _ held: HeldKeys?, _ work: @Sendable () throws -> Value
) async throws -> Value {
    held == nil ? try work() : try await asking(work)
}

private func asking<Value: Sendable>(_ work: @Sendable () throws -> Value) async throws -> Value {
    // What is no error of the engine passes through it by hand.
    var other: (any Error)?
    do {
        return try await HeldAnswers.asking(within: nil) { () throws(JOSEError) in
            other = nil
            do {
                return try work()
            } catch let error as JOSEError {
                throw error
            } catch {
                other = error
                throw .internalFailure
            }
        }
    } catch {
        throw other ?? error
    }
}
