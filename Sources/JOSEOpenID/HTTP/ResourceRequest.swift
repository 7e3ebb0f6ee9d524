// An unverified request to a protected resource: access token, DPoP proofs, client certificate.

public import JOSE
import JOSEBytes

/// How an access token is used: its `token_type` and its scheme in the `Authorization` header.
public enum AccessTokenType: String, Sendable, Hashable {
    /// Any holder can use it (RFC 6750).
    case bearer = "Bearer"
    /// Only a client with the private key that the token is bound to can use it (RFC 9449).
    case dpop = "DPoP"

    init?(word name: String) {
        for type in [AccessTokenType.bearer, .dpop]
        where type.rawValue.lowercasedASCII.isExactly(name.lowercasedASCII) {
            self = type
            return
        }
        return nil
    }
}

/// An unverified request to a protected resource. Verify it with a `ResourceServer`, or with a
/// `DPoPVerifier` for an opaque token.
public struct ResourceRequest: Sendable {
    /// The HTTP method.
    public let method: String
    /// The URL as the client sees it.
    public let url: String
    /// The scheme of the `Authorization` header.
    public let type: AccessTokenType
    /// The unverified token of the `Authorization` header.
    public let accessToken: String
    let proofs: [String]
    /// base64url of SHA-256 of the client's TLS certificate.
    let certificateThumbprint: String?

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - url: The full URL with its query, with the scheme and host that the client used. Behind
    ///     a proxy these differ from those of the server.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The value of each `DPoP` header.
    ///   - clientCertificate: The client's certificate of the TLS connection, DER.
    /// - Throws: `claimRejected` with `access_token` if the `Authorization` header has no token.
    ///   `malformed` for a token that is not well-formed or is in the URL. `limitExceeded` for a
    ///   token above 16,384 bytes. `internal`. `ResourceError(rejecting:)` makes the response.
    ///
    /// Source: RFC 6750, 2.1; RFC 9449, 7.1.
    public init(
        method: String, url: String, authorization: String?, proofs: [String] = [],
        clientCertificate: [UInt8]? = nil
    ) throws(JOSEError) {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            .prefix { $0 != UInt8(ascii: "#") }
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            // `access_token` has 12 characters. Percent-encoded, each takes 1 or 3 bytes.
            guard 12...36 ~= name.count,
                PercentEncoding.bytes(Array(name).span)?.elementsEqual("access_token".utf8) == true
            else { continue }
            throw .malformed(
                .message, "the access token is in the URL; use the Authorization header")
        }
        let bound = authorization.flatMap { HTTPCredentials.after(scheme: "dpop", of: $0) }
        let bearer = authorization.flatMap { HTTPCredentials.after(scheme: "bearer", of: $0) }
        guard let found = bound ?? bearer else {
            throw .claimRejected("access_token", "the request has none")
        }
        guard found.count <= 16_384 else {
            throw .limitExceeded(
                .message, "the access token has {} bytes; at most 16384 are read",
                .number(found.count))
        }
        let text = String(decoding: found, as: UTF8.self)
        guard BearerToken.isWellFormed(text) else {
            throw .malformed(.message, "the access token has characters other than b64token")
        }
        self.method = method
        self.url = url
        type = bound == nil ? .bearer : .dpop
        accessToken = text
        self.proofs = proofs
        guard let clientCertificate else {
            certificateThumbprint = nil
            return
        }
        certificateThumbprint = try SHA256String.make(of: clientCertificate.span)
    }
}

extension ResourceRequest: RedactedDescription {}
