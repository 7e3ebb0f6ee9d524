// An HTTP response without an OAuth error that can be read: its status is all there is to say.

import JOSE

extension OpenIDHTTPResponse {
    /// The error for such a response: `unavailable` from status 500 on, else `malformed`.
    var withoutError: JOSEError {
        status >= 500
            ? .unavailable(
                .message, "HTTP status {} without a readable OAuth error", .number(status))
            : .malformed(.message, "HTTP status {} without a readable OAuth error", .number(status))
    }
}
