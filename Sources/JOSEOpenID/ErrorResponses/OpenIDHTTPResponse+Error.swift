// The errors for an OAuth error where a successful response is expected, and for a response that is
// neither.

import JOSE
import JOSEBytes

extension OpenIDHTTPResponse {
    /// The error of this response: `unavailable` for a status of at least 500, else `malformed`.
    var unreadableError: JOSEError {
        status >= 500
            ? .unavailable(
                .message, "HTTP status {} without a readable OAuth error", .number(status))
            : .malformed(.message, "HTTP status {} without a readable OAuth error", .number(status))
    }
}

extension JSONMessage {
    /// Throws `malformed` for an error message, which some servers send with status 200. The thrown
    /// error names the code if it is registered. `TokenError(response:)` reads the message. An
    /// empty `error` is accepted, as some servers always write the member.
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
