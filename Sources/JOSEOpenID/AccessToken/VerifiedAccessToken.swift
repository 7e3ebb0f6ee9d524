// A verified access token and the key or certificate that it is bound to.

public import JOSE
import JOSEBytes

/// A JWT access token (RFC 9068). A `ResourceServer` verified the token, and that the sender may
/// use it.
public struct VerifiedAccessToken: Sendable {
    /// The token with its header and all claims.
    public let token: VerifiedJWT
    /// `iss`: the issuer.
    public var issuer: String { token.issuer ?? "" }
    /// `sub`: the user; the client's ID if there is no user.
    public let subject: String
    /// `client_id`: the client that got the token.
    public let clientID: String
    /// The values of `scope`.
    public let scopes: [String]
    /// `cnf`: the key or certificate that the token is bound to.
    public let binding: TokenBinding
    /// The value for the response header `DPoP-Nonce`; nil if no new nonce is needed.
    public internal(set) var nextNonce: String?

    package init(_ token: VerifiedJWT) throws(JOSEError) {
        let document = token.document
        func text(_ name: StaticString) throws(JOSEError) -> String? {
            guard let index = document.member(name) else { return nil }
            guard let value = document.string(at: index) else {
                throw .claimRejected(name.description, "it is not a string")
            }
            return value
        }
        guard let subject = try text("sub"), !subject.isEmpty else {
            throw .claimRejected("sub", "it is missing")
        }
        guard let client = try text("client_id"), !client.isEmpty else {
            throw .claimRejected("client_id", "it is missing")
        }
        let scopes = try text("scope")?.words ?? []
        let binding = try TokenBinding(document)
        self.token = token
        self.subject = subject
        clientID = client
        self.scopes = scopes
        self.binding = binding
    }

    /// `auth_time`: when the user authenticated.
    public var authenticatedAt: NumericDate? {
        token.document.member("auth_time").flatMap { token.document.date(at: $0) }
    }
    /// `acr`: the authentication context class reference.
    public var acr: String? {
        token.document.member("acr").flatMap { token.document.string(at: $0) }
    }

    /// Returns a claim by name.
    public subscript(name: String) -> JSONValue? { token[name] }

    /// Decodes the claims into a type.
    ///
    /// - Throws: `claimRejected` with the claim that has another type.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try token.decode(type)
    }
}

extension VerifiedAccessToken: RedactedDescription {}
