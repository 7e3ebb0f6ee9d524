// The error codes of OAuth 2.0 and OpenID Connect, as values.

public import JOSE
import JOSEBytes

/// An `error` of an answer (RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6; RFC 6750, 3.1).
public struct OAuthErrorCode: Sendable, Hashable {
    /// The word on the wire.
    public var name: String { word.text }
    private let word: ExactString

    init(_ name: StaticString) { word = ExactString(name.description) }

    /// A code of this word.
    ///
    /// - Throws: `malformed` unless it is 1 to 128 visible characters without quotation mark and reverse solidus.
    public init(name: String) throws(JOSEError) {
        guard 1...128 ~= name.utf8.count, name.isErrorText else {
            throw .malformed(.message, "the error code is not well-formed")
        }
        word = ExactString(name)
    }

    /// The request is malformed or lacks something.
    public static let invalidRequest = OAuthErrorCode("invalid_request")
    /// The client is unknown or did not prove who it is.
    public static let invalidClient = OAuthErrorCode("invalid_client")
    /// The code is wrong, used, late, or another client's.
    public static let invalidGrant = OAuthErrorCode("invalid_grant")
    /// The client may not do this.
    public static let unauthorizedClient = OAuthErrorCode("unauthorized_client")
    /// The grant type is not supported.
    public static let unsupportedGrantType = OAuthErrorCode("unsupported_grant_type")
    /// The response type is not supported.
    public static let unsupportedResponseType = OAuthErrorCode("unsupported_response_type")
    /// A scope is missing or unknown.
    public static let invalidScope = OAuthErrorCode("invalid_scope")
    /// The user rejected.
    public static let accessDenied = OAuthErrorCode("access_denied")
    /// The provider failed.
    public static let serverError = OAuthErrorCode("server_error")
    /// The provider, or something that it needs, cannot answer now.
    public static let temporarilyUnavailable = OAuthErrorCode("temporarily_unavailable")
    /// The user would have to be asked.
    public static let interactionRequired = OAuthErrorCode("interaction_required")
    /// The user must sign in: `prompt=none`, another `sub`, or `max_age` exceeded (OpenID Connect
    /// Core 1.0, 3.1.2.6).
    public static let loginRequired = OAuthErrorCode("login_required")
    /// The user would have to consent, and may not be asked.
    public static let consentRequired = OAuthErrorCode("consent_required")
    /// The user would have to choose an account, and may not be asked.
    public static let accountSelectionRequired = OAuthErrorCode("account_selection_required")
    /// The user cannot be asked in the way that `acr` was demanded (OpenID Connect Core Error Code
    /// unmet_authentication_requirements).
    public static let unmetAuthenticationRequirements = OAuthErrorCode(
        "unmet_authentication_requirements")
    /// The request object cannot be accepted.
    public static let invalidRequestObject = OAuthErrorCode("invalid_request_object")
    /// The `request_uri` cannot be used.
    public static let invalidRequestURI = OAuthErrorCode("invalid_request_uri")
    /// `request` is not supported.
    public static let requestNotSupported = OAuthErrorCode("request_not_supported")
    /// `request_uri` is not supported.
    public static let requestURINotSupported = OAuthErrorCode("request_uri_not_supported")
    /// `registration` is not supported.
    public static let registrationNotSupported = OAuthErrorCode("registration_not_supported")
    /// A service that this provider does not have.
    public static let notImplemented = OAuthErrorCode("not_implemented")
    /// A resource that is malformed, unknown or not this client's (RFC 8707, 2).
    public static let invalidTarget = OAuthErrorCode("invalid_target")
    /// Details that are malformed, unknown or not this client's (RFC 9396, 5).
    public static let invalidAuthorizationDetails = OAuthErrorCode("invalid_authorization_details")
    /// The access token is no good.
    public static let invalidToken = OAuthErrorCode("invalid_token")
    /// The access token is good, but not for this.
    public static let insufficientScope = OAuthErrorCode("insufficient_scope")
    /// The proof of possession is no good (RFC 9449, 5).
    public static let invalidDPoPProof = OAuthErrorCode("invalid_dpop_proof")
    /// The proof must hold the nonce that comes with the answer (RFC 9449, 8).
    public static let useDPoPNonce = OAuthErrorCode("use_dpop_nonce")
    /// The `login_hint_token` has ended (CIBA Core 1.0, 13).
    public static let expiredLoginHintToken = OAuthErrorCode("expired_login_hint_token")
    /// No user is known by the hint.
    public static let unknownUserID = OAuthErrorCode("unknown_user_id")
    /// The user has a code, and the request does not.
    public static let missingUserCode = OAuthErrorCode("missing_user_code")
    /// The user has another code.
    public static let invalidUserCode = OAuthErrorCode("invalid_user_code")
    /// The message cannot be shown to the user.
    public static let invalidBindingMessage = OAuthErrorCode("invalid_binding_message")
    /// The user has not decided yet (CIBA Core 1.0, 11).
    public static let authorizationPending = OAuthErrorCode("authorization_pending")
    /// The user has not decided yet, and the client asks too often.
    public static let slowDown = OAuthErrorCode("slow_down")
    /// The user took too long.
    public static let expiredToken = OAuthErrorCode("expired_token")
}

