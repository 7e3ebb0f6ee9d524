// The registration of a client at a provider.

public import JOSE

/// The registration of a client at a provider.
public struct ClientRegistration: Sendable {
    /// The identifier that the client sends as `client_id`.
    public var clientID: String
    /// The redirect URIs, compared byte for byte.
    public var redirectURIs: [String]
    /// The redirect URIs of each service code, for a profile with
    /// `authorization.requiresServiceScope`. Each must be in `redirectURIs` too.
    ///
    /// If empty, every service may use all of `redirectURIs`. Otherwise a request for
    /// `service:<code>` must have a URI that is listed for the code; a code without an entry has
    /// none. For another URI, `receiveAuthorizationRequest` throws `claimRejected` with
    /// `redirect_uri` and does not redirect.
    public var serviceRedirectURIs: [String: [String]] = [:]
    /// The URIs from which request objects may be fetched, compared byte for byte.
    public var requestURIs: [String]
    /// Rules for further URIs from which request objects may be fetched; one match is enough.
    public var requestURIRules: [RequestURIRule] = []
    /// The URIs that an unsigned request may have as `app_switch_url`, compared byte for byte.
    public var appSwitchURIs: [String] = []
    /// The secret, for a profile with HTTP Basic; nil for a public client.
    public var secret: ClientSecret?
    /// Whether the secret is sent in the form (`client_secret_post` as
    /// `token_endpoint_auth_method`) instead of HTTP Basic, for a profile with
    /// `client.allowsSecretInForm`.
    public var sendsSecretInForm = false
    /// The client's own rules, if they differ from the provider's: its authentication, the layers
    /// and algorithms of its tokens, its required parameters. The provider's metadata must support
    /// them.
    public var profile: OpenIDProfile?
    /// `dpop_bound_access_tokens`: whether every token request must have a DPoP proof (RFC 9449,
    /// 5.2).
    public var bindsAccessTokens = false
    /// The resource identifiers of this client, in addition to its `client_id`. Introspection
    /// describes only access tokens for these (RFC 9701, 3).
    public var resources: [String] = []
    /// The scopes that the client may request with its own credentials (RFC 6749, 4.4), for a
    /// profile with `accessToken.hasClientCredentials`; nil if it may not use this grant.
    public var clientCredentialsScopes: [String]?
    /// The URIs to return to after a logout, compared byte for byte (RP-Initiated Logout 1.0, 3.1).
    public var postLogoutRedirectURIs: [String] = []
    /// The key management algorithms that the client accepts; nil for all algorithms of the
    /// profile.
    public var keyManagement: [KeyManagementAlgorithm]?

    /// Whether this client must push its requests (`require_pushed_authorization_requests`, RFC
    /// 9126, 6).
    public var requiresPushedRequests = false
    /// Whether this client must send signed request objects (`require_signed_request_object`, RFC
    /// 9101, 10.5).
    public var requiresSignedRequestObject = false
    /// The registration for backchannel authentication; nil if the client does not use it.
    public var backchannel: BackchannelRegistration?
    /// The algorithm of JARM responses for this client (`authorization_signed_response_alg`, JARM,
    /// 3); nil for the first of the profile that a key of the provider supports.
    public var jarmAlgorithm: SignatureAlgorithm?

    /// Creates a registration; see the properties.
    public init(
        clientID: String, redirectURIs: [String], requestURIs: [String] = [],
        secret: ClientSecret? = nil
    ) {
        self.clientID = clientID
        self.redirectURIs = redirectURIs
        self.requestURIs = requestURIs
        self.secret = secret
    }
}
