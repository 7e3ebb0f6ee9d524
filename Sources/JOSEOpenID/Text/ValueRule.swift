// What the value of a parameter may be, by its name, when a query or a form is read.

import JOSE
import JOSEBytes

/// How strictly a value is read.
///
/// Whoever acts on a value rejects one that is no text: two readers could take it for different things. What nobody here acts
/// on must not cost the message: a provider's sloppy description would hide the error that it describes.
enum ValueRule {
    /// Text without control characters.
    case text
    /// JSON text (OpenID Connect Core, 5.5 and 7.2.1): UTF-8, whose white space is more than the space. Control characters
    /// inside its strings are for the reader of the JSON to reject (RFC 8259, 7).
    case json
    /// Well encoded; what is no text then is left out.
    case ignorable
    /// A text for people, however it is encoded: kept in its readable form (`ReadableText`).
    case description
    /// The URL of a page for people: as a description, without spaces.
    case page

    /// - Parameter known: The parameter of this name, if there is one.
    static func of(_ name: String, _ known: KnownParameter?) -> ValueRule {
        if let known { return known.isJSON ? .json : .text }
        return table[name] ?? .ignorable
    }

    /// What answers, token, UserInfo and backchannel requests have beside the parameters of an authorization request.
    private static let table = NameTable<ValueRule>([
        (
            [
                "code", "error", "response", "logout_token", "refresh_token", "grant_type",
                "client_secret", "client_assertion", "client_assertion_type", "code_verifier",
                "access_token", "token", "token_type_hint", "auth_req_id",
                "client_notification_token", "login_hint_token", "binding_message", "user_code",
                "requested_expiry",
            ], .text
        ),
        (["error_description"], .description), (["error_uri"], .page),
    ])

    /// The value; nil where it is left out.
    ///
    /// - Throws: `malformed`.
    func read(_ encoded: Span<UInt8>) throws(JOSEError) -> String? {
        switch self {
        case .description: return ReadableText.description(ReadableText.decoded(encoded).span)
        case .page: return ReadableText.uri(ReadableText.decoded(encoded).span)
        default: break
        }
        switch (PercentEncoding.decode(encoded, isJSON: self == .json), self) {
        case (.text(let text), _): return text
        case (.noText, .ignorable): return nil
        case (.noText, _), (.malformed, _):
            throw .malformed(.message, "a parameter is not well encoded")
        }
    }
}
