// The proof that an access token was verified, with everything that it is bound to.

public import JOSE
import JOSEBytes

/// A JWT access token that was accepted, and whose bearer proved to be the one it is for (RFC 9068); only a `ResourceServer`
/// makes one.
public struct VerifiedAccessToken: Sendable {
    /// The verified token.
    public let token: VerifiedJWT
    /// `sub`: whose resources it opens; the client itself where no user is.
    public let subject: String
    /// `client_id`: who got it.
    public let clientID: String
    /// `scope`, as words.
    public let scopes: [String]
    /// `cnf`: what it is bound to.
    public let binding: TokenBinding
    /// The value of the header `DPoP-Nonce` to answer with; nil where there is nothing new to say.
    public internal(set) var nextNonce: String?

    /// - Throws: `claimRejected` with the claim that is of another type, or is another kind of token's.
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
    /// `acr`: how.
    public var acr: String? {
        token.document.member("acr").flatMap { token.document.string(at: $0) }
    }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { token[name] }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try token.decode(type)
    }
}

extension VerifiedAccessToken: RedactedDescription {
    package var shownAs: String { "access token" }
}
