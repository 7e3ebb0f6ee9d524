// The parameters of an authorization request that the library knows: one table for everybody who asks.

import JOSE
import JOSEBytes

/// A parameter that the library knows.
struct KnownParameter {
    /// What its value is in a request object.
    enum Value {
        /// A text, or a whole number that is written as one.
        case text
        /// A text of words with spaces between them.
        case words
        /// A JSON object.
        case object
        /// A JSON array.
        case array
        /// A claim of the request object itself, never a parameter.
        case claim
    }

    let value: Value
    /// Whether the value is JSON, which in a request object is no text.
    var isJSON: Bool { value == .object || value == .array }
    /// Whether the library says it, from a member of the request or by itself: nobody else may, or what is sent would be
    /// another thing than what is remembered.
    let isOwn: Bool

    /// The most words of one parameter: each is looked for among others, and takes more room than its letters.
    static let mostWords = 256

    /// Throws `limitExceeded` for a value of more words than any request has.
    func checkWords(_ text: String) throws(JOSEError) {
        guard value == .words, text.utf8.count > KnownParameter.mostWords else { return }
        guard text.utf8.count(where: { $0 == 0x20 }) < KnownParameter.mostWords else {
            throw .limitExceeded(.message, "a parameter has too many words")
        }
    }

    /// Whether a parameter that is a list of words holds nothing but spaces and what its words may be of: for `scope` RFC 6749's
    /// scope-token (3.3), for the others visible ASCII.
    static func isWellFormed(_ parameter: OpenIDParameter) -> Bool {
        guard named(parameter.name)?.value == .words else { return true }
        let isScope = parameter.name.isExactly("scope")
        return parameter.value.utf8.allSatisfy { byte in
            0x20...0x7e ~= byte
                && !(isScope && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")))
        }
    }

    /// The parameter of this name; nil for one that the library does not know.
    static func named(_ name: String) -> KnownParameter? { table[ExactText(name)] }

    private static let table: [ExactText: KnownParameter] = {
        var table: [ExactText: KnownParameter] = [:]
        for name in [
            "client_id", "redirect_uri", "state", "nonce", "response_mode", "code_challenge",
            "code_challenge_method", "max_age", "login_hint", "resource", "request", "request_uri",
            "dpop_jkt",
        ] { table[ExactText(name)] = KnownParameter(value: .text, isOwn: true) }
        for name in [
            "response_type", "scope", "acr_values", "prompt", "display", "ui_locales",
        ] { table[ExactText(name)] = KnownParameter(value: .words, isOwn: true) }
        for name in ["claims", "idp_params"] {
            table[ExactText(name)] = KnownParameter(value: .object, isOwn: true)
        }
        table[ExactText("authorization_details")] = KnownParameter(value: .array, isOwn: true)
        for name in ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"] {
            table[ExactText(name)] = KnownParameter(value: .claim, isOwn: true)
        }
        table[ExactText("id_token_hint")] = KnownParameter(value: .text, isOwn: false)
        table[ExactText("claims_locales")] = KnownParameter(value: .words, isOwn: false)
        table[ExactText("registration")] = KnownParameter(value: .object, isOwn: false)
        return table
    }()
}

extension OpenIDParameters {
    /// The `max_age` that was asked for, in seconds.
    var askedMaximumAge: Int64? { self["max_age"].flatMap { Int64($0) } }
}
