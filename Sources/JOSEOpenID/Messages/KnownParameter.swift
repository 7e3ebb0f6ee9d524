// The table of the known parameters of an authorization request.

import JOSE
import JOSEBytes

struct KnownParameter {
    /// The type of the value in a request object.
    enum Value {
        /// A string or an integer.
        case text
        /// A string of space-separated words.
        case words
        case object
        case array
        /// A claim of the request object itself, not a parameter.
        case claim
    }

    let value: Value
    var isJSON: Bool { value == .object || value == .array }
    /// Whether a caller must not add the parameter to `AuthorizationRequest.additional`.
    let isReserved: Bool

    static let maxWords = 256

    func checkWords(_ text: String) throws(JOSEError) {
        guard value == .words else { return }
        let bytes = text.utf8.span
        var at = 0
        for _ in 0..<KnownParameter.maxWords {
            at = bytes.index(of: 0x20, in: at..<bytes.count) + 1
            if at > bytes.count { return }
        }
        throw .limitExceeded(
            .message, "a list of words has more than {}", .number(KnownParameter.maxWords))
    }

    /// Whether the words of a list are valid: scope-tokens for `scope` (RFC 6749, 3.3), visible
    /// ASCII for others. True for parameters that are not lists.
    static func isWellFormed(_ parameter: OpenIDParameter) -> Bool {
        // Fast path: most values are valid for any name.
        let value = parameter.value.utf8.span
        if value.isASCII(from: 0x20, without: UInt8(ascii: "\""), UInt8(ascii: "\\")) {
            return true
        }
        guard named(parameter.name)?.value == .words else { return true }
        return parameter.value.isPrintableASCII && !parameter.name.isExactly("scope")
    }

    static let scopeErrorText: StaticString =
        "a scope must be one word of visible ASCII without quotation marks and backslashes"

    /// Throws `misuse` for a scope that is not a scope-token (RFC 6749, 3.3).
    static func scope(_ scopes: [String]) throws(JOSEError) -> String {
        guard scopes.allSatisfy(isScope) else { throw .misuse(scopeErrorText) }
        return scopes.joined(separator: " ")
    }

    static func isScope(_ word: String) -> Bool {
        !word.isEmpty && !word.utf8.contains(0x20) && isWellFormed(OpenIDParameter("scope", word))
    }

    static func named(_ name: String) -> KnownParameter? { table[name] }

    private static let table = NameTable<KnownParameter>([
        (
            [
                "client_id", "redirect_uri", "state", "nonce", "response_mode", "code_challenge",
                "code_challenge_method", "max_age", "login_hint", "resource", "request",
                "request_uri", "dpop_jkt",
            ], KnownParameter(value: .text, isReserved: true)
        ),
        (
            ["response_type", "scope", "acr_values", "prompt", "display", "ui_locales"],
            KnownParameter(value: .words, isReserved: true)
        ),
        (["claims", "idp_params"], KnownParameter(value: .object, isReserved: true)),
        (["authorization_details"], KnownParameter(value: .array, isReserved: true)),
        (
            ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"],
            KnownParameter(value: .claim, isReserved: true)
        ),
        (["id_token_hint"], KnownParameter(value: .text, isReserved: false)),
        (["claims_locales"], KnownParameter(value: .words, isReserved: false)),
        (["registration"], KnownParameter(value: .object, isReserved: false)),
    ])
}

extension OpenIDParameters {
    /// The requested `max_age`, in seconds.
    var requestedMaxAge: Int64? { self["max_age"].flatMap { Int64($0) } }
}
