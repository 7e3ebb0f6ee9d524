// The request to the UserInfo endpoint, ready for any HTTP client.

import JOSE
import JOSEBytes

/// A request to the UserInfo endpoint: method, address, headers and body (OpenID Connect Core, 5.3.1).
public struct UserInfoRequest: Sendable {
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
    /// The UserInfo endpoint.
    public let url: String
    /// The headers to send.
    public let headers: [OpenIDParameter]
    /// The body; empty for a GET.
    public let body: String

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

extension UserInfoRequest: RedactedDescription {
    package var shownAs: String { "UserInfo request" }
}
