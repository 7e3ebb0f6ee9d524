// A request with client authentication, for any HTTP client.

import JOSE
import JOSEBytes

/// A POST to an endpoint that authenticates the client, such as the token endpoint.
public struct TokenRequest: Sendable {
    /// The `client_assertion_type` of a JWT (RFC 7523, 2.2).
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The URL to post to.
    public let url: String
    /// The headers to send, such as `Content-Type`, `Authorization` and `DPoP`.
    public let headers: [OpenIDParameter]
    /// The form's parameters in order, including client authentication.
    public let parameters: OpenIDParameters

    /// The body of the POST, `application/x-www-form-urlencoded`.
    public var body: String { parameters.encoded }

    /// Returns the value of the first header of this name in any letter case; nil if there is none.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// The expected type of the access token: `.dpop` if this request has a DPoP proof.
    var tokenType: AccessTokenType {
        headers.contains { $0.name.isExactly("DPoP") } ? .dpop : .bearer
    }
}

extension TokenRequest: RedactedDescription {}

/// The claims of a client assertion. `JWTIssuer` adds `iat` and `exp`.
struct ClientAssertionClaims: Encodable {
    let iss: String
    let sub: String
    let aud: String
    let jti: String
}
