// Expectations of rejections, in the terms of Vectors/verdicts.json.

import JOSE
import JOSEOpenID
import Testing

/// The value, or a recorded failure and a throw.
func need<Value>(
    _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}

func verdict(_ error: JOSEError) -> String {
    error.code.name + (error.claim.map { " \($0)" } ?? "")
}

/// Expects that `body` is rejected with this code (and claim), and returns the error.
@discardableResult
func expectRejection(
    _ expected: String, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> JOSEError? {
    do {
        try await body()
        Issue.record("accepted, expected \(expected) \(comment())", sourceLocation: sourceLocation)
    } catch let error as JOSEError {
        if verdict(error) != expected {
            Issue.record(
                "\(error), expected \(expected) \(comment())", sourceLocation: sourceLocation)
        }
        return error
    } catch {
        Issue.record("another error: \(error) \(comment())", sourceLocation: sourceLocation)
    }
    return nil
}

/// Expects this rejection, or acceptance for nil.
func expectResult(
    _ expected: String?, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    if let expected {
        await expectRejection(expected, comment(), sourceLocation: sourceLocation, body)
    } else {
        await #expect(throws: Never.self, "\(comment())", sourceLocation: sourceLocation) {
            try await body()
        }
    }
}

/// Expects `misuse` whose message contains this part: the provider's rule.
func expectRule(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await expectRejection("misuse", sourceLocation: sourceLocation, body)
    if let error, !error.message.contains(text) {
        Issue.record("\(error.message) does not say \(text)", sourceLocation: sourceLocation)
    }
}

/// Expects that a token request is rejected with this error and gets a response with this code.
func expectTokenError(
    _ code: OAuthErrorCode, _ expected: String, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    let error = await expectRejection(expected, comment(), sourceLocation: sourceLocation, body)
    #expect(error.map { TokenError(rejecting: $0).code } == code, sourceLocation: sourceLocation)
}

/// The same for a redemption.
func expectGrantError(
    _ code: OAuthErrorCode, _ expected: String, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    let error = await expectRejection(expected, comment(), sourceLocation: sourceLocation, body)
    #expect(
        error.map { TokenError(rejectingGrant: $0).code } == code, sourceLocation: sourceLocation)
}
