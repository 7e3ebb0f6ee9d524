// How synchronous work asks a key that is elsewhere: it stops at the question, and is done anew once there is an answer.

import JOSEBytes
import Synchronization

/// What custodians said so far in the course of one call.
///
/// The way of a token is one, and synchronous. Where it meets a key that is elsewhere it looks here: the answer is there,
/// or the question is kept and the work ends with `misuse`, which is also what a call says that has no answers at all.
/// `asking` then asks, and does the work again; the same work meets the same keys in the same order. What is done twice is
/// the reading of a header or the laying out of a token, microseconds beside a custodian's milliseconds; nothing is
/// suspended halfway, and no step of a verification is written twice.
package final class HeldAnswers: Sendable {
    private struct State {
        /// The number of the next question within the work that is done now; nil outside.
        var next: Int?
        /// By the numbers of the places; few, mostly one.
        var answers: [(place: Int, answer: HeldAnswer)] = []
        /// Tries to decrypt that failed already.
        var failed: [Int] = []
        var open: (number: Int, key: HeldKey, question: HeldQuestion)?
    }
    private let state = Lock(State())
    private static let scope = TaskLocal<HeldAnswers?>(wrappedValue: nil)

    /// Those of the call that runs; nil in a synchronous one.
    package static var current: HeldAnswers? { scope.get() }

    /// The number of the place where the work is; counted up from 0 each time that it is done.
    package func place() throws(JOSEError) -> Int {
        let place = state.withLock { state in
            let place = state.next
            state.next = place.map { $0 + 1 }
            return place
        }
        // The work ended, and what it started did not.
        guard let place else { throw .heldElsewhere }
        return place
    }

    /// The answer for this place.
    ///
    /// - Throws: `misuse` where it is not there yet; then the question will be asked.
    package func answer(
        at place: Int, from key: HeldKey, _ question: () throws(JOSEError) -> HeldQuestion
    ) throws(JOSEError) -> HeldAnswer {
        if let answer = state.withLock({ $0.answers.first { $0.place == place }?.answer }) {
            return answer
        }
        let question = try question()
        state.withLock { $0.open = (place, key, question) }
        throw .heldElsewhere
    }

    /// Notes that what was tried at this place failed, so that it is not done again.
    package func fail(at place: Int) {
        state.withLock { state in
            state.failed.append(place)
            state.answers.removeAll { $0.place == place }
        }
    }

    package func hasFailed(at place: Int) -> Bool { state.withLock { $0.failed.contains(place) } }

    /// Does synchronous work, asking for it what it meets of custodians.
    ///
    /// - Parameters:
    ///   - time: How long all of it may take; nil leaves each question what its key's rule says.
    ///   - work: Is done once more after each question, from its beginning: what it makes at random or reads of the clock
    ///     comes from outside.
    /// - Throws: What the work throws; `unavailable`.
    nonisolated(nonsending) package static func asking<Result>(
        within time: Duration?, _ work: () throws(JOSEError) -> Result
    ) async throws(JOSEError) -> Result {
        let end = time.map(ContinuousClock.Instant.end)
        let answers = HeldAnswers()
        while true {
            do throws(JOSEError) {
                return try answers.during(work)
            } catch {
                let open = answers.state.withLock { state in
                    defer { state.open = nil }
                    return state.open
                }
                guard let open else { throw error }
                let answer = try await open.key.answer(open.question, before: end)
                answers.state.withLock { $0.answers.append((open.number, answer)) }
            }
        }
    }

    /// Does synchronous work that says what happened instead of throwing, asking for it as `asking` does.
    package static func explaining(
        within time: Duration?, _ work: () -> Explanation
    ) async -> Explanation {
        var explanation = Explanation()
        do throws(JOSEError) {
            return try await asking(within: time) { () throws(JOSEError) in
                explanation = work()
                // Passed on, so that a question is asked.
                if let error = explanation.error { throw error }
                return explanation
            }
        } catch {
            // The last line says no more than that somebody has to be asked.
            if explanation.error == .heldElsewhere { explanation.lines.removeLast() }
            if explanation.error != error { explanation.refuse(error) }
            return explanation
        }
    }

    private func during<Value>(_ work: () throws(JOSEError) -> Value) throws(JOSEError) -> Value {
        state.withLock { $0.next = 0 }
        defer { state.withLock { $0.next = nil } }
        return try HeldAnswers.scope.withValue(self) {
            do throws(JOSEError) {
                return Result<Value, JOSEError>.success(try work())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
