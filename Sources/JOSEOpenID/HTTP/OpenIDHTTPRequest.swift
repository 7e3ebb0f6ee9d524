// A request to the UserInfo endpoint or to a client, ready for any HTTP client.

import JOSE
import JOSEBytes

/// A request to send: to the UserInfo endpoint (OpenID Connect Core, 5.3.1), or to a client whose
/// user decided (CIBA Core 1.0, 10.2). Follow no redirect.
public struct OpenIDHTTPRequest: Sendable {
    /// How the access token travels.
    public enum Way: Sendable, Hashable {
        /// A GET with the token in the header `Authorization`, as the specifications recommend.
        case get
        /// A POST with the token in the header `Authorization`.
        case post
        /// A POST with the token in a form (RFC 6750, 2.2).
        case form

        /// The method of such a request.
        var method: String { self == .get ? "GET" : "POST" }
    }

    /// `GET` or `POST`.
    public let method: String
    /// Where to send it.
    public let url: String
    /// The headers to send.
    public let headers: [OpenIDParameter]
    /// The body; empty for a GET.
    public let body: String

    /// A POST of JSON.
    init(url: String, headers: [OpenIDParameter], json: String) {
        method = "POST"
        self.url = url
        self.headers = [OpenIDParameter("Content-Type", "application/json")] + headers
        body = json
    }

    /// The value of the first header of this name, in any case; nil where there is none.
    public func header(_ name: String) -> String? { headers.first(named: name) }

    /// - Parameter bound: The headers with the token and its proof, for one that is bound to a key.
    init(
        _ way: Way, url: String, accessToken: String, accept: String,
        bound: [OpenIDParameter]? = nil
    ) throws(JOSEError) {
        guard BearerToken.isWellFormed(accessToken) else {
            throw .malformed(.message, "the access token cannot stand in a request")
        }
        method = way.method
        self.url = url
        let accept = OpenIDParameter("Accept", accept)
        guard way == .form else {
            headers =
                [accept] + (bound ?? [OpenIDParameter("Authorization", "Bearer " + accessToken)])
            body = ""
            return
        }
        headers = [accept, OpenIDParameter("Content-Type", MediaType.form)]
        body = OpenIDParameters([OpenIDParameter("access_token", accessToken)]).encoded
    }
}

extension OpenIDHTTPRequest: RedactedDescription {
    package var shownAs: String { "HTTP request" }
}
