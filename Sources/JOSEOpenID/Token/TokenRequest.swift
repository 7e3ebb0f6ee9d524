// The request to the token endpoint, ready for any HTTP client.

import JOSE
import JOSEBytes

/// A POST to an endpoint where a client proves itself, the token endpoint first of all: address, headers and body.
public struct TokenRequest: Sendable {
    /// The type of a client assertion (RFC 7523, 2.2).
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The endpoint.
    public let url: String
    /// The headers to send.
    public let headers: [OpenIDParameter]
    /// The form.
    public let parameters: OpenIDParameters

    /// The body of the POST, `application/x-www-form-urlencoded`.
    public var body: String { parameters.encoded }

    /// The value of the first header of this name, in any case; nil where there is none.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// How the access token that it asks for is used: bound to the key where a proof came along.
    var tokenType: AccessTokenType {
        headers.contains { $0.name.isExactly("DPoP") } ? .dpop : .bearer
    }
}

extension TokenRequest: RedactedDescription {
    package var shownAs: String { "token request" }
}
