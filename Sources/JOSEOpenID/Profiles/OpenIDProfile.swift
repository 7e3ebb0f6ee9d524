// A profile: all rules of an identity provider as one value.

public import JOSE
import JOSEBytes

/// The rules of an identity provider, for its relying parties and for the provider itself.
///
/// Start from a preset such as `.itsme2` and change members. A time or count out of its range is
/// `misuse` when you create a relying party or a provider.
public struct OpenIDProfile: Sendable {
    /// A name for logs; it has no other effect.
    public var name: String
    /// The algorithms of all tokens.
    public var algorithms: AlgorithmRules
    /// The rules for authorization requests.
    public var authorization: AuthorizationRules
    /// The rules for request objects (RFC 9101).
    public var requestObject: RequestObjectRules
    /// The rules for client authentication and token requests.
    public var client: ClientRules
    /// The rules for ID Tokens.
    public var idToken: IDTokenRules
    /// The rules for UserInfo responses.
    public var userInfo: UserInfoRules
    /// The rules for pushed authorization requests.
    public var pushedRequests = PushedRequestRules()
    /// The rules for backchannel authentication (CIBA).
    public var backchannel = BackchannelRules()
    /// The rules for JWT-secured authorization responses.
    public var jarm = JARMRules()
    /// The rules for access and refresh tokens.
    public var accessToken = AccessTokenRules()
    /// The rules for introspection responses.
    public var introspection = IntrospectionRules()
    /// The rules for logout tokens.
    public var logout = LogoutTokenRules()
    /// The requirements for the certificates of a published key set.
    public var publishedCertificates = PublishedCertificateRule.any
    /// Limits for tokens and responses.
    public var limits = JOSELimits.standard
    /// Whether the issuer and its URLs may use `http` with `127.0.0.1`, `[::1]` or `localhost`. For
    /// development with a local provider only.
    ///
    /// All other URLs still need `https`, as do all endpoints of an https issuer. The library does
    /// not resolve `localhost`: the HTTP client must connect to loopback addresses only, as
    /// `CurlTransport` does with the address policy `loopbackAddresses`.
    public var allowsLoopbackHTTP = false
    /// The tolerated clock difference; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }

    /// Creates a profile with these properties and default values for the others; see the
    /// properties.
    public init(
        name: String, algorithms: AlgorithmRules, authorization: AuthorizationRules,
        requestObject: RequestObjectRules, client: ClientRules, idToken: IDTokenRules,
        userInfo: UserInfoRules
    ) {
        self.name = name
        self.algorithms = algorithms
        self.authorization = authorization
        self.requestObject = requestObject
        self.client = client
        self.idToken = idToken
        self.userInfo = userInfo
    }
}

extension OpenIDProfile {
    /// The algorithms of ID Tokens: the profile's, or only HS256.
    var idTokenAlgorithms: AlgorithmRules {
        var rules = algorithms
        if idToken.signature == .clientSecretHS256 { rules.signature = [.hs256] }
        return rules
    }

    func checkSignsByKey() throws(JOSEError) {
        guard idToken.signature == .providerKey else {
            throw .misuse("a provider must sign ID Tokens with its own key (idToken.signature)")
        }
    }
}

extension OpenIDProfile: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// Whether a token is signed, or signed and then encrypted.
public enum TokenLayers: Sendable, Hashable {
    /// Only signed (JWS).
    case signed
    /// Signed, then encrypted with a key of the recipient (a JWS inside a JWE).
    case signedThenEncrypted
}

/// The accepted algorithms, the preferred first. All others are rejected.
public struct AlgorithmRules: Sendable {
    /// Signature algorithms of signed tokens, such as ID Tokens and request objects.
    public var signature: [SignatureAlgorithm]
    /// Key management algorithms of encrypted tokens.
    public var keyManagement: [KeyManagementAlgorithm]
    /// Content encryption algorithms of encrypted tokens.
    public var content: [ContentEncryptionAlgorithm]
    /// The rule for an encrypted token without `kid`.
    public var missingKeyID: MissingKeyIDRule

    /// Creates rules; see the properties.
    public init(
        signature: [SignatureAlgorithm], keyManagement: [KeyManagementAlgorithm],
        content: [ContentEncryptionAlgorithm], missingKeyID: MissingKeyIDRule = .requireUnique
    ) {
        self.signature = signature
        self.keyManagement = keyManagement
        self.content = content
        self.missingKeyID = missingKeyID
    }
}

