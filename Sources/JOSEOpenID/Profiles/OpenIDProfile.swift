// What one identity provider asks of the messages: a plain value whose members say every rule.

public import JOSE
import JOSEBytes

/// The rules of an identity provider, for its relying parties and for itself.
///
/// Start from a preset such as `.itsme2` and change members; nothing looks at the name. A time or a count out of its range
/// is `misuse` where a relying party or a provider is made of it.
public struct OpenIDProfile: Sendable {
    /// For people.
    public var name: String
    /// The algorithms of all tokens of both sides.
    public var algorithms: AlgorithmRules
    /// What an authorization request may and must say.
    public var authorization: AuthorizationRules
    /// How requests travel in a signed object.
    public var requestObject: RequestObjectRules
    /// How a client proves who it is at the token endpoint.
    public var client: ClientRules
    /// What an ID Token must be and say.
    public var idToken: IDTokenRules
    /// What a UserInfo answer must be and say.
    public var userInfo: UserInfoRules
    /// How requests are pushed before the browser is sent.
    public var pushedRequests = PushedRequestRules()
    /// How a user is asked for without a browser.
    public var backchannel = BackchannelRules()
    /// What an answer at the redirect address must be where it is a signed token.
    public var jarm = JARMRules()
    /// What access tokens are, and what they are bound to.
    public var accessToken = AccessTokenRules()
    /// What introspection answers are.
    public var introspection = IntrospectionRules()
    /// What a logout token must be.
    public var logout = LogoutTokenRules()
    /// What is demanded of the certificates in a key set before a side publishes it.
    public var publishedCertificates = PublishedCertificateRule.any
    /// Bounds on tokens and answers.
    public var limits = JOSELimits.standard
    /// How far clocks may differ; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }

    /// A profile of these rules.
    ///
    /// - Parameters:
    ///   - name: For people.
    ///   - algorithms: The algorithms of all tokens of both sides.
    ///   - authorization: What an authorization request may and must say.
    ///   - requestObject: How requests travel in a signed object.
    ///   - client: How a client proves who it is at the token endpoint.
    ///   - idToken: What an ID Token must be and say.
    ///   - userInfo: What a UserInfo answer must be and say.
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
    /// The algorithms of ID Tokens: the profile's, or HS256 alone.
    var idTokenAlgorithms: AlgorithmRules {
        var rules = algorithms
        if idToken.signature == .clientSecretHS256 { rules.signature = [.hs256] }
        return rules
    }

    /// Throws `misuse` for a provider that would sign ID Tokens by the secrets of its clients.
    func checkSignsByKey() throws(JOSEError) {
        guard idToken.signature == .providerKey else {
            throw .misuse("a provider signs ID Tokens by a key of its own (idToken.signature)")
        }
    }
}

extension OpenIDProfile: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// Which layers a token has.
public enum TokenLayers: Sendable, Hashable {
    /// Signed.
    case signed
    /// Signed, then encrypted for the reader.
    case signedThenEncrypted
}

/// The only algorithms that are used and accepted, the preferred first.
public struct AlgorithmRules: Sendable {
    /// For signatures.
    public var signature: [SignatureAlgorithm]
    /// For the keys of encrypted tokens.
    public var keyManagement: [KeyManagementAlgorithm]
    /// For the content of encrypted tokens.
    public var content: [ContentEncryptionAlgorithm]
    /// What happens to an encrypted token that names no key.
    public var missingKeyID: MissingKeyIDRule

