// Both sides of FAPI 2.0 and a resource server, under one clock, and one login between them.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// A provider with one of the presets, its client, and a resource server.
struct FAPIEnvironment {
    static let resource = "https://api.example"
    static let push = "https://idp.example/v2/par"
    static let token = "https://idp.example/v2/token"
    static let presets: [OpenIDProfile] = [.fapi2, .fapi2MessageSigning]

    let profile: OpenIDProfile
    let metadata: ProviderMetadata
    let partyKey: JWK
    let providerKey: JWK
    let party: RelyingParty
    let provider: OpenIDProvider
    let client: RegisteredClient
    let server: ResourceServer
    let introspector: Introspector
    let prover: DPoPProver

    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - lax: What the party keeps, where it does not keep these.
    ///   - algorithm: By which both sign.
    init(
        _ profile: OpenIDProfile = .fapi2, party lax: OpenIDProfile? = nil,
        by algorithm: SignatureAlgorithm = .es256, nonces: DPoPNonces? = nil
    ) throws {
        self.profile = profile
        metadata = try TestEnvironment.metadata(
            profile, ["introspection_endpoint": "https://idp.example/v2/introspect"])
        partyKey = try FAPIEnvironment.key(algorithm, TestKeys.partySigning)
        providerKey = try FAPIEnvironment.key(algorithm, TestKeys.providerSigning)
        let partyKeys = JWKSet(keys: [partyKey])
        let published = try JWKSet(keys: [providerKey]).publicKeys
        party = try TestEnvironment.party(
            lax ?? profile, metadata, keys: partyKeys, secret: ClientSecret("s"),
            providerKeys: published)
        introspector = try Introspector(
            profile: profile, metadata: metadata, clientID: TestEnvironment.clientID,
            keys: partyKeys,
            providerKeys: published)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [providerKey]),
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore(), nonces: nonces)
        var registration = TestEnvironment.registration(secret: nil)
        registration.resources = [FAPIEnvironment.resource]
        client = try provider.client(registration, keys: partyKeys.publicKeys)
        server = try ResourceServer(
            issuer: TestEnvironment.issuer, audiences: [FAPIEnvironment.resource], keys: published,
            rules: .fapi2,
            proofs: DPoPVerifier(
                server: FAPIEnvironment.resource, replays: MemoryReplayStore(), rules: .fapi2))
        prover = try .fresh()
    }

    private static func key(_ algorithm: SignatureAlgorithm, _ rsa: JWK) throws -> JWK {
        if algorithm == .ps256 || algorithm == .rs256 { return rsa }
        let curve = algorithm == .es256 ? JWKCurve.p256 : .ed25519
        return try JWK.generate(.curve(curve), keyID: rsa.keyID, use: .signature)
    }

    var providerKeys: PublicJWKSet { get throws { try JWKSet(keys: [providerKey]).publicKeys } }

    /// Another relying party with our keys.
    func party(
        _ metadata: ProviderMetadata, clientID: String = TestEnvironment.clientID,
        redirectURI: String = TestEnvironment.redirectURI, keys: JWKSet? = nil
    ) throws -> RelyingParty {
        try TestEnvironment.party(
            profile, metadata, clientID: clientID, redirectURI: redirectURI,
            keys: keys ?? JWKSet(keys: [partyKey]), secret: nil, providerKeys: providerKeys)
    }

    // MARK: Messages

    func pushed(_ request: AuthorizationRequest = AuthorizationRequest()) async throws
        -> PushedAuthorization
    { try await party.push(request, prover: prover, at: .testNow) }

    func receive(
        _ pushed: TokenRequest, body: String? = nil, proofs: [String]? = nil,
        at now: NumericDate = .testNow
    ) async -> RequestResult<PushedRequest, RejectedRequest> {
        await client.receivePushedRequest(
            body ?? pushed.body, authorization: pushed.authorization,
            proofs: proofs ?? pushed.proofs, at: now)
    }

    /// The provider's response to a pushed form with these changes.
    func rejection(_ change: [String: String?]) async throws -> [String] {
        let pushed = try await pushed().request
        return try JOSEOpenIDTests.rejection(
            await receive(pushed, body: try changed(pushed.body, change)))
    }

    func receive(
        token request: TokenRequest, body: String? = nil, proofs: [String]? = nil,
        at now: NumericDate = .testNow
    ) async throws -> ReceivedTokenRequest {
        try await client.receiveTokenRequest(
            body ?? request.body, authorization: request.authorization,
            proofs: proofs ?? request.proofs, at: now)
    }

    /// A request to the resource server with the token and a proof by its key.
    func resourceRequest(
        _ token: String, _ url: String = FAPIEnvironment.resource, scheme: String = "DPoP"
    ) throws -> ResourceRequest {
        let proof = try prover.proof(method: "GET", url: url, accessToken: token, at: .testNow)
        return try ResourceRequest(
            method: "GET", url: url, authorization: scheme + " " + token, proofs: [proof])
    }

    /// A valid client assertion, changed. Nil removes a claim.
    func assertion(
        _ change: [String: JSONValue?] = [:], by key: JWK? = nil,
        algorithm: SignatureAlgorithm = .es256
    ) throws -> String {
        try signed(
            [
                "iss": .clientID, "sub": .clientID, "aud": .issuer, "iat": .now(), "exp": .now(60),
                "jti": .string(UUID().uuidString),
            ], change, by: key ?? partyKey, algorithm)
    }

    func signed(
        _ claims: [String: JSONValue], _ change: [String: JSONValue?] = [:], by key: JWK,
        _ algorithm: SignatureAlgorithm, type: String? = nil
    ) throws -> String {
        var claims = claims
        for (name, value) in change { claims[name] = value }
        return try JWTIssuer(
            key: key, algorithm: algorithm, requiresExpiration: false, type: type
        ).issue(JSONValue.object(claims))
    }

    /// A login, up to the response with the code.
    func login(
        _ request: AuthorizationRequest = AuthorizationRequest()
    ) async throws -> FAPILogin {
        let pushed = try await pushed(request)
        let verdict = await receive(pushed.request)
        _ = try verdict.accepted()
        let started = try party.start(pushed, verdict)
        let received = try await client.browse(started)
            .accepted()
        let grant = try await client.grant(received, at: .testNow)
        return FAPILogin(
            env: self, started: started, received: received, grant: grant,
            redirect: try await client.redirect(code: grant.code, for: received, at: .testNow))
    }
}

