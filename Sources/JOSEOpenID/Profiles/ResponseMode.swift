// How the answer at the redirect address comes back: plain, or as a signed token (JARM).

import JOSE

/// How the answer comes back (`response_mode`).
public enum ResponseMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// In the query of a redirect.
    case query
    /// As a form that the browser posts.
    case formPost = "form_post"
    /// Signed, in the way that is usual for a code: as `queryJWT`.
    case jwt
    /// Signed, in the query of a redirect.
    case queryJWT = "query.jwt"
    /// Signed, in the fragment of a redirect, which a script of the client's page hands on.
    case fragmentJWT = "fragment.jwt"
    /// Signed, as a form that the browser posts.
    case formPostJWT = "form_post.jwt"

    /// The mode of a word; nil for another, compared by its bytes.
    public init?(rawValue: String) {
        guard let mode = Self.allCases.first(where: { $0.rawValue.isExactly(rawValue) }) else {
            return nil
        }
        self = mode
    }

    /// What the browser carries the answer in.
    public enum Carrier: Sendable, Hashable {
        /// The query of the address.
        case query
        /// The fragment of the address: no server sees it.
        case fragment
        /// The body of a post.
        case form
    }

    /// What the browser carries the answer in.
    public var carrier: Carrier {
        switch self {
        case .query, .jwt, .queryJWT: .query
        case .fragmentJWT: .fragment
        case .formPost, .formPostJWT: .form
        }
    }

    /// Whether the answer is one signed token in the parameter `response` (JWT Secured Authorization Response Mode).
    public var isSigned: Bool {
        switch self {
        case .query, .formPost: false
        case .jwt, .queryJWT, .fragmentJWT, .formPostJWT: true
        }
    }
}
