// The recipes of Signicat MobileID, Nets eID Broker and of any other provider: the pages have them word for word.

import JOSE
import JOSEOpenID

/// Registers and signs in users of an app with Signicat MobileID; this is the merchant's server.
struct SignicatLogin {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// For an app whose user has no device yet; `artifact` comes from Signicat's own call. The app gets `url`.
    func register(account: String, device: String, artifact: String) async throws
        -> AuthorizationStart
    {
        try await party.start(
            .mobileIDRegistration(
                method: "MY_REGISTRATION", deviceName: device, artifact: artifact,
                externalReference: account))
    }

    /// For an app whose user has one.
    func authenticate(account: String, deviceID: String) async throws -> AuthorizationStart {
        try await party.start(
            .mobileIDAuthentication(
                method: "MY_AUTHENTICATION", deviceID: deviceID, externalReference: account))
    }

    /// What the app does after its GET of `url`. It ends both kinds with a GET of `completeURL`, which leads to the callback.
    enum NextStep: Sendable {
        /// The app's client activates with the code, or authenticates where there is none.
        case activate(code: String?, statusURL: String?, completeURL: String)
        /// Signicat rejected the operation; `code` is for your log. Without `completeURL` nothing comes to the callback.
        case rejected(code: String, completeURL: String?)
    }

    /// Reads the response that the app got.
    func activation(_ body: String) throws -> NextStep {
        switch try ActivationResponse(json: body) {
        case .started(let activation):
            .activate(
                code: activation.activationCode, statusURL: activation.statusURL,
                completeURL: activation.completeURL)
        case .failed(let code, _, let completeURL):
            .rejected(code: code, completeURL: completeURL)
        }
    }

    /// The callback, with the query of its address. What they reject is thrown.
    /// Find `session` by the cookie of the session, not by `state`, and remove it after a code or
    /// an error whose `isAuthenticated` is true.
    func finish(_ query: String, _ session: AuthorizationSession) async throws -> VerifiedUserInfo {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let facts = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        return try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
    }

    /// Made once, when the service starts.
    static func party(
        _ document: String, issuer: String, secret: ClientSecret, _ theirs: any KeySource
    ) throws -> RelyingParty {
        let profile = OpenIDProfile.signicatMobileID
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_CLIENT",
            redirectURI: "https://merchant.example/callback", keys: JWKSet(keys: []),
            secret: secret, providerKeys: theirs)
    }
}

/// Signs in with MitID through Nets eID Broker; this is the app's backend.
struct NetsLogin {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client

    /// The app opens `url` in its browser tab; `session` stays here. `system` is `ios` or `android`, nil in a browser.
    func start(system: String?) async throws -> AuthorizationStart {
        var request = AuthorizationRequest()
        if let system {
            request.identityProviderParameters = AuthorizationRequest.appSwitch(
                system: system, url: "https://app.example/")
        }
        return try await party.start(request)
    }

    /// The callback, with the form that the browser posted. What they reject is thrown.
    /// Find `session` by the cookie of the session, not by `state`, and remove it after a code or
    /// an error whose `isAuthenticated` is true.
    func finish(_ form: String, _ session: AuthorizationSession) async throws -> VerifiedIDToken {
        let code = try await party.authorizationResponse(form: form, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        return try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
    }

    /// Made once, when the service starts.
    static func party(
        _ document: String, issuer: String, _ ours: JWKSet, _ theirs: any KeySource
    ) throws -> RelyingParty {
        let profile = OpenIDProfile.netsEIDBroker
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_CLIENT",
            redirectURI: "https://backend.example/callback", keys: ours, providerKeys: theirs)
    }
}

/// Signs in at a provider that keeps to OpenID Connect Core, with a client secret and PKCE.
struct CoreLogin {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    func start() async throws -> AuthorizationStart {
        try await party.start(AuthorizationRequest(scopes: ["profile", "email"]))
    }

    /// The callback, with the query of its address. What they reject is thrown.
    /// Find `session` by the cookie of the session, not by `state`, and remove it after a code or
    /// an error whose `isAuthenticated` is true.
    func finish(_ query: String, _ session: AuthorizationSession) async throws -> VerifiedUserInfo {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let facts = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard facts.status == 200 else { throw try BearerError(response: facts) }
        return try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
    }

    static func party(
        _ document: String, issuer: String, secret: String, _ theirs: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: .openID)
        return try RelyingParty(
            profile: .openID, metadata: metadata, clientID: "my-client",
            redirectURI: "https://rp.example/callback", keys: JWKSet(keys: []),
            secret: ClientSecret(secret), providerKeys: theirs)
    }
}
