// The contents of an access token.

public import JOSE
import JOSEBytes

/// The contents of a JWT access token that a provider issues (RFC 9068, 2.2). The library adds
/// `iss`, `client_id`, `iat`, `exp` and `jti`.
public struct AccessGrant: Sendable {
    /// `sub`: the user; the client's ID if there is no user.
    public var subject: String
    /// `aud`: the resources that accept the token, such as the request's `resource`; at least one.
    public var audience: [String]
    /// What the token allows (RFC 6749, 3.3).
    public var scopes: [String]
    /// `cnf`: the key or certificate that the token is bound to.
    public var binding: TokenBinding
    /// `auth_time`: when the user authenticated.
    public var authenticatedAt: NumericDate?
    /// `acr`: the authentication context class reference.
    public var acr: String?
    /// `amr`: the authentication methods.
    public var methods: [String] = []

    /// Creates a grant; see the properties.
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

extension AccessGrant: RedactedDescription {}