extension OAuthErrorCode {
    /// What to answer where the fault is not the other side's; nil where it is.
    static func ours(_ error: JOSEError) -> OAuthErrorCode? {
        switch error.code {
        case .unavailable: .temporarilyUnavailable
        case .internal, .misuse: .serverError
        default: nil
        }
    }
}

extension OAuthErrorCode {
    /// What to answer where a proof was rejected; nil where something else was.
    init?(proof error: JOSEError) {
        guard error.step == .proof else { return nil }
        self = error.claim?.isExactly("nonce") == true ? .useDPoPNonce : .invalidDPoPProof
    }
}

extension OAuthErrorCode {
    /// What a resource answers to a request whose access token, proof or form was rejected (RFC 6750, 3.1; RFC 9449, 7.1);
    /// nil where the request held no token at all.
    static func resource(rejecting error: JOSEError) -> OAuthErrorCode? {
        if let ours = ours(error) { return ours }
        if let proof = OAuthErrorCode(proof: error) { return proof }
        if error.step == .message { return .invalidRequest }
        guard error.code == .claimRejected, let claim = error.claim else { return .invalidToken }
        if claim.isExactly("access_token") { return nil }
        return claim.isExactly("scope") ? .insufficientScope : .invalidToken
    }
}

extension OAuthErrorCode: Codable {
    private enum Member: String, CodingKey { case name }

    /// Reads what was kept; a word that no answer can hold is rejected as everywhere.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        try self.init(name: members.decode(String.self, forKey: .name))
    }

    /// Writes the word.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(name, forKey: .name)
    }
}

extension OAuthErrorCode: CustomStringConvertible {
    /// The word on the wire.
    public var description: String { name }
}

extension OAuthErrorCode {
    /// The registered codes that a token, pushed or backchannel endpoint answers: the only ones
    /// that an error may name.
    private static let registeredNames: [StaticString] = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
        "unsupported_grant_type", "unsupported_response_type", "invalid_scope", "access_denied",
        "server_error", "temporarily_unavailable", "interaction_required", "login_required",
        "consent_required", "account_selection_required", "unmet_authentication_requirements",
        "invalid_request_object", "invalid_request_uri", "request_not_supported",
        "request_uri_not_supported", "invalid_target", "invalid_authorization_details",
        "invalid_token", "insufficient_scope", "invalid_dpop_proof", "use_dpop_nonce",
        "expired_login_hint_token", "unknown_user_id", "missing_user_code", "invalid_user_code",
        "invalid_binding_message", "authorization_pending", "slow_down", "expired_token",
    ]

    /// A registered code as a constant; nil for any other text.
    static func registeredName(_ name: String) -> StaticString? {
        registeredNames.first { name.isExactly($0) }
    }
}

extension String {
    /// RFC 6749, 5.2: visible ASCII and the space, without `"` and `\`.
    var isErrorText: Bool { isVisible && !utf8.contains(0x22) && !utf8.contains(0x5c) }
    /// What may be shown as `error_description`; nil for anything else.
    var errorText: String? { isErrorText ? self : nil }
    /// What may be shown as `error_uri`, which has no space; nil for anything else.
    var errorURI: String? { isErrorText && !utf8.contains(0x20) ? self : nil }
}