struct FAPILogin {
    let env: FAPIEnvironment
    let started: AuthorizationStart
    let received: ReceivedAuthorization
    let grant: CodeGrant
    let redirect: AuthorizationRedirect

    func response(_ redirect: AuthorizationRedirect? = nil) async throws -> AuthorizationResponse {
        try await env.party.response(query((redirect ?? self.redirect).url), started)
    }

    func tokenRequest(at now: NumericDate = .testNow) async throws -> TokenRequest {
        guard case .code(let code) = try await response() else { throw Login.NoCode() }
        return try await env.party.tokenRequest(
            code: code, for: started.session, prover: env.prover, at: now)
    }

    func tokens() async throws -> TokenResponse {
        let request = try await tokenRequest()
        let proved = try await env.receive(token: request)
        try await env.client.redeem(proved, grant, at: .testNow)
        let access = try await accessToken(TokenBinding(keyThumbprint: proved.keyThumbprint))
        var user = UserAuthentication(subject: "user-1", time: TestEnvironment.now)
        user.accessToken = access
        let idToken = try await env.client.tokenIssuer().idToken(for: received, user, at: .testNow)
        let response = TokenResponse(to: proved, accessToken: access, idToken: idToken)
        return try TokenResponse(json: response.response().body, to: request)
    }

    func accessToken(_ binding: TokenBinding) async throws -> String {
        try await env.client.tokenIssuer().accessToken(
            AccessGrant(
                subject: "user-1", audience: [FAPIEnvironment.resource], scopes: ["read"],
                binding: binding), at: .testNow)
    }
}

/// A form with other values. Nil removes a parameter.
func changed(_ form: String, _ change: [String: String?]) throws -> String {
    var all = try OpenIDParameters(decoding: form).all
    for (name, value) in change {
        let place = all.firstIndex { $0.name == name } ?? all.endIndex
        all.removeAll { $0.name == name }
        if let value { all.insert(OpenIDParameter(name, value), at: min(place, all.count)) }
    }
    return OpenIDParameters(all).encoded
}
