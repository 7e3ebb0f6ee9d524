// A request with client authentication, for any HTTP client.

import JOSE
import JOSEBytes

/// A POST to an endpoint that authenticates the client, such as the token endpoint.
public struct TokenRequest: Sendable {
    /// The type of a client assertion (RFC 7523, 2.2).
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The URL to post to: the endpoint of the provider's metadata.
    public let url: String
    /// The headers to send besides `Content-Type`: `Authorization` and `DPoP` where the profile
    /// needs them.
    public let headers: [OpenIDParameter]
    /// The form's parameters in order, client authentication included. `body` encodes them.
    public let parameters: OpenIDParameters

    /// The body of the POST, `application/x-www-form-urlencoded`.
    public var body: String { parameters.encoded }

    /// Returns the value of the first header of this name in any case, or nil.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// The type of the requested access token: `.dpop` if the request has a proof.
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