/// The audience of a client's message: its `aud`.
public enum MessageAudience: Sendable, Hashable {
    /// The authorization endpoint of the metadata.
    case authorizationEndpoint
    /// The token endpoint of the metadata.
    case tokenEndpoint
    /// The pushed authorization request endpoint of the metadata, or the issuer if there is none.
    case pushedRequestEndpoint
    /// The backchannel authentication endpoint of the metadata, or the issuer if there is none.
    case backchannelEndpoint
    /// The provider's issuer identifier.
    case issuer
    /// Exactly this string.
    case exactly(String)
}

extension MessageAudience {
    /// Compares audiences, strings byte for byte.
    public static func == (a: MessageAudience, b: MessageAudience) -> Bool {
        switch (a, b) {
        case (.authorizationEndpoint, .authorizationEndpoint), (.tokenEndpoint, .tokenEndpoint),
            (.issuer, .issuer), (.pushedRequestEndpoint, .pushedRequestEndpoint),
            (.backchannelEndpoint, .backchannelEndpoint):
            true
        case (.exactly(let a), .exactly(let b)): a.isExactly(b)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .authorizationEndpoint: hasher.combine(0)
        case .tokenEndpoint: hasher.combine(1)
        case .issuer: hasher.combine(2)
        case .pushedRequestEndpoint: hasher.combine(3)
        case .backchannelEndpoint: hasher.combine(4)
        case .exactly(let text): hasher.combine(ExactString(text))
        }
    }
}

/// The authentication method of a client at the token endpoint.
public enum ClientAuthentication: Sendable, Hashable {
    /// A client assertion (`private_key_jwt`) with these layers.
    case assertion(TokenLayers)
    /// A secret in the HTTP Basic header (`client_secret_basic`), or in the form if the rules allow
    /// it.
    case basic
    /// No authentication, only `client_id` (`none`): for native apps, which cannot keep a secret
    /// (RFC 8252, 8.4).
    ///
    /// The redirect URI and the required code challenge protect the client's codes. At a provider,
    /// set a profile with this method as `ClientRegistration.profile` of these clients. Pass it in
    /// `clientProfiles` when you create the metadata.
    case publicClient

    /// The method's name in metadata.
    public var method: String {
        switch self {
        case .assertion: "private_key_jwt"
        case .basic: "client_secret_basic"
        case .publicClient: "none"
        }
    }

    static let secretInForm = "client_secret_post"

    var isAssertion: Bool { if case .assertion = self { true } else { false } }
}

/// The rules for client authentication and token requests.
public struct ClientRules: Sendable {
    /// How the client authenticates: by assertion, by secret, or not at all.
    public var authentication: ClientAuthentication
    /// The header of a client assertion.
    public var header = TokenHeaderRules(registered: "client-authentication+jwt")
    /// Whether a client form-encodes both parts of an HTTP Basic header (RFC 6749, 2.3.1). False
    /// for providers that do not decode them. `OpenIDProvider` accepts both encodings.
    public var encodesBasic = true
    /// Whether the form of a token request always contains `client_id`.
    public var sendsClientID = false
    /// The `aud` of a client assertion at the token endpoint. Use the issuer unless the provider's
    /// guide prescribes another value.
    ///
    /// The URL of an endpoint is a risk: a hostile provider whose metadata contain an honest
    /// provider's endpoint can collect assertions that the honest one accepts (CVE-2025-27370). An
    /// issuer belongs to one provider. So the URL of an endpoint is sent only to this endpoint, and
    /// `.exactly` only to the token endpoint. At other endpoints the `aud` is the issuer.
    public var audience: MessageAudience = .issuer
    /// Further values for `aud` that a provider accepts at the token endpoint, such as
    /// `.tokenEndpoint`. Another endpoint accepts its own URL if it is listed here. Every `aud`
    /// must have one value, and only the issuer may be in an array.
    public var otherAudiences: [MessageAudience] = []
    /// Whether `aud` must be a string, not an array.
    public var audienceIsString = false
    /// Whether the secret may be sent in the form (`client_secret_post`) to a provider whose
    /// metadata contains that method and not `client_secret_basic`.
    public var allowsSecretInForm = false
    /// Whether a relying party is registered for `client_secret_post` and sends its secret in the
    /// form. If the metadata has a list of methods, `client_secret_post` must be in the list. At a
    /// provider, set `ClientRegistration.sendsSecretInForm`.
    public var sendsSecretInForm = false
    /// The lifetime of a client assertion; whole seconds, at least 1.
    public var assertionLifetime = Duration.seconds(300)
    var assertionLifetimeSeconds: Int { assertionLifetime.wholeSeconds }
    /// The maximum time from now to the `exp` of a received assertion; 0 to 600 whole seconds. No
    /// leeway is added.
    public var maxAssertionValidity = Duration.seconds(600)
    var maxAssertionValiditySeconds: Int { maxAssertionValidity.wholeSeconds }
    /// The lifetime of an authorization code; whole seconds, at least 1.
    public var codeLifetime = Duration.seconds(180)
    var codeLifetimeSeconds: Int { codeLifetime.wholeSeconds }

