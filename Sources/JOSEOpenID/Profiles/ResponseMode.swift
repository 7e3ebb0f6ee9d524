// Response modes: how an authorization response is returned.

import JOSE

/// How an authorization response is returned (`response_mode`).
public enum ResponseMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// In the query of a redirect.
    case query
    /// As a form that the browser posts.
    case formPost = "form_post"
    /// Signed (JARM), in the default mode of the code flow: as `queryJWT`.
    case jwt
    /// Signed, in the query of a redirect.
    case queryJWT = "query.jwt"
    /// Signed, in the fragment of a redirect, for a script of the client's page.
    case fragmentJWT = "fragment.jwt"
    /// Signed, as a form that the browser posts.
    case formPostJWT = "form_post.jwt"

    /// Creates a mode from its identifier, compared byte for byte; nil for an unknown one.
    public init?(rawValue: String) {
        guard let mode = Self.allCases.first(where: { $0.rawValue.isExactly(rawValue) }) else {
            return nil
        }
        self = mode
    }

    /// The part of an HTTP message that carries the response.
    public enum Carrier: Sendable, Hashable {
        /// The query of the redirect URI.
        case query
        /// The fragment of the redirect URI, which browsers do not send to servers.
        case fragment
        /// The body of a POST request.
        case form
    }

    /// The part of an HTTP message that carries the response.
    public var carrier: Carrier {
        switch self {
        case .query, .jwt, .queryJWT: .query
        case .fragmentJWT: .fragment
        case .formPost, .formPostJWT: .form
        }
    }

    /// Whether the response is one signed token in the parameter `response` (JARM).
    public var isSigned: Bool {
        switch self {
        case .query, .formPost: false
        case .jwt, .queryJWT, .fragmentJWT, .formPostJWT: true
        }
    }
}
