// What a request to a protected resource brings: an access token under a scheme, proofs, the client's certificate.

public import JOSE
import JOSEBytes

/// How an access token is used: `token_type`, and the scheme of the header `Authorization`.
public enum AccessTokenType: String, Sendable, Hashable {
    /// By whoever has it (RFC 6750).
    case bearer = "Bearer"
    /// By whoever proves to have the key that it is bound to (RFC 9449).
    case dpop = "DPoP"

    /// The type of a word in any case; nil for another.
    init?(word: String) {
        for type in [AccessTokenType.bearer, .dpop]
        where type.rawValue.lowercasedASCII.isExactly(word.lowercasedASCII) {
            self = type
            return
        }
        return nil
    }
}

/// A request to a protected resource, unverified: give it to a `ResourceServer`, or to a `DPoPVerifier` where the token says
/// nothing by itself.
public struct ResourceRequest: Sendable {
    /// The method.
    public let method: String
    /// The address, as the client sees it.
    public let url: String
    /// The scheme under which the token came.
    public let type: AccessTokenType
    /// The access token.
    public let accessToken: String
    let proofs: [String]
    /// base64url of the SHA-256 digest of the certificate with which the client made the connection.
    let certificateThumbprint: String?

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - url: Its whole address as the client sees it, with its query: scheme and host are those before any proxy.
    ///   - authorization: The header `Authorization`.
    ///   - proofs: The values of the header `DPoP`, one for each time that it stands there.
    ///   - clientCertificate: The certificate that the client proved to have in the connection, DER.
    /// - Throws: `claimRejected` with `access_token` where the request brings none; `malformed` for a token that is not well-formed or stands
    ///   in the address; `limitExceeded` beyond 16 KB; `internal`. `ResourceError(rejecting:)` tells what to answer.
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
            // Twelve letters, each of which three may stand for.
            guard 12...36 ~= name.count,
                PercentEncoding.bytes(Array(name).span)?.elementsEqual("access_token".utf8) == true
            else { continue }
            throw .malformed(.message, "an access token stands in the address")
        }
        let bound = authorization.flatMap { HTTPCredentials.behind(scheme: "dpop", of: $0) }
        let bearer = authorization.flatMap { HTTPCredentials.behind(scheme: "bearer", of: $0) }
        guard let found = bound ?? bearer else {
            throw .claimRejected("access_token", "the request holds none")
        }
        guard found.count <= 16_384 else {
            throw .limitExceeded(.message, "the access token is too large")
        }
        let text = String(decoding: found, as: UTF8.self)
        guard BearerToken.isWellFormed(text) else {
            throw .malformed(.message, "the access token is not well-formed")
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
        certificateThumbprint = try FreshText.digest(of: clientCertificate.span)
    }
}

extension ResourceRequest: RedactedDescription {
    package var shownAs: String { "resource request" }
}
