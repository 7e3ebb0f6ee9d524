// The error codes of OAuth 2.0 and OpenID Connect.

public import JOSE
import JOSEBytes

/// An error code: `error` of a response (RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6;
/// RFC 6750, 3.1).
public struct OAuthErrorCode: Sendable, Hashable {
    /// The value of `error`.
    public var name: String { exactName.text }
    private let exactName: ExactString

    init(_ name: StaticString) { exactName = ExactString(name.description) }

    /// Creates a code from its name.
    ///
    /// - Throws: `malformed` if it is not 1 to 128 printable ASCII characters without `"` and `\`.
    public init(name: String) throws(JOSEError) {
        guard 1...128 ~= name.utf8.count, name.isErrorText else {
            throw .malformed(.message, "the error code is malformed")
        }
        exactName = ExactString(name)
    }

    /// The request is malformed or incomplete.
    public static let invalidRequest = OAuthErrorCode("invalid_request")
    /// The client is unknown or failed to authenticate.
    public static let invalidClient = OAuthErrorCode("invalid_client")
    /// The grant, such as a code, is invalid, used, expired or was issued to another client.
    public static let invalidGrant = OAuthErrorCode("invalid_grant")
    /// The client is not authorized to do this.
    public static let unauthorizedClient = OAuthErrorCode("unauthorized_client")
    /// The grant type is not supported.
    public static let unsupportedGrantType = OAuthErrorCode("unsupported_grant_type")
    /// The response type is not supported.
    public static let unsupportedResponseType = OAuthErrorCode("unsupported_response_type")
    /// A scope is missing or unknown.
    public static let invalidScope = OAuthErrorCode("invalid_scope")
    /// The user or the provider denied the request.
    public static let accessDenied = OAuthErrorCode("access_denied")
    /// The provider failed.
    public static let serverError = OAuthErrorCode("server_error")
    /// The provider, or a service that it needs, is temporarily unavailable.
    public static let temporarilyUnavailable = OAuthErrorCode("temporarily_unavailable")
    /// The user must interact with the provider, and `prompt=none` forbids it.
    public static let interactionRequired = OAuthErrorCode("interaction_required")
    /// The user must sign in: `prompt=none`, another `sub`, or `max_age` exceeded (OpenID Connect
    /// Core 1.0, 3.1.2.6).
    public static let loginRequired = OAuthErrorCode("login_required")
    /// The user must consent, and `prompt=none` forbids asking.
    public static let consentRequired = OAuthErrorCode("consent_required")
    /// The user must select an account, and `prompt=none` forbids asking.
    public static let accountSelectionRequired = OAuthErrorCode("account_selection_required")
    /// The requested `acr` cannot be reached.
    public static let unmetAuthenticationRequirements = OAuthErrorCode(
        "unmet_authentication_requirements")
    /// The request object cannot be read, decrypted or verified.
    public static let invalidRequestObject = OAuthErrorCode("invalid_request_object")
    /// The `request_uri` cannot be fetched, or is unknown or used.
    public static let invalidRequestURI = OAuthErrorCode("invalid_request_uri")
    /// The provider reads no request objects by value.
    public static let requestNotSupported = OAuthErrorCode("request_not_supported")
    /// The provider fetches no request objects.
    public static let requestURINotSupported = OAuthErrorCode("request_uri_not_supported")
    /// The provider registers no clients in a request.
    public static let registrationNotSupported = OAuthErrorCode("registration_not_supported")
    /// The provider does not support the requested service.
    public static let notImplemented = OAuthErrorCode("not_implemented")
    /// A `resource` is malformed, unknown or not allowed for this client (RFC 8707, 2).
    public static let invalidTarget = OAuthErrorCode("invalid_target")
    /// `authorization_details` are malformed, unknown or not allowed for this client (RFC 9396, 5).
    public static let invalidAuthorizationDetails = OAuthErrorCode("invalid_authorization_details")
    /// The access token is invalid or expired.
    public static let invalidToken = OAuthErrorCode("invalid_token")
    /// The access token lacks a required scope.
    public static let insufficientScope = OAuthErrorCode("insufficient_scope")
    /// The DPoP proof is missing or invalid (RFC 9449, 5).
    public static let invalidDPoPProof = OAuthErrorCode("invalid_dpop_proof")
    /// The DPoP proof must contain the nonce of the response (RFC 9449, 8).
    public static let useDPoPNonce = OAuthErrorCode("use_dpop_nonce")
    /// The `login_hint_token` has expired (CIBA Core 1.0, 13).
    public static let expiredLoginHintToken = OAuthErrorCode("expired_login_hint_token")
    /// The hint identifies no user.
    public static let unknownUserID = OAuthErrorCode("unknown_user_id")
    /// `user_code` is required for this user.
    public static let missingUserCode = OAuthErrorCode("missing_user_code")
    /// `user_code` is wrong.
    public static let invalidUserCode = OAuthErrorCode("invalid_user_code")
    /// `binding_message` cannot be displayed.
    public static let invalidBindingMessage = OAuthErrorCode("invalid_binding_message")
    /// The user has not decided yet (CIBA Core 1.0, 11).
    public static let authorizationPending = OAuthErrorCode("authorization_pending")
    /// The user has not decided yet, and the client polls too often.
    public static let slowDown = OAuthErrorCode("slow_down")
    /// The type of the token cannot be revoked (RFC 7009, 2.2.1).
    public static let unsupportedTokenType = OAuthErrorCode("unsupported_token_type")
    /// The backchannel request has expired.
    public static let expiredToken = OAuthErrorCode("expired_token")
}

