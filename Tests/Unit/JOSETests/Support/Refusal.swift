// What a call ended with, in the words of Vectors/verdicts.json.

import JOSE
import Testing

enum Rejection {
    /// The verdict of `body`: `accepted`, or the code and, for claims, the name.
    static func verdict(_ body: () throws -> Void) throws -> String {
        do {
            try body()
            return "accepted"
        } catch let error as JOSEError {
            return text(error)
        }
    }

    /// The same of a call that is awaited.
    static func asyncResult(_ body: () async throws -> Void) async throws -> String {
        var outcome: Result<Void, any Error> = .success(())
        do { try await body() } catch { outcome = .failure(error) }
        return try verdict { try outcome.get() }
    }

    static func text(_ error: JOSEError) -> String {
        error.code.name + (error.claim.map { " \($0)" } ?? "")
    }
}

/// Expects that `body` is rejected with this code (and claim), and gives the error.
///
/// - Parameters:
///   - message: The whole of what the error says.
///   - says: A part of it.
@discardableResult
func expectRejection(
    _ verdict: String, _ comment: @autoclosure () -> String = "", message: String? = nil,
    says: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> JOSEError? {
    do {
        try body()
        Issue.record("accepted, expected \(verdict) \(comment())", sourceLocation: sourceLocation)
    } catch let error as JOSEError {
        let isSaid =
            error.message == message ?? error.message
            && error.message.contains(says ?? error.message)
        if Rejection.text(error) != verdict || !isSaid {
            Issue.record(
                "\(error), expected \(verdict) \(comment())", sourceLocation: sourceLocation)
        }
        return error
    } catch {
        Issue.record("another error: \(error) \(comment())", sourceLocation: sourceLocation)
    }
    return nil
}
