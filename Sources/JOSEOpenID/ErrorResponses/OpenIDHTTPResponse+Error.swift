// The error for an HTTP response without a readable OAuth error: it reports the status.

import JOSE

extension OpenIDHTTPResponse {
    /// The error of this response: `unavailable` for a status of at least 500, else `malformed`.
    var unreadableError: JOSEError {
        status >= 500
            ? .unavailable(
                .message, "HTTP status {} without a readable OAuth error", .number(status))
            : .malformed(.message, "HTTP status {} without a readable OAuth error", .number(status))
    }
}