    /// These algorithms.
    ///
    /// - Parameters:
    ///   - signature: For signatures.
    ///   - keyManagement: For the keys of encrypted tokens.
    ///   - content: For the content of encrypted tokens.
    ///   - missingKeyID: What happens to an encrypted token that names no key.
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

/// Whom a message of the client is for: its `aud`.
public enum MessageAudience: Sendable, Hashable {
    /// The authorization endpoint of the metadata.
    case authorizationEndpoint
    /// The token endpoint of the metadata.
    case tokenEndpoint
    /// The pushed authorization request endpoint of the metadata; the issuer where there is none.
    case pushedRequestEndpoint
    /// The backchannel authentication endpoint of the metadata; the issuer where there is none.
    case backchannelEndpoint
    /// The issuer.
    case issuer
    /// This text.
    case exactly(String)
}

extension MessageAudience {
    /// The same audience, byte for byte.
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

/// How a client proves who it is at the token endpoint.
public enum ClientAuthentication: Sendable, Hashable {
    /// A client assertion (`private_key_jwt`) with these layers.
    case assertion(TokenLayers)
    /// A secret in the HTTP Basic header (`client_secret_basic`).
    case basic
    /// Nothing but its `client_id` (`none`): a native app, which can keep no secret (RFC 8252,
    /// 8.4).
    ///
    /// What protects its codes is the code challenge, which such a client must send, and its
    /// redirect URI. A provider gives its rules to such a client alone
    /// (`ClientRegistration.profile`), and lists them when it writes its metadata.
    case publicClient

    /// The word of the metadata.
    public var method: String {
        switch self {
        case .assertion: "private_key_jwt"
        case .basic: "client_secret_basic"
        case .publicClient: "none"
        }
    }

    /// A secret in the form (RFC 6749, 2.3.1).
    static let secretInForm = "client_secret_post"

    /// Whether the client proves itself by assertions.
    var isAssertion: Bool { if case .assertion = self { true } else { false } }
}

/// The rules for the token request.
public struct ClientRules: Sendable {
    /// How the client proves who it is.
    public var authentication: ClientAuthentication
    /// The header of a client assertion.
    public var header = TokenHeaderRules(registered: "client-authentication+jwt")
    /// Whether we form-encode both parts of an HTTP Basic header (RFC 6749, 2.3.1); false for a provider that does not undo
    /// it. A provider takes either.
    public var encodesBasic = true
    /// Whether a token request has `client_id` in its form too.
    public var sendsClientID = false
    /// The `aud` of a client assertion at the token endpoint: the issuer, unless the provider's
    /// guide prints another.
    ///
    /// An assertion for an endpoint's URL is a risk: a hostile provider whose metadata name the
    /// endpoint of an honest one collects assertions that the honest one accepts (CVE-2025-27370).
    /// Nobody but the provider has its issuer. An endpoint's URL is sent to that endpoint alone,
    /// and `.exactly` to the token endpoint alone: elsewhere our assertions name the issuer, and a
    /// provider of this library expects the same.
    public var audience: MessageAudience = .issuer
    /// What a provider accepts for its `aud` at the token endpoint besides, such as
    /// `.tokenEndpoint`.
    ///
    /// An endpoint's URL is accepted only where it is alone and a string.
    public var otherAudiences: [MessageAudience] = []
    /// Whether that `aud` must be a string, and no array with one in it.
    public var audienceIsString = false
    /// Whether the secret may travel in the form (`client_secret_post`) to a provider whose
    /// metadata list that and not `client_secret_basic`.
    public var allowsSecretInForm = false
    /// Whether a relying party is registered for `client_secret_post`: then its secret travels in
    /// the form, also where the metadata list `client_secret_basic` too or no method at all. At a
    /// provider the registration of each client says it (`ClientRegistration.sendsSecretInForm`).
    public var sendsSecretInForm = false
    /// How long a client assertion that we make lives; whole seconds, at least 1.
    public var assertionLifetime = Duration.seconds(300)
    var assertionLifetimeSeconds: Int { assertionLifetime.wholeSeconds }
    /// How far ahead of now the `exp` of an assertion may be; 0 to 600 whole seconds.
    public var assertionHorizon = Duration.seconds(600)
    var assertionHorizonSeconds: Int { assertionHorizon.wholeSeconds }
    /// How long an authorization code lives; whole seconds, at least 1.
    public var codeLifetime = Duration.seconds(180)
    var codeLifetimeSeconds: Int { codeLifetime.wholeSeconds }

    /// Rules with the defaults.
    public init(authentication: ClientAuthentication) { self.authentication = authentication }

