// The result of a call, in the terms of Vectors/verdicts.json.

import JOSE
import Testing

enum Rejection {
    /// The result of `body`: `accepted`, or the code and, for claims, the name.
    static func verdict(_ body: () throws -> Void) throws -> String {
        do {
            try body()
            return "accepted"
        } catch let error as JOSEError {
            return text(error)
        }
    }

    /// The same for an async call.
    static func asyncResult(_ body: () async throws -> Void) async throws -> String {
        var outcome: Result<Void, any Error> = .success(())
        do { try await body() } catch { outcome = .failure(error) }
        return try verdict { try outcome.get() }
    }

    static func text(_ error: JOSEError) -> String {
        error.code.name + (error.claim.map { " \($0)" } ?? "")
    }
}

/// Expects that `body` is rejected with this code (and claim), and returns the error.
///
/// - Parameters:
///   - message: The complete text of the error.
///   - says: A part of the text.
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
