// A request to a UserInfo endpoint or to a client's notification endpoint, for any HTTP client.

import JOSE
import JOSEBytes

/// A request to the UserInfo endpoint (OpenID Connect Core, 5.3.1) or a CIBA client's notification
/// endpoint (CIBA Core 1.0, 10.2), for your HTTP client. Do not follow redirects.
public struct OpenIDHTTPRequest: Sendable {
    /// The HTTP method, and where the access token is sent.
    public enum Method: Sendable, Hashable {
        /// A GET with the token in the `Authorization` header, as the specifications recommend.
        case get
        /// A POST with the token in the `Authorization` header.
        case post
        /// A POST with the token in a form body (RFC 6750, 2.2).
        case postForm

        var name: String { self == .get ? "GET" : "POST" }
    }

    /// `GET` or `POST`.
    public let method: String
    /// The URL.
    public let url: String
    /// The headers to send.
    public let headers: [OpenIDParameter]
    /// The body; empty for a GET.
    public let body: String

    init(url: String, headers: [OpenIDParameter], json: String) {
        method = "POST"
        self.url = url
        self.headers = [OpenIDParameter("Content-Type", "application/json")] + headers
        body = json
    }

    /// Returns the value of the first header of this name in any letter case; nil if there is none.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// `bound` has the headers of a DPoP-bound token and its proof; nil for a bearer token.
    init(
        _ method: Method, url: String, accessToken: String, accept: String,
        bound: [OpenIDParameter]? = nil
    ) throws(JOSEError) {
        guard BearerToken.isWellFormed(accessToken) else {
            throw .malformed(.message, "the access token has characters other than b64token")
        }
        self.method = method.name
        self.url = url
        let accept = OpenIDParameter("Accept", accept)
        guard method == .postForm else {
            headers =
                [accept] + (bound ?? [OpenIDParameter("Authorization", "Bearer " + accessToken)])
            body = ""
            return
        }
        headers = [accept, OpenIDParameter("Content-Type", MediaType.form)]
        body = OpenIDParameters([OpenIDParameter("access_token", accessToken)]).encoded
    }
}

extension OpenIDHTTPRequest: RedactedDescription {}