    /// How a client may prove itself, in the identifiers of the metadata.
    var methods: [String] {
        [authentication.method]
            + (authentication == .basic && (allowsSecretInForm || sendsSecretInForm)
                ? [ClientAuthentication.secretInForm] : [])
    }
}

/// Whose key signs ID Tokens.
public enum IDTokenSignature: Sendable, Hashable {
    /// A private key of the provider, by the profile's algorithms.
    case providerKey
    /// The client secret, by HS256 and nothing else (OpenID Connect Core, 3.1.3.7, step 8), as with
    /// LINE.
    ///
    /// For relying parties: everyone that knows the secret can make such a token, so a provider of
    /// this library makes none. The secret has at least 32 bytes (RFC 7518, 3.2). No public-key
    /// algorithm is accepted for an ID Token then.
    case clientSecretHS256
}

/// What an ID Token must be and say.
public struct IDTokenRules: Sendable {
    /// The layers.
    public var layers: TokenLayers
    /// The header.
    public var header = TokenHeaderRules()
    /// Claims that must be there.
    public var requiredClaims = ["iss", "sub", "aud", "exp", "iat"]
    /// Audiences besides the client that an ID Token or a logout token may name in `aud`, and that
    /// `azp` may be (OpenID Connect Core, 3.1.3.7); none by default.
    public var trustedAudiences: [String] = []
    /// Claims that this provider never writes. One that comes all the same rejects nothing, and must fit where it can be
    /// compared, as `azp` and `at_hash` can.
    public var omittedClaims: [String] = []
    /// The longest life; whole seconds, at least 1.
    public var maxLifetime = Duration.seconds(86_400)
    var maxLifetimeSeconds: Int { maxLifetime.wholeSeconds }
    /// How long a token that we issue lives; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// Whose key signs.
    public var signature = IDTokenSignature.providerKey
    /// Whether `at_hash` must be there; where it is there it must always fit.
    public var requiresAccessTokenHash = false
    /// Whether `c_hash` must be there; where it is there it must always fit.
    public var requiresCodeHash = false
    /// Whether each client, or those of one sector, reads a `sub` of its own (OpenID Connect Core,
    /// 8); else all read the same. The provider's user store decides it, the metadata state it.
    public var hasPairwiseSubjects = false
    /// The exact number of characters of `sub`, 1 to 255; nil for any.
    public var subjectCharacterCount: Int?

    /// Rules with the defaults.
    public init(layers: TokenLayers) { self.layers = layers }
}

/// What a UserInfo answer must be and say.
public struct UserInfoRules: Sendable {
    /// The layers; nil for plain JSON, as it came over TLS.
    public var layers: TokenLayers?
    /// The header, where there are layers.
    public var header = TokenHeaderRules()
    /// Media types of such a response besides the registered one. The body is read by `layers` in every case.
    public var otherMediaTypes: [String] = []
    /// Claims that must be there; `iss` and `aud` must fit wherever they are.
    public var requiredClaims = ["sub"]
    /// Whether a signed answer must have `iss` and `aud` (OpenID Connect Core, 5.3.2), which show
    /// that it is of this provider and for this client. False for a provider whose guide prints
    /// answers without them.
    public var requiresIssuerAndAudience = true
    /// Claims that no such answer has: those tell of an ID Token, which must not pass for one (RFC 8725, 3.12).
    public var absentClaims = ["nonce", "at_hash", "c_hash"]
    /// The provider's names for what `UserClaims` can tell, of a UserInfo answer and of an ID Token.
    public var names = ClaimNames()
    /// Which claims the scopes ask for.
    public var scopeClaims = ScopeClaims.openID

    /// Rules with the defaults.
    public init(layers: TokenLayers?) { self.layers = layers }

    /// `application/jwt` where there are layers, `application/json` where there are none (OpenID Connect Core, 5.3.2).
    var mediaType: String { layers == nil ? "application/json" : "application/jwt" }

    /// The media types that a party reads, and so asks for: the registered one first.
    var acceptedMediaTypes: [String] { [mediaType] + otherMediaTypes }
}
