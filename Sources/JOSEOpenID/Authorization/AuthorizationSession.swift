// The values of a login that a relying party stores until the authorization response.

public import JOSE
import JOSEBytes

/// The values of a login until its authorization response. Store them in the user's session on the
/// server: they contain the nonce and the code verifier.
public struct AuthorizationSession: Sendable, Codable {
    /// The `client_id` of the request.
    public let clientID: String
    /// The issuer that the response and the ID Token must name.
    public let issuer: String
    /// The `redirect_uri` of the request, sent again with the code (RFC 6749, 4.1.3).
    public let redirectURI: String
    /// The `state` that the response must have.
    public let state: String
    /// The `nonce` that the ID Token must have.
    public let nonce: String
    /// The code verifier; nil without PKCE.
    public let codeVerifier: String?
    /// The values that the `acr` of the ID Token must satisfy; empty for any `acr`.
    ///
    /// `ACRRule` determines which values of `acr_values` and of the claims request count. If
    /// `acr_values` and the claims request have such values and `ACRRule.weakestFirst` is empty,
    /// only common values count.
    public let acrValues: [String]
    /// Which of `acr` and `auth_time` the ID Token must contain: those that the request made
    /// essential. If `AuthorizationRules.treatsVoluntaryAsEssential` is true, as for itsme,
    /// voluntary ones count too.
    public let requiredClaims: [String]
    /// The allowed values of `sub`; empty for any.
    public let subjects: [String]
    /// The `max_age` of the request, in seconds.
    public let maxAgeSeconds: Int64?
    /// The `response_mode` of the request. It determines whether the response is a JWT (JARM).
    public let responseMode: ResponseMode
    /// The thumbprint of the key that the code is bound to; nil without `dpop_jkt`.
    public let keyThumbprint: String?
}

extension AuthorizationSession {
    /// Creates a session for josectl, which verifies an ID Token without the session of its login.
    /// The ID Token must satisfy `acrValues`, even if the profile accepts less.
    package init(
        clientID: String, issuer: String, nonce: String, acrValues: [String],
        maxAgeSeconds: Int64?
    ) {
        self.init(
            clientID: clientID, issuer: issuer, redirectURI: "", state: "", nonce: nonce,
            codeVerifier: nil, acrValues: acrValues,
            requiredClaims: acrValues.isEmpty ? [] : ["acr"], subjects: [],
            maxAgeSeconds: maxAgeSeconds, responseMode: .query,
            keyThumbprint: nil)
    }
}

/// The start of a login.
public struct AuthorizationStart: Sendable {
    /// The URL to redirect the user's browser to.
    public let url: String
    /// The session to store until the authorization response.
    public let session: AuthorizationSession
    /// The request object to serve at the `request_uri`; nil unless the delivery is by reference.
    public let requestObject: String?

    /// Creates the HTTP response at the `request_uri` (RFC 9101, 5.2.1); nil without
    /// `requestObject`.
    ///
    /// - Throws: `misuse` if the response cannot be written.
    public func requestObjectResponse() throws(JOSEError) -> OpenIDHTTPResponse? {
        guard let requestObject else { return nil }
        return try .notStored(requestObject, type: "application/oauth-authz-req+jwt")
    }
}

extension AuthorizationSession: RedactedDescription {}
extension AuthorizationStart: RedactedDescription {}
