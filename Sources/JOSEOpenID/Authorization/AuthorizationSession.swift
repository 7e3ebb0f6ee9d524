// What a relying party must remember until the answer comes.

public import JOSE
import JOSEBytes

/// Keep it in the user's session on the server: it holds the nonce and the code verifier.
public struct AuthorizationSession: Sendable, Codable {
    /// The client that asked.
    public let clientID: String
    /// The issuer that was asked.
    public let issuer: String
    /// Where the answer must come to.
    public let redirectURI: String
    /// The `state` that the answer must bring.
    public let state: String
    /// The `nonce` that the ID Token must hold.
    public let nonce: String
    /// The code verifier where a challenge was sent.
    public let codeVerifier: String?
    /// The values of `acr` that were asked for, by `acr_values` or by the claims request.
    public let acrValues: [String]
    /// Claims that the ID Token must hold since they were asked for as needed: `acr`, `auth_time`.
    public let requiredClaims: [String]
    /// The values of which `sub` must be one; empty for any.
    public let subjects: [String]
    /// The `max_age` that was asked for, in seconds.
    public let maxAgeSeconds: Int64?
    /// How the answer must come back.
    public let responseMode: ResponseMode
    /// The key that the code is bound to, where `dpop_jkt` was sent.
    public let keyThumbprint: String?
}

extension AuthorizationSession {
    /// What a tool is told of a request, to judge the ID Token that answers it.
    /// Values of `acr` are required then: no profile of the caller's accepts less.
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

extension AuthorizationSession: RedactedDescription {
    package var shownAs: String { "remembered request" }
}

/// A request that is ready to be sent.
public struct AuthorizationStart: Sendable {
    /// Where to send the user's browser.
    public let url: String
    /// What to keep until the answer comes.
    public let session: AuthorizationSession
    /// The request object to serve at the `request_uri`; nil unless the request goes by reference.
    public let requestObject: String?

    /// The answer to give at the `request_uri`; nil unless the request goes by reference (RFC 9101, 5.2.1).
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func requestObjectResponse() throws(JOSEError) -> OpenIDHTTPResponse? {
        guard let requestObject else { return nil }
        return try .notStored(requestObject, type: "application/oauth-authz-req+jwt")
    }
}

extension AuthorizationStart: RedactedDescription {
    package var shownAs: String { "started authorization" }
}
