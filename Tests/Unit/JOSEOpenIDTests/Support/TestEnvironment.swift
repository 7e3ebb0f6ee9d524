// A relying party and a provider configured for each other, under one profile and one clock.

import JOSE
import JOSEOpenID
import Testing

struct TestEnvironment {
    static let issuer = "https://idp.example/v2"
    static let clientID = "client-1"
    static let redirectURI = "https://rp.example/callback"
    static let requestURI = "https://rp.example:443/objects/1"
    static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    static let secret = "s3cr:t & more/é"

    var profile: OpenIDProfile
    let metadata: ProviderMetadata
    let party: RelyingParty
    let provider: OpenIDProvider
    let client: RegisteredClient
    let store = MemoryReplayStore()
    /// Stored here too: the leak check does not see a key set through the enum in a verifier.
    private let providerKeys: PublicJWKSet

    init(
        _ profile: OpenIDProfile, partyKeys: JWKSet = TestKeys.party,
        providerKeys: JWKSet = TestKeys.provider, appSwitchURIs: [String] = [],
        additional: [String: JSONValue] = [:],
        pushed: (any PushedRequestStore)? = MemoryPushedRequestStore()
    ) throws {
        self.profile = profile
        self.providerKeys = try providerKeys.publicKeys
        metadata = try TestEnvironment.metadata(profile, additional)
        let secret =
            profile.client.authentication == .publicClient
            ? nil : ClientSecret(TestEnvironment.secret)
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: TestEnvironment.clientID,
            redirectURI: TestEnvironment.redirectURI, keys: partyKeys, secret: secret,
            appSwitchURIs: appSwitchURIs, providerKeys: self.providerKeys)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: providerKeys, replays: store,
            pushedRequests: pushed)
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [TestEnvironment.redirectURI],
            requestURIs: [TestEnvironment.requestURI], secret: secret)
        registration.appSwitchURIs = appSwitchURIs
        client = try provider.client(registration, keys: partyKeys.publicKeys)
    }

    static func metadata(
        _ profile: OpenIDProfile, _ additional: [String: JSONValue] = [:]
    ) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: "https://idp.example/v2/authorization",
            tokenEndpoint: "https://idp.example/v2/token",
            userInfoEndpoint: "https://idp.example/v2/userinfo",
            jwksURI: "https://idp.example/v2/jwkSet",
            pushedRequestEndpoint: "https://idp.example/v2/par", profile: profile,
            additional: additional)
    }

    static func party(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata,
        clientID: String = TestEnvironment.clientID,
        redirectURI: String = TestEnvironment.redirectURI, keys: JWKSet = TestKeys.party,
        secret: ClientSecret? = ClientSecret(TestEnvironment.secret),
        providerKeys: PublicJWKSet? = nil
    ) throws -> RelyingParty {
        try RelyingParty(
            profile: profile, metadata: metadata, clientID: clientID, redirectURI: redirectURI,
            keys: keys, secret: secret,
            providerKeys: providerKeys ?? TestKeys.provider.publicKeys)
    }

    static func fetching(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata,
        clientID: String = TestEnvironment.clientID,
        redirectURI: String = TestEnvironment.redirectURI, keys: JWKSet = TestKeys.party,
        secret: ClientSecret? = ClientSecret(TestEnvironment.secret), source: (any KeySource)? = nil
    ) throws -> RelyingParty {
        try RelyingParty(
            profile: profile, metadata: metadata, clientID: clientID, redirectURI: redirectURI,
            keys: keys, secret: secret,
            providerKeys: source ?? FetchedSet(set: TestKeys.provider.publicKeys))
    }

    static func registration(
        _ clientID: String = TestEnvironment.clientID, requestURIs: [String] = [],
        secret: ClientSecret? = ClientSecret(TestEnvironment.secret)
    ) -> ClientRegistration {
        ClientRegistration(
            clientID: clientID, redirectURIs: [redirectURI], requestURIs: requestURIs,
            secret: secret)
    }

    static let all: [OpenIDProfile] = [
        .itsme0.withoutCertificates, .itsme1, .itsme2, .signicatMobileID, .netsEIDBroker, .openID,
    ]
}

