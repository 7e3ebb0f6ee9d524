// Calls that most tests make, at the tests' time and between the two configured sides.

import Foundation
import JOSE
import JOSEOpenID
import Testing

extension TestEnvironment {
    static let subject = "user-1-of-32-characters-in-total"

    static func at(_ seconds: some BinaryInteger) -> NumericDate {
        now.advanced(by: .seconds(seconds))
    }

    static func user(_ acr: String? = nil) -> UserAuthentication {
        UserAuthentication(subject: subject, time: now, acr: acr)
    }

    static func provider(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, keys: JWKSet = TestKeys.provider,
        replays: any ReplayStore = MemoryReplayStore(), pushed: (any PushedRequestStore)? = nil,
        proofs: (any ReplayStore)? = nil, nonces: DPoPNonces? = nil
    ) throws -> OpenIDProvider {
        try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: replays,
            pushedRequests: pushed, proofReplays: proofs, nonces: nonces)
    }

    /// Metadata with every endpoint below the issuer.
    static func metadata(
        at issuer: String, _ profile: OpenIDProfile, clientProfiles: [OpenIDProfile] = [],
        push: String? = nil, backchannel: String? = nil, additional: [String: JSONValue] = [:]
    ) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwkSet", pushedRequestEndpoint: push,
            backchannelEndpoint: backchannel, profile: profile, clientProfiles: clientProfiles,
            additional: additional)
    }

    static func read(
        _ members: JSONObject, _ profile: OpenIDProfile
    ) throws -> ProviderMetadata {
        try read(jsonText(members), profile)
    }

    static func read(_ json: String, _ profile: OpenIDProfile) throws -> ProviderMetadata {
        try ProviderMetadata(json: json, issuer: issuer, profile: profile)
    }

    func start(
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws(JOSEError) -> AuthorizationStart {
        var request = request
        change(&request)
        return try await party.start(request, at: .testNow)
    }

    /// RFC 7636, B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// The claims of a plain OpenID Connect request object.
    static func objectClaims() -> [String: JSONValue] {
        [
            "iss": .string(clientID), "aud": .string(issuer),
            "exp": .now(60), "response_type": "code",
            "client_id": .string(clientID), "scope": "openid",
            "redirect_uri": .string(redirectURI), "state": "s", "nonce": "n",
            "code_challenge": .string(challenge),
            "code_challenge_method": "S256",
        ]
    }

    /// A browser's request in plain parameters, and these.
    static func form(_ more: KeyValuePairs<String, String>, scope: String = "openid") -> String {
        let usual = urlForm([
            "response_type": "code", "client_id": clientID, "scope": scope,
            "redirect_uri": redirectURI,
        ])
        return OpenIDParameters(usual.all + urlForm(more).all).encoded
    }

    /// The verified claims of an object signed by the relying party.
    static func partyClaims(_ object: String) throws -> VerifiedJWT {
        try JWTVerifier(
            policy: ClaimsPolicy(issuer: .any, audience: .any),
            signature: .required(key: TestKeys.partySigning.publicKey, algorithms: [.rs256])
        ).verify(object, at: .testNow)
    }

    /// The provider's result for the smallest request with these parameters replaced.
    func browse(_ parameters: [String: String]) async throws -> AuthorizationResult {
        let all = try await urlParameters(start().url).all.filter { parameters[$0.name] == nil }
        let own = parameters.map { OpenIDParameter($0.key, $0.value) }
        return try await client.browse(all + own)
    }

    /// Claims signed by the relying party and, if the layers say so, encrypted to the provider.
    func partySealed(
        _ claims: [String: JSONValue], _ layers: TokenLayers? = .signed
    ) throws -> String {
        try sealed(claims, layers, by: TestKeys.partySigning, for: TestKeys.providerDecrypting)
    }
}

extension Login {
    /// Starts a changed request and passes it to the provider.
    init(_ env: TestEnvironment, _ change: (inout AuthorizationRequest) -> Void) async throws {
        var request = env.request
        change(&request)
        try await self.init(env, request)
    }

    func tokenRequest(_ code: String = "c") async throws(JOSEError) -> TokenRequest {
        try await env.party.tokenRequest(code, started.session)
    }

    func idToken(acr: String?) async throws -> String {
        var user = user
        user.acr = acr
        return try await idToken(user: user)
    }

    func altered(_ change: [String: JSONValue?]) throws -> String {
        try forged(goodClaims.with(change))
    }

    /// Expects this rejection of the token, or acceptance for nil.
    func expect(
        _ token: String, _ rejection: String?, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expectResult(rejection, sourceLocation: sourceLocation) { _ = try await open(token) }
    }

    @discardableResult
    func open(_ change: [String: JSONValue?]) async throws -> VerifiedIDToken {
        try await open(altered(change))
    }
}

extension RelyingParty {
    func tokenRequest(_ code: String, _ session: AuthorizationSession) async throws(JOSEError)
        -> TokenRequest
    { try await tokenRequest(code: code, for: session, at: .testNow) }

    func open(_ token: String, _ started: AuthorizationStart) async throws(JOSEError)
        -> VerifiedIDToken
    { try await verifyIDToken(token, for: started.session, at: .testNow) }

    func userInfo(_ response: String, _ idToken: VerifiedIDToken) async throws(JOSEError)
        -> VerifiedUserInfo
    { try await verifyUserInfo(response, for: idToken, at: .testNow) }

    func response(_ query: String, _ started: AuthorizationStart) async throws(JOSEError)
        -> AuthorizationResponse
    { try await authorizationResponse(query: query, for: started.session, at: .testNow) }

