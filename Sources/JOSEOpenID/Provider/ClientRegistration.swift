// What a provider knows of one of its clients.

public import JOSE

/// A client as it is registered at a provider.
public struct ClientRegistration: Sendable {
    /// The `client_id`.
    public var clientID: String
    /// The addresses that the browser may be sent back to; compared byte for byte.
    public var redirectURIs: [String]
    /// The redirect URIs of each service code, for a profile whose
    /// `authorization.requiresServiceScope` is true. Each of them is in `redirectURIs` too.
    ///
    /// If the table is empty, every service may use all of `redirectURIs`. Otherwise a request
    /// for `service:<code>` must name a URI that is listed for its code, and a code without an
    /// entry has none. Nothing is redirected to the URI of another service: `receive` throws, for
    /// a request without another mistake `claimRejected` with `redirect_uri`.
    public var serviceRedirectURIs: [String: [String]] = [:]
    /// The addresses from which request objects may be fetched; compared byte for byte.
    public var requestURIs: [String]
    /// Rules for further addresses from which request objects may be fetched; one that admits an address is enough.
    public var requestURIRules: [RequestURIRule] = []
    /// The addresses of its app that a request which nobody signed may name as `app_switch_url`; compared byte for byte.
    public var appSwitchURIs: [String] = []
    /// The secret, where the profile uses HTTP Basic; a public client has none.
    public var secret: ClientSecret?
    /// Whether the secret comes in the form (`client_secret_post` as `token_endpoint_auth_method`)
    /// and not by HTTP Basic, for a profile whose `client.allowsSecretInForm` is true. A client has
    /// one of the two.
    public var sendsSecretInForm = false
    /// The rules for this client where they are others than the provider's: how it proves itself, the layers and algorithms of
    /// its tokens, what it must ask for. The provider's metadata must offer them.
    public var profile: OpenIDProfile?
    /// `dpop_bound_access_tokens`: whether every token request of the client brings a proof of possession (RFC 9449, 5.2).
    public var bindsAccessTokens = false
    /// The names of the resource that the client serves, besides its `client_id`: introspection tells it of access tokens for these
    /// alone (RFC 9701, 3).
    public var resources: [String] = []
    /// The key management algorithms that the client registered for what it receives; nil for all of the profile.
    public var keyManagement: [KeyManagementAlgorithm]?

    /// Whether this client must push its requests (`require_pushed_authorization_requests`, RFC 9126, 6).
    public var requiresPushedRequests = false
    /// Whether this client's requests must travel in signed objects (`require_signed_request_object`, RFC 9101, 10.5).
    public var requiresSignedRequestObject = false
    /// How this client asks for its users without a browser; nil for one that does not.
    public var backchannel: BackchannelRegistration?
    /// By which algorithm answers at the redirect address are signed for this client (`authorization_signed_response_alg`,
    /// JARM, 3); nil for the first of the profile that a key of the provider has.
    public var jarmAlgorithm: SignatureAlgorithm?

    /// A registration.
    ///
    /// - Parameters:
    ///   - clientID: The `client_id`.
    ///   - redirectURIs: The addresses that the browser may be sent back to; compared byte for byte.
    ///   - requestURIs: The addresses from which request objects may be fetched; compared byte for byte.
    ///   - secret: The secret, where the profile uses HTTP Basic.
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
