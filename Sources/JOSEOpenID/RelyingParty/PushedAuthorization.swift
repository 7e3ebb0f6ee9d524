// A pushed authorization request and its response (RFC 9126).

public import JOSE
import JOSEBytes

/// A pushed authorization request to send before the browser is redirected.
public struct PushedAuthorization: Sendable {
    /// The POST to the pushed authorization request endpoint.
    public let request: TokenRequest
    /// The session to store until the authorization response.
    public let session: AuthorizationSession
}

/// A successful response to a pushed authorization request.
public struct PushedAuthorizationResponse: Sendable {
    /// `request_uri`, which the browser sends instead of the request.
    public let requestURI: String
    /// The lifetime of the `request_uri` in seconds, 1 to 253402300799.
    public let expiresInSeconds: Int64

    /// Reads the body of a response with status 201. Read other statuses with `TokenError`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: The limits of the body.
    /// - Throws: `malformed` unless the body has a positive `expires_in` and a `request_uri`: an
    ///   absolute URI without fragment of at most 512 bytes. `limitExceeded`.
    ///
    /// Source: RFC 9126, 2.2; RFC 9101, 5.2.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        try message.checkIsNoError()
        guard let uri = try message.string("request_uri"), uri.utf8.count <= 512,
            WebURL.isURIWithoutFragment(uri)
        else {
            throw .malformed(
                .message, "the response has no request_uri: an absolute URI of at most 512 bytes")
        }
        requestURI = uri
        expiresInSeconds = try message.positiveSeconds("expires_in")
    }
}

extension PushedAuthorization: RedactedDescription {}
extension PushedAuthorizationResponse: RedactedDescription {}
