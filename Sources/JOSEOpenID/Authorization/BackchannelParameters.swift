// The parameters of a backchannel authentication request: their names, their rules for both sides, and how an object holds them.

import JOSE
import JOSEBytes

/// Names and readings of the parameters (CIBA Core 1.0, 7.1 and 7.1.1).
enum BackchannelParameters {
    /// What a request asks by: where an object holds it, none of them stands beside it.
    static let asking = [
        "scope", "client_notification_token", "acr_values", "login_hint_token", "id_token_hint",
        "login_hint", "binding_message", "user_code", "requested_expiry",
    ]
    /// By what rights are asked for besides scopes (RFC 8707; RFC 9396): as the parameters above.
    static let rights = ["resource", "authorization_details", "claims"]
    private static let own =
        asking + ["client_secret", "client_assertion", "client_assertion_type"]

    /// Whether nobody else may add the parameter to a request of ours: the library sends it, or it
    /// belongs to a browser's request and nothing here would act on it, such as `max_age`. `claims`
    /// is for the caller: its demands are kept with the request.
    static func isOwn(_ name: String) -> Bool {
        own.contains { $0.isExactly(name) }
            || (KnownParameter.named(name)?.isOwn ?? false) && !name.isExactly("claims")
    }

    /// What belongs to a browser's request: a provider passes over it here, where a signed request
    /// that holds it is not rejected altogether (`MessageKind.backchannelRequest`).
    static let ofBrowser = [
        "response_type", "response_mode", "redirect_uri", "state", "nonce", "code_challenge",
        "code_challenge_method", "dpop_jkt", "prompt", "display", "idp_params", "registration",
    ]

    /// Whether a provider passes over a parameter of this name: one of a browser's request, or a
    /// claim of a signed one.
    static func isForeign(_ name: String) -> Bool {
        ofBrowser.contains { $0.isExactly(name) } || claims.contains { $0.isExactly(name) }
    }

    private static let claims = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]
    private static let maxMembers = 256

    /// What a verified object says; unknown members that are texts among it, as each is ignored by whoever does not know it.
    ///
    /// - Throws: `malformed` for a value that a known parameter cannot have, and for an object inside the object;
    ///   `limitExceeded` for more than 256 members or words.
    static func read(_ token: VerifiedJWT) throws(JOSEError) -> OpenIDParameters {
        let document = token.document
        guard document.nodes[0].count <= maxMembers else {
            throw .limitExceeded(.message, "the signed request has too many members")
        }
        var parameters = OpenIDParameters()
        try document.forEachMember { (place, index) throws(JOSEError) in
            guard let name = document.string(at: place),
                !claims.contains(where: { $0.isExactly(name) })
            else { return }
            guard !name.isExactly("request"), !name.isExactly("request_uri") else {
                throw .malformed(.message, "a signed request holds another one")
            }
            if let known = KnownParameter.named(name),
                !asking.contains(where: { $0.isExactly(name) })
            {
                return try RequestObjectText.read(
                    name, known, at: index, of: document, to: &parameters)
            }
            let text = try text(name, index, document)
            parameters.append(name, text)
        }
        // As in a form, what is empty counts as absent.
        return OpenIDParameters(parameters.all.filter { !$0.value.isEmpty })
    }

    /// A text, or for `requested_expiry` a whole number (7.1.1); nil for an unknown member that is neither.
    private static func text(
        _ name: String, _ index: Int, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        if name.isExactly("requested_expiry"), document.kind(at: index) == .number,
            let number = document.integer(at: index)
        {
            return String(number)
        }
        if let text = document.string(at: index), text.holdsNoControl, text.isStreamSafe {
            try KnownParameter.named(name)?.checkWords(text)
            return text
        }
        guard !asking.contains(where: { $0.isExactly(name) }) else {
            throw .malformed(.message, "a parameter of the signed request is no text")
        }
        return nil
    }
}

/// The rules of a request, for both sides.
struct BackchannelCheck {
    let rules: BackchannelRules
    let parameters: OpenIDParameters
    let delivery: BackchannelDelivery

    /// Throws where a rule is broken.
    func check() throws(ProfileViolation) {
        guard UserHint(parameters) != nil else {
            throw ProfileViolation(
                "exactly one of login_hint, login_hint_token and id_token_hint is required")
        }
        if let message = parameters["binding_message"] {
            guard message.utf8.count <= rules.maxBindingMessageBytes else {
                throw ProfileViolation("the binding_message is too long", .invalidBindingMessage)
            }
        }
        if let text = parameters["requested_expiry"] {
            guard let seconds = Int64(text), seconds > 0, String(seconds).isExactly(text) else {
                throw ProfileViolation("requested_expiry is a positive whole number of seconds")
            }
        }
        if delivery == .ping { try checkNotificationToken() }
    }

    /// What the provider shows when it calls the client: credentials of a bearer, and 128 bits of them (7.1). One that is shorter
    /// than its alphabet needs for these cannot have them.
    private func checkNotificationToken() throws(ProfileViolation) {
        guard let token = parameters["client_notification_token"] else {
            throw ProfileViolation("client_notification_token is required where the client is called")
        }
        guard 22...1_024 ~= token.utf8.count, BearerToken.isWellFormed(token) else {
            throw ProfileViolation(
                "client_notification_token is no bearer token of 22 to 1024 characters")
        }
    }
}