    func logout(_ token: String, once store: any ReplayStore) async throws(JOSEError)
        -> VerifiedLogoutToken
    { try await verifyLogout(form: "logout_token=" + token, once: store, at: .testNow) }
}

extension Dictionary where Key == String {
    /// With other values. Nil removes a value.
    func with(_ change: [String: Value?]) -> Self {
        var all = self
        for (name, value) in change { all[name] = value }
        return all
    }
}

extension JSONObject {
    func with(_ change: [String: JSONValue?]) -> JSONObject {
        var all = self
        for (name, value) in change { all[name] = value }
        return all
    }
}

extension OpenIDProvider {
    func client(
        _ change: (inout ClientRegistration) -> Void
    ) throws(JOSEError) -> RegisteredClient {
        var registration = TestEnvironment.registration()
        change(&registration)
        return try client(registration)
    }

    func client(_ registration: ClientRegistration) throws(JOSEError) -> RegisteredClient {
        try client(registration, keys: TestKeys.party.publicKeys)
    }
}

extension DPoPProver {
    func post(_ url: String, at now: NumericDate = .testNow) throws -> String {
        try proof(method: "POST", url: url, at: now)
    }
}

extension ResourceServer {
    /// The result for a GET request with this `Authorization` header.
    @discardableResult
    func get(
        _ authorization: String, url: String = "https://api.example", proofs: [String] = [],
        certificate: [UInt8]? = nil, scopes: [String] = [], at now: NumericDate = .testNow
    ) async throws -> VerifiedAccessToken {
        try await verify(
            ResourceRequest(
                method: "GET", url: url, authorization: authorization, proofs: proofs,
                clientCertificate: certificate), scopes: scopes, at: now)
    }
}

extension RelyingParty {
    /// The browser's request after the provider's result for a pushed one.
    func start(
        _ pushed: PushedAuthorization, _ result: RequestResult<PushedRequest, RejectedRequest>
    ) throws -> AuthorizationStart {
        try start(pushed, PushedAuthorizationResponse(json: result.response().body))
    }
}

typealias AuthorizationResult = RequestResult<ReceivedAuthorization, RejectedAuthorization>

extension RegisteredClient {
    /// The provider's result for the query or form that a browser sends.
    func browse(_ query: String, fetch: RequestObjectFetch? = nil) async throws(JOSEError)
        -> AuthorizationResult
    { try await receiveAuthorizationRequest(query, at: .testNow, fetch: fetch) }

    func browse(
        _ started: AuthorizationStart, fetch: RequestObjectFetch? = nil
    ) async throws(JOSEError) -> AuthorizationResult {
        try await browse(query(started.url), fetch: fetch)
    }

    func browse(_ parameters: [OpenIDParameter], fetch: RequestObjectFetch? = nil)
        async throws(JOSEError) -> AuthorizationResult
    { try await browse(OpenIDParameters(parameters).encoded, fetch: fetch) }

    func family(_ request: ReceivedAuthorization, seconds: Int = 3_600) throws(JOSEError)
        -> IssuedRefreshToken
    { try refreshFamily(for: request, lifetime: .seconds(seconds), at: .testNow) }

    func receive(_ request: TokenRequest) async throws(JOSEError) -> ReceivedTokenRequest {
        try await receiveTokenRequest(
            request.body, authorization: request.authorization, at: .testNow)
    }

    func receive(
        _ pushed: PushedAuthorization
    ) async -> RequestResult<PushedRequest, RejectedRequest> {
        await receivePushedRequest(
            pushed.request.body, authorization: pushed.request.authorization, at: .testNow)
    }
}

extension OpenIDProfile {
    func with(_ change: (inout OpenIDProfile) -> Void) -> OpenIDProfile {
        var profile = self
        change(&profile)
        return profile
    }
}

extension NumericDate { static let testNow = TestEnvironment.now }

extension JSONValue {
    static let issuer = JSONValue.string(TestEnvironment.issuer)
    static let clientID = JSONValue.string(TestEnvironment.clientID)
    static let redirectURI = JSONValue.string(TestEnvironment.redirectURI)
    static let subject = JSONValue.string(TestEnvironment.subject)

    /// The tests' time plus this number of seconds.
    static func now(_ seconds: some BinaryInteger) -> JSONValue {
        .integer(TestEnvironment.now.seconds + Int64(seconds))
    }
    static func now() -> JSONValue { .now(0) }
}

func coded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}

func jwt(
    _ claims: [String: JSONValue], by key: JWK, type: String? = nil
) throws -> String {
    try JWTIssuer(key: key, algorithm: .rs256, requiresExpiration: false, type: type)
        .issue(JSONValue.object(JSONObject(claims)))
}

func urlForm(_ parameters: KeyValuePairs<String, String>) -> OpenIDParameters {
    OpenIDParameters(parameters.map { OpenIDParameter($0.key, $0.value) })
}

func urlParameters(_ url: String) throws -> OpenIDParameters {
    try OpenIDParameters(decoding: query(url))
}

/// JSON by this library's coder, members sorted by name.
func jsonText(_ members: JSONValue) throws -> String {
    let issuer = try JWTIssuer(
        key: TestKeys.providerSigning, algorithm: .rs256, requiresExpiration: false)
    let token = try issuer.issue(members)
    return String(
        decoding: try need(Base64URLText.decode(token.split(separator: ".")[1])), as: UTF8.self)
}

func jsonText(_ members: JSONObject) throws -> String {
    try jsonText(.object(members))
}