extension OAuthErrorCode {
    /// The code for an error that the client did not cause; nil for other errors.
    static func serverSide(_ error: JOSEError) -> OAuthErrorCode? {
        switch error.code {
        case .unavailable: .temporarilyUnavailable
        case .internal, .misuse: .serverError
        default: nil
        }
    }

    init?(proof error: JOSEError) {
        guard error.step == .proof else { return nil }
        self = error.claim?.isExactly("nonce") == true ? .useDPoPNonce : .invalidDPoPProof
    }

    /// The code of a resource's error response (RFC 6750, 3.1; RFC 9449, 7.1). Nil without a token.
    static func resource(rejecting error: JOSEError) -> OAuthErrorCode? {
        if let code = serverSide(error) { return code }
        if let proof = OAuthErrorCode(proof: error) { return proof }
        if error.step == .message { return .invalidRequest }
        guard error.code == .claimRejected, let claim = error.claim else { return .invalidToken }
        if claim.isExactly("access_token") { return nil }
        return claim.isExactly("scope") ? .insufficientScope : .invalidToken
    }
}

extension OAuthErrorCode: Codable {
    private enum Member: String, CodingKey { case name }

    /// Decodes a code with the rules of `init(name:)`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        try self.init(name: members.decode(String.self, forKey: .name))
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(name, forKey: .name)
    }
}

extension OAuthErrorCode: CustomStringConvertible {
    /// The value of `error`.
    public var description: String { name }
}

extension OAuthErrorCode {
    /// A peer can send any code, so the text of a `JOSEError` contains only these.
    private static let registeredNames: [StaticString] = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
        "unsupported_grant_type", "unsupported_response_type", "invalid_scope", "access_denied",
        "server_error", "temporarily_unavailable", "interaction_required", "login_required",
        "consent_required", "account_selection_required", "unmet_authentication_requirements",
        "invalid_request_object", "invalid_request_uri", "request_not_supported",
        "request_uri_not_supported", "registration_not_supported", "invalid_target",
        "invalid_authorization_details",
        "invalid_token", "insufficient_scope", "invalid_dpop_proof", "use_dpop_nonce",
        "expired_login_hint_token", "unknown_user_id", "missing_user_code", "invalid_user_code",
        "invalid_binding_message", "authorization_pending", "slow_down", "expired_token",
        "unsupported_token_type",
    ]

    static func registeredName(_ name: String) -> StaticString? {
        registeredNames.first { name.isExactly($0) }
    }
}

extension String {
    /// Whether the text is printable ASCII without `"` and `\` (RFC 6749, 5.2).
    var isErrorText: Bool { isPrintableASCII && !utf8.contains(0x22) && !utf8.contains(0x5c) }
    var errorText: String? { isErrorText ? self : nil }
    /// The text if it is a valid `error_uri`, which has no spaces.
    var errorURI: String? { isErrorText && !utf8.contains(0x20) ? self : nil }
}

extension OAuthErrorCode {
    /// A text in English for a page that a user sees. It never contains text of the other party.
    ///
    /// Do not show `name` or a description on a page. Anyone can open your redirect URI with an
    /// error and texts of their choice.
    public var pageText: String {
        switch self {
        case .accessDenied: "The sign-in was cancelled."
        case .serverError, .temporarilyUnavailable:
            "The provider cannot sign you in now. Try again later."
        case .interactionRequired, .loginRequired, .consentRequired, .accountSelectionRequired:
            "The provider needs your input. Please sign in again."
        case .unmetAuthenticationRequirements:
            "The provider cannot sign you in as this site requires."
        case .invalidRequest, .invalidRequestObject, .invalidRequestURI, .unauthorizedClient,
            .unsupportedResponseType, .invalidScope, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported, .notImplemented, .invalidTarget,
            .invalidAuthorizationDetails:
            "The sign-in is not set up correctly. Please contact the operator of this site."
        default: "The sign-in failed. Please try again."
        }
    }
}
