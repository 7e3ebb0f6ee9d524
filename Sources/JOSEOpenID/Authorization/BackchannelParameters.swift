// The parameters of a backchannel authentication request: names, rules, reading from a JWT.

import JOSE
import JOSEBytes

/// The parameters of CIBA Core 1.0, 7.1 and 7.1.1, and others that its requests may have.
enum BackchannelParameters {
    /// The parameters that CIBA defines. A signed request has all of them in its JWT.
    static let request = [
        "scope", "client_notification_token", "acr_values", "login_hint_token", "id_token_hint",
        "login_hint", "binding_message", "user_code", "requested_expiry",
    ]
    /// Further parameters that a signed request has in its JWT: they request rights, as scopes do.
    static let rightsParameters = ["resource", "authorization_details", "claims"]
    private static let reserved =
        request + ["client_secret", "client_assertion", "client_assertion_type"]

    /// Whether a caller must not add the parameter: the library sets it, or it belongs to a browser
    /// login, such as `max_age`. `claims` is allowed, since the session stores it.
    static func isReserved(_ name: String) -> Bool {
        reserved.contains { $0.isExactly(name) }
            || (KnownParameter.named(name)?.isReserved ?? false) && !name.isExactly("claims")
    }

    /// Parameters of a browser login. A provider ignores them, but rejects some in a signed request
    /// (`MessageKind.backchannelRequest`).
    static let browserLoginParameters = [
        "response_type", "response_mode", "redirect_uri", "state", "nonce", "code_challenge",
        "code_challenge_method", "dpop_jkt", "prompt", "display", "idp_params", "registration",
    ]

    /// Whether a provider ignores the parameter.
    static func isForeign(_ name: String) -> Bool {
        browserLoginParameters.contains { $0.isExactly(name) }
            || jwtClaims.contains { $0.isExactly(name) }
    }

    private static let jwtClaims = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]
    private static let maxMembers = 256

    /// Reads the parameters of a verified JWT, including unknown members that are strings.
    ///
    /// - Throws: `malformed` for a value of the wrong type, and for a nested request object.
    ///   `limitExceeded` for more than 256 members or words.
    static func read(_ token: VerifiedJWT) throws(JOSEError) -> OpenIDParameters {
        let document = token.document
        guard document.nodes[0].count <= maxMembers else {
            throw .limitExceeded(
                .message, "the signed request has more than {} members", .number(maxMembers))
        }
        var parameters = OpenIDParameters()
        try document.forEachMember { (key, index) throws(JOSEError) in
            guard let name = document.string(at: key),
                !jwtClaims.contains(where: { $0.isExactly(name) })
            else { return }
            guard !name.isExactly("request"), !name.isExactly("request_uri") else {
                throw .malformed(.message, "the signed request has a request or request_uri in it")
            }
            if let known = KnownParameter.named(name),
                !request.contains(where: { $0.isExactly(name) })
            {
                return try RequestObjectParameters.read(
                    name, known, at: index, of: document, to: &parameters)
            }
            let text = try text(name, index, document)
            parameters.append(name, text)
        }
        // As in a form, an empty value counts as absent.
        return OpenIDParameters(parameters.all.filter { !$0.value.isEmpty })
    }

    /// Nil for an unknown parameter that is not text. `requested_expiry` may be an integer (7.1.1).
    private static func text(
        _ name: String, _ index: Int, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        if name.isExactly("requested_expiry"), document.kind(at: index) == .number,
            let number = document.integer(at: index)
        {
            return String(number)
        }
        if let text = document.string(at: index), text.hasNoControlCharacters, text.isStreamSafe {
            try KnownParameter.named(name)?.checkWords(text)
            return text
        }
        guard !request.contains(where: { $0.isExactly(name) }) else {
            throw .malformed(.message, "a parameter of the signed request is not a string")
        }
        return nil
    }
}

/// Checks the CIBA parameters of a request, for clients and providers.
struct BackchannelCheck {
    let rules: BackchannelRules
    let parameters: OpenIDParameters
    let delivery: BackchannelDelivery

    func check() throws(ProfileViolation) {
        guard UserHint(parameters) != nil else {
            throw ProfileViolation(
                "exactly one of login_hint, login_hint_token and id_token_hint is required")
        }
        if let message = parameters["binding_message"] {
            guard message.utf8.count <= rules.maxBindingMessageBytes else {
                throw ProfileViolation(
                    "binding_message is longer than the provider accepts", .invalidBindingMessage)
            }
        }
        if let text = parameters["requested_expiry"] {
            guard let seconds = Int64(text), seconds > 0, String(seconds).isExactly(text) else {
                throw ProfileViolation("requested_expiry must be a positive number of seconds")
            }
        }
        if delivery == .ping { try checkNotificationToken() }
    }

    /// CIBA Core 1.0, 7.1 requires 128 bits, which are 22 characters of base64url.
    private func checkNotificationToken() throws(ProfileViolation) {
        guard let token = parameters["client_notification_token"] else {
            throw ProfileViolation("client_notification_token is required for ping delivery")
        }
        guard 22...1_024 ~= token.utf8.count, BearerToken.isWellFormed(token) else {
            throw ProfileViolation(
                "client_notification_token must be a bearer token of 22 to 1024 characters")
        }
    }
}