    /// Creates rules with the default values.
    public init(authentication: ClientAuthentication) { self.authentication = authentication }

    var methods: [String] {
        [authentication.method]
            + (authentication == .basic && (allowsSecretInForm || sendsSecretInForm)
                ? [ClientAuthentication.secretInForm] : [])
    }
}

/// The key that signs ID Tokens.
public enum IDTokenSignature: Sendable, Hashable {
    /// A private key of the provider, with the profile's algorithms.
    case providerKey
    /// The client secret with HS256 (OpenID Connect Core, 3.1.3.7, step 8), as LINE does.
    /// Public-key algorithms are then rejected for ID Tokens.
    ///
    /// For relying parties only: everyone who knows the secret can create such a token. The secret
    /// must have at least 32 bytes (RFC 7518, 3.2).
    case clientSecretHS256
}

/// What a provider writes into ID Tokens, and what a relying party requires of them.
public struct IDTokenRules: Sendable {
    /// The layers of the token.
    public var layers: TokenLayers
    /// The rules for the header.
    public var header = TokenHeaderRules()
    /// The claims that every ID Token must have.
    public var requiredClaims = ["iss", "sub", "aud", "exp", "iat"]
    /// Audiences in addition to the client that an ID Token or a logout token may have in `aud`,
    /// and as `azp` (OpenID Connect Core, 3.1.3.7).
    public var trustedAudiences: [String] = []
    /// Claims that this provider never writes. A relying party does not reject them, and checks
    /// those that it can compare, such as `azp` and `at_hash`.
    public var omittedClaims: [String] = []
    /// The maximum lifetime that is accepted; whole seconds, at least 1.
    public var maxLifetime = Duration.seconds(86_400)
    var maxLifetimeSeconds: Int { maxLifetime.wholeSeconds }
    /// The lifetime of a token that a provider issues; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// The key that signs.
    public var signature = IDTokenSignature.providerKey
    /// Whether `at_hash` is required. A wrong `at_hash` is always rejected.
    public var requiresAccessTokenHash = false
    /// Whether `c_hash` is required. A wrong `c_hash` is always rejected.
    public var requiresCodeHash = false
    /// Whether `sub` differs for each client or sector (OpenID Connect Core, 8). Only the metadata
    /// state it: your user store makes the subjects.
    public var hasPairwiseSubjects = false
    /// The exact length of `sub` in UTF-8 bytes, 1 to 255; nil for any.
    public var subjectCharacterCount: Int?

    /// Creates rules with the default values.
    public init(layers: TokenLayers) { self.layers = layers }
}

/// The rules for UserInfo responses.
public struct UserInfoRules: Sendable {
    /// The layers of the response; nil for plain JSON.
    public var layers: TokenLayers?
    /// The rules for the token's header.
    public var header = TokenHeaderRules()
    /// Further accepted media types. Only `layers` decides how the body is read.
    public var otherMediaTypes: [String] = []
    /// The required claims. A wrong `iss` or `aud` is always rejected.
    public var requiredClaims = ["sub"]
    /// Whether a signed response must have `iss` and `aud` (OpenID Connect Core, 5.3.2). They show
    /// that it is from this provider and for this client. False for providers whose guide prints
    /// responses without them.
    public var requiresIssuerAndAudience = true
    /// Forbidden claims, which belong to ID Tokens: an ID Token must not be accepted as UserInfo
    /// (RFC 8725, 3.12).
    public var absentClaims = ["nonce", "at_hash", "c_hash"]
    /// The provider's claim names for `UserClaims`, in UserInfo and in ID Tokens.
    public var names = ClaimNames()
    /// The claims that each scope requests.
    public var scopeClaims = ScopeClaims.openID

    /// Creates rules with default values for the other properties.
    public init(layers: TokenLayers?) { self.layers = layers }

    /// The registered media type (OpenID Connect Core, 5.3.2).
    var mediaType: String { layers == nil ? "application/json" : "application/jwt" }

    var acceptedMediaTypes: [String] { [mediaType] + otherMediaTypes }
}