/// A set that the library cannot assume to be available.
struct FetchedSet: KeySource {
    let set: PublicJWKSet
    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { set }
}

/// One login's messages up to the ID Token.
struct Login {
    let env: TestEnvironment
    let started: AuthorizationStart
    let received: ReceivedAuthorization

    /// Starts the login and passes the request to the provider.
    init(
        _ env: TestEnvironment, _ request: AuthorizationRequest? = nil
    ) async throws {
        self.env = env
        let request = request ?? env.request
        started = try await env.party.start(request, at: .testNow)
        let object = started.requestObject
        let verdict = try await env.client.receiveAuthorizationRequest(
            query(started.url), at: .testNow,
            fetch: { address in
                #expect(address == TestEnvironment.requestURI)
                return object ?? ""
            })
        received = try verdict.accepted()
    }

    struct NoCode: Error {}

    var user: UserAuthentication {
        UserAuthentication(
            subject: "user-1-of-32-characters-in-total",
            time: TestEnvironment.now.advanced(by: .seconds(-5)),
            acr: env.profile.authorization.acr.weakestFirst.last
                ?? received.acrValues.first)
    }

    func idToken(
        _ claims: some Encodable = NoClaims(), user: UserAuthentication? = nil,
        at now: NumericDate = .testNow
    ) async throws -> String {
        try await env.client.tokenIssuer().idToken(
            for: received, user ?? self.user, claims: claims, at: now)
    }

    /// A token with exactly these claims, in the profile's layers, signed by the provider.
    func forged(_ claims: [String: JSONValue]) throws -> String {
        try env.sealed(claims, env.profile.idToken.layers)
    }

    var goodClaims: [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .issuer, "sub": .subject, "aud": .clientID, "iat": .now(), "exp": .now(300),
            "nonce": .string(started.session.nonce), "auth_time": .now(-5),
        ]
        if let acr = user.acr { claims["acr"] = .string(acr) }
        return claims
    }

    func open(_ token: String, accessToken: String? = nil, code: String? = nil) async throws
        -> VerifiedIDToken
    {
        try await env.party.verifyIDToken(
            token, for: started.session, accessToken: accessToken, code: code, at: .testNow)
    }
}

extension OpenIDProfile {
    /// The same for keys without certificates, as those of the tests.
    var withoutCertificates: OpenIDProfile {
        var profile = self
        profile.publishedCertificates = .any
        return profile
    }

    /// OpenID Connect with a provider that rejects a voluntary `acr` that was not reached.
    static var bindingVoluntary: OpenIDProfile {
        return OpenIDProfile.openID.with {
            $0.authorization.acr.providerRejectsUnmetVoluntary = true
        }
    }

    /// The same with refresh tokens, which some providers do not support.
    var withRefreshTokens: OpenIDProfile {
        var profile = self
        profile.accessToken.hasRefreshTokens = true
        return profile
    }

    /// The same with every lenient option for request objects: both layers, no required claims, a
    /// type of their own, no `cty`, and the query of RFC 9101.
    var lenient: OpenIDProfile {
        var profile = self
        profile.name += ", lenient"
        if profile.algorithms.keyManagement.isEmpty {
            profile.algorithms.keyManagement = [.rsaOAEP]
            profile.algorithms.content = [.a128CBCHS256]
        }
        profile.requestObject.alsoAccepted = [.signed, .signedThenEncrypted]
        profile.requestObject.requiredClaims = []
        profile.requestObject.queryParameters = ["client_id"]
        profile.requestObject.header.requiresContentType = false
        return profile
    }
}

extension TestEnvironment {
    var request: AuthorizationRequest { TestEnvironment.request(profile) }

