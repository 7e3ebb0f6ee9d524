// How strictly the value of a query or form parameter is read, by its name.

import JOSE
import JOSEBytes

/// A value that the library uses must be text, as two readers could otherwise read it differently.
/// A value that it does not use, or only shows, need not be text: a malformed description must not
/// hide the error.
enum ValueRule {
    /// UTF-8 without control characters; anything else fails.
    case text
    /// JSON text in UTF-8 (OpenID Connect Core, 5.5 and 7.2.1), with tabs and line breaks. The JSON
    /// reader rejects control characters inside strings (RFC 8259, 7).
    case json
    /// Omitted if it is not text. Invalid percent-encoding fails.
    case ignorable
    /// A text for people in any encoding, escaped by `EscapedText`.
    case description
    /// The URL of a page for people, escaped like a description, spaces too.
    case page

    static func of(_ name: String, _ known: KnownParameter?) -> ValueRule {
        if let known { return known.isJSON ? .json : .text }
        return table[name] ?? .ignorable
    }

    /// The parameters of other messages; `KnownParameter` has those of authorization requests.
    private static let table = NameTable<ValueRule>([
        (
            [
                "code", "error", "response", "logout_token", "refresh_token", "grant_type",
                "client_secret", "client_assertion", "client_assertion_type", "code_verifier",
                "access_token", "token", "token_type_hint", "auth_req_id",
                "client_notification_token", "login_hint_token", "binding_message", "user_code",
                "requested_expiry", "post_logout_redirect_uri", "logout_hint",
            ], .text
        ),
        (["error_description"], .description), (["error_uri"], .page),
    ])

    /// Decodes a value; nil if it is omitted.
    func read(_ encoded: Span<UInt8>) throws(JOSEError) -> String? {
        switch self {
        case .description: return EscapedText.description(EscapedText.decoded(encoded).span)
        case .page: return EscapedText.uri(EscapedText.decoded(encoded).span)
        default: break
        }
        switch (PercentEncoding.decode(encoded, isJSON: self == .json), self) {
        case (.text(let text), _): return text
        case (.noText, .ignorable): return nil
        case (.noText, _), (.malformed, _):
            throw .malformed(.message, "a parameter has invalid percent-encoding or is not text")
        }
    }
}
