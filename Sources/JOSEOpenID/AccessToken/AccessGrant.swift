// The contents of an access token.

public import JOSE
import JOSEBytes

/// The contents of a JWT access token (RFC 9068, 2.2). The provider adds `iss`, `client_id`, `iat`,
/// `exp` and `jti`.
public struct AccessGrant: Sendable {
    /// `sub`: the user; the client's ID if there is no user.
    public var subject: String
    /// `aud`: the resources that the token is for, such as the request's `resource`; at least one.
    public var audience: [String]
    /// What the token allows (RFC 6749, 3.3).
    public var scopes: [String]
    /// `cnf`: the binding, such as `ReceivedTokenRequest.keyThumbprint`.
    public var binding: TokenBinding
    /// `auth_time`: when the user authenticated.
    public var authenticatedAt: NumericDate?
    /// `acr`: the level of the authentication.
    public var acr: String?
    /// `amr`: the methods of the authentication.
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
