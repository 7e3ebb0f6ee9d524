// An answer of HTTP that holds no error of OAuth: what is left to say is its status.

import JOSE

extension HTTPAnswer {
    /// The error for an answer that holds no readable one, with its status.
    var withoutError: JOSEError {
        guard status >= 500 else {
            return .malformed(
                .message, "the answer has HTTP status {} and holds no error that can be read",
                .number(status))
        }
        return .unavailable(.message, unavailability)
    }

    private var unavailability: StaticString {
        switch status {
        case 500: "the answer has HTTP status 500 and holds no error that can be read"
        case 502: "the answer has HTTP status 502 and holds no error that can be read"
        case 503: "the answer has HTTP status 503 and holds no error that can be read"
        case 504: "the answer has HTTP status 504 and holds no error that can be read"
        default: "the answer has an HTTP status above 500 and holds no error that can be read"
        }
    }
}
