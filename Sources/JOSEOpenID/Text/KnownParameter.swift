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
    static let maxWords = 256

    /// Throws `limitExceeded` for a value of more words than any request has.
    func checkWords(_ text: String) throws(JOSEError) {
        guard value == .words else { return }
        let bytes = text.utf8.span
        var at = 0
        for _ in 0..<KnownParameter.maxWords {
            at = bytes.place(of: 0x20, in: at..<bytes.count) + 1
            if at > bytes.count { return }
        }
        throw .limitExceeded(
            .message, "a list of words has more than {}", .number(KnownParameter.maxWords))
    }

    /// Whether a parameter that is a list of words holds nothing but spaces and what its words may be of: for `scope` RFC 6749's
    /// scope-token (3.3), for the others visible ASCII.
    static func isWellFormed(_ parameter: OpenIDParameter) -> Bool {
        // Nearly all values are fit for any name, and none is looked up for them.
        let value = parameter.value.utf8.span
        if value.isASCII(from: 0x20, without: UInt8(ascii: "\""), UInt8(ascii: "\\")) {
            return true
        }
        guard named(parameter.name)?.value == .words else { return true }
        return parameter.value.isVisible && !parameter.name.isExactly("scope")
    }

    /// What a scope is (RFC 6749, 3.3).
    static let scopeForm: StaticString =
        "a scope is one word of visible ASCII without quotation marks and backslashes"

    /// The value of `scope`.
    ///
    /// - Throws: `misuse` for a scope that would be none or several, or is no scope-token.
    static func scope(_ scopes: [String]) throws(JOSEError) -> String {
        guard scopes.allSatisfy(isScope) else { throw .misuse(scopeForm) }
        return scopes.joined(separator: " ")
    }

    /// Whether this is one scope-token.
    static func isScope(_ word: String) -> Bool {
        !word.isEmpty && !word.utf8.contains(0x20) && isWellFormed(OpenIDParameter("scope", word))
    }

    /// The parameter of this name; nil for one that the library does not know.
    static func named(_ name: String) -> KnownParameter? { table[name] }

    private static let table = NameTable<KnownParameter>([
        (
            [
                "client_id", "redirect_uri", "state", "nonce", "response_mode", "code_challenge",
                "code_challenge_method", "max_age", "login_hint", "resource", "request",
                "request_uri", "dpop_jkt",
            ], KnownParameter(value: .text, isOwn: true)
        ),
        (
            ["response_type", "scope", "acr_values", "prompt", "display", "ui_locales"],
            KnownParameter(value: .words, isOwn: true)
        ),
        (["claims", "idp_params"], KnownParameter(value: .object, isOwn: true)),
        (["authorization_details"], KnownParameter(value: .array, isOwn: true)),
        (
            ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"],
            KnownParameter(value: .claim, isOwn: true)
        ),
        (["id_token_hint"], KnownParameter(value: .text, isOwn: false)),
        (["claims_locales"], KnownParameter(value: .words, isOwn: false)),
        (["registration"], KnownParameter(value: .object, isOwn: false)),
    ])
}

extension OpenIDParameters {
    /// The `max_age` that was asked for, in seconds.
    var requestedMaxAge: Int64? { self["max_age"].flatMap { Int64($0) } }
}