    static func request(_ profile: OpenIDProfile) -> AuthorizationRequest {
        var request = AuthorizationRequest()
        request.scopes = Array(profile.authorization.requiredScopes.dropFirst())
        if profile.authorization.requiresServiceScope { request.serviceCode = "LOGIN" }
        if let prefix = profile.authorization.acr.methodPrefix {
            request.acrValues = [prefix + "inapp"]
        }
        if case .operations(let kinds) = profile.authorization.loginHint.format {
            request.loginHints = (kinds.last ?? []).map { $0 + "1" }
        }
        return request
    }

    var objectAudience: String {
        switch profile.requestObject.audience {
        case .authorizationEndpoint: metadata.authorizationEndpoint
        case .tokenEndpoint: metadata.tokenEndpoint
        case .issuer: TestEnvironment.issuer
        case .pushedRequestEndpoint: metadata.pushedRequestEndpoint ?? TestEnvironment.issuer
        case .backchannelEndpoint: metadata.backchannelEndpoint ?? TestEnvironment.issuer
        case .exactly(let text): text
        }
    }

    /// The `aud` of a client assertion at the token endpoint.
    var assertionAudience: String {
        profile.client.audience == .tokenEndpoint ? metadata.tokenEndpoint : TestEnvironment.issuer
    }

    /// The relying party's result for a response in the form that the provider sends.
    func response(
        _ redirect: AuthorizationRedirect, for session: AuthorizationSession
    ) async throws -> AuthorizationResponse {
        let carrier = redirect.responseMode.carrier
        let text =
            carrier == .form
            ? redirect.parameters.encoded
            : String(redirect.url.drop { $0 != (carrier == .query ? "?" : "#") }.dropFirst())
        return try await response(text, by: carrier, for: session)
    }

    func response(
        _ text: String, by carrier: ResponseMode.Carrier, for session: AuthorizationSession
    ) async throws -> AuthorizationResponse {
        switch carrier {
        case .form: try await party.authorizationResponse(form: text, for: session, at: .testNow)
        case .query: try await party.authorizationResponse(query: text, for: session, at: .testNow)
        case .fragment:
            try await party.authorizationResponse(fragment: text, for: session, at: .testNow)
        }
    }

    /// Claims signed by the provider and, if the layers say so, encrypted to the relying party.
    func sealed(
        _ claims: [String: JSONValue], _ layers: TokenLayers?,
        by key: JWK = TestKeys.providerSigning, for recipient: JWK = TestKeys.partyDecrypting,
        type: String? = nil, algorithm: KeyManagementAlgorithm? = nil
    ) throws -> String {
        let issuer = try JWTIssuer(
            key: key, algorithm: .rs256, requiresExpiration: false, type: type)
        guard layers == .signedThenEncrypted else {
            return try issuer.issue(JSONValue.object(claims))
        }
        return try issuer.issue(
            JSONValue.object(claims),
            encryptedFor: JWTRecipient(
                key: recipient.publicKey,
                algorithm: algorithm ?? profile.algorithms.keyManagement.first ?? .rsaOAEP,
                content: .a128CBCHS256))
    }
}

/// A query with a redirect URI added, if it has none.
func addressed(_ query: String) -> String {
    query.contains("redirect_uri=")
        ? query : query + "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback"
}

func query(_ url: String) -> String {
    String(url.drop { $0 != "?" }.dropFirst())
}

protocol Caused { var cause: JOSEError { get } }
extension RejectedAuthorization: Caused {}
extension RejectedRequest: Caused {}

extension RequestResult where Rejection: Caused {
    /// The accepted request. Throws the cause of a rejected one.
    func accepted() throws -> Request {
        switch self {
        case .accepted(let request): return request
        case .rejected(let rejected): throw rejected.cause
        }
    }

    func rejected() throws -> Rejection {
        guard case .rejected(let rejected) = self else { throw Login.NoCode() }
        return rejected
    }
}

extension RegisteredClient {
    func receive(_ started: AuthorizationStart) async throws -> ReceivedAuthorization {
        try await receiveAuthorizationRequest(query(started.url), at: .testNow).accepted()
    }
}
