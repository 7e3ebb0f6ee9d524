// What a provider knows about a client: its identifier, URIs, secret and own rules.

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
    /// If the dictionary is empty, every service may use all of `redirectURIs`. Otherwise a request
    /// for `service:<code>` must use a URI that is listed for this code. A code without an entry
    /// has no redirect URI. For any other URI, `receiveAuthorizationRequest` throws `claimRejected`
    /// with `redirect_uri` and does not redirect.
    public var serviceRedirectURIs: [String: [String]] = [:]
    /// The URIs from which request objects may be fetched, compared byte for byte.
    public var requestURIs: [String]
    /// Rules for further URIs of request objects. A URI outside `requestURIs` must match one rule.
    public var requestURIRules: [RequestURIRule] = []
    /// The URIs that an unsigned request may have as `app_switch_url`, compared byte for byte.
    public var appSwitchURIs: [String] = []
    /// The client secret, for HTTP Basic or `sendsSecretInForm`; nil for other clients.
    public var secret: ClientSecret?
    /// Whether the client sends its secret in the form (`client_secret_post`) instead of HTTP
    /// Basic. The profile must have `client.allowsSecretInForm`.
    public var sendsSecretInForm = false
    /// The client's own rules, if they differ from the provider's. They concern its authentication,
    /// the layers and algorithms of its tokens, and its required parameters. The provider's
    /// metadata must support them.
    public var profile: OpenIDProfile?
    /// Whether every token request must have a DPoP proof (`dpop_bound_access_tokens`, RFC 9449,
    /// 5.2).
    public var bindsAccessTokens = false
    /// The identifiers of this client as a resource server, in addition to its `client_id`.
    /// Introspection describes only access tokens whose `aud` has one of them (RFC 9701, 3).
    public var resources: [String] = []
    /// The scopes that the client may request with the client credentials grant (RFC 6749, 4.4);
    /// nil if it may not use the grant. The profile must have `accessToken.hasClientCredentials`.
    public var clientCredentialsScopes: [String]?
    /// The URIs to return to after a logout, compared byte for byte (RP-Initiated Logout 1.0, 3.1).
    public var postLogoutRedirectURIs: [String] = []
    /// The key management algorithms that the client accepts in encrypted responses; nil for all
    /// algorithms of the profile.
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
    /// 3). If nil, the first key of the provider that can sign decides, with the profile's first
    /// algorithm for that key.
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
