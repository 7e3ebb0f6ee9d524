// What a provider grants by an access token.

public import JOSE
import JOSEBytes

/// The contents of a JWT access token (RFC 9068, 2.2) beside what the provider adds: `iss`, `client_id`, `iat`, `exp`, `jti`.
public struct AccessGrant: Sendable {
    /// `sub`: whose resources it opens; the client's name where no user is.
    public var subject: String
    /// `aud`: the resources that it is for, such as the `resource` parameters of the request; one at the least.
    public var audience: [String]
    /// `scope`.
    public var scopes: [String]
    /// `cnf`: what it is bound to, such as `ReceivedTokenRequest.keyThumbprint`.
    public var binding: TokenBinding
    /// `auth_time`: when the user authenticated.
    public var authenticatedAt: NumericDate?
    /// `acr`: how.
    public var acr: String?
    /// `amr`: by what.
    public var methods: [String] = []

    /// A grant.
    ///
    /// - Parameters:
    ///   - subject: `sub`: whose resources it opens; the client's name where no user is.
    ///   - audience: `aud`: the resources that it is for; one at the least.
    ///   - scopes: `scope`.
    ///   - binding: What it is bound to.
    public init(
        subject: String, audience: [String], scopes: [String] = [],
        binding: TokenBinding = TokenBinding()
    ) {
        self.subject = subject
        self.audience = audience
        self.scopes = scopes
        self.binding = binding
    }
}

extension AccessGrant: RedactedDescription {
    package var shownAs: String { "access grant" }
}
