// Errors for responses that are not the expected success: OAuth errors and unreadable bodies.

import JOSE
import JOSEBytes

extension OpenIDHTTPResponse {
    /// `unavailable` for a status of at least 500, else `malformed`.
    var unreadableError: JOSEError {
        status >= 500
            ? .unavailable(
                .message, "HTTP status {} without a readable OAuth error", .number(status))
            : .malformed(.message, "HTTP status {} without a readable OAuth error", .number(status))
    }
}

extension JSONMessage {
    /// Throws `malformed` for an error message, which some servers send with status 200. The thrown
    /// error names a registered code. An empty `error`, which some servers always write, is
    /// accepted.
    func checkIsNoError() throws(JOSEError) {
        guard let index = member("error") else { return }
        let text = document.string(at: index)
        guard text?.isEmpty != true else { return }
        let name = text.flatMap(OAuthErrorCode.registeredName)
        throw .malformed(
            .message, "the response holds an error: {}; TokenError(response:) reads it",
            .name(name ?? "an unregistered code"))
    }
}
