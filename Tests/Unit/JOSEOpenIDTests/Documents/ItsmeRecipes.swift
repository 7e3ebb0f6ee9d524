// The itsme recipes. The articles contain them word for word.

import JOSE
import JOSEOpenID

/// Signs users in with itsme, second generation.
struct Itsme2Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// Starts a login. Redirect the browser to `url` and store `session` in the user's session.
    func start() async throws -> AuthorizationStart {
        let names = OpenIDProfile.itsme2.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["http://itsme.services/v2/claim/acr_advanced"])
        if let number = names.nationalNumber?.requested {
            request.claims = ClaimsRequest(userInfo: [number: .essential])
        }
        request.delivery = .byValue  // signed, then encrypted for itsme
        return try await party.start(request)
    }

    /// Finishes a login with the query of the callback. Throws the provider's errors.
    ///
    /// Find `session` by the session cookie, not by `state`. Remove it after a code, and after an
    /// error whose `isAuthenticated` is true.
    func finish(_ query: String, _ session: AuthorizationSession) async throws -> VerifiedUserInfo {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let userInfo = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard userInfo.status == 200 else { throw try BearerError(response: userInfo) }
        return try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("Content-Type"))
    }

    /// Explains for your log why an ID Token is rejected.
    func explain(_ idToken: String, _ session: AuthorizationSession) async -> TokenExplanation {
        await party.explain(idToken: idToken, for: session)
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://idp.e2e.itsme.services/v2", profile: .itsme2)
        return try RelyingParty(
            profile: .itsme2, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }
}

/// Signs users in with itsme, first generation.
struct Itsme1Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// Starts a login. Redirect the browser to `started.url` and store `started.session` in the
    /// user's session. Serve `object` at its URL until the login has ended.
    ///
    /// - Parameter name: A new random name for the URL of the request object.
    func start(
        _ name: String
    ) async throws -> (started: AuthorizationStart, object: OpenIDHTTPResponse?) {
        let names = OpenIDProfile.itsme1.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["tag:sixdots.be,2016-06:acr_advanced"])
        request.locales = ["nl"]
        if let photo = names.photo?.requested, let card = names.identityCard?.requested {
            request.claims = ClaimsRequest(
                userInfo: [photo: .voluntary, card: .essential])
        }
        // The guide requires the port in the URL, and a registered URL.
        request.delivery = .byReference("https://rp.example:443/request-objects/" + name)
        let started = try await party.start(request)
        return (started, try started.requestObjectResponse())
    }

    /// Finishes a login with the query of the callback. Throws the provider's errors.
    ///
    /// Find `session` by the session cookie, not by `state`. Remove it after a code, and after an
    /// error whose `isAuthenticated` is true.
    func finish(_ query: String, _ session: AuthorizationSession) async throws -> VerifiedUserInfo {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let userInfo = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard userInfo.status == 200 else { throw try BearerError(response: userInfo) }
        return try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("Content-Type"))
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://e2emerchant.itsme.be/oidc", profile: .itsme1)
        return try RelyingParty(
            profile: .itsme1, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }
}

/// Signs users in with itsme by its oldest guide.
struct Itsme0Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// The request object is encrypted too, since it may contain a telephone number.
    static let profile: OpenIDProfile = {
        var profile = OpenIDProfile.itsme0
        profile.requestObject.layers = .signedThenEncrypted
        return profile
    }()

    /// Starts a login. Redirect the browser to `url` and store `session` in the user's session.
    ///
    /// - Parameter telephone: The user's number, if you know it.
    func start(telephone: String? = nil) async throws -> AuthorizationStart {
        var request = AuthorizationRequest(scopes: ["profile", "email"], serviceCode: "MY_LOGIN")
        // The guide prefers to request the level in the request object.
        var claims = ClaimsRequest(idToken: [
            "acr": .init(
                isEssential: true, value: "tag:itsmetag:sixdots.be,2016-06:acr_advanced")
        ])
        if let card = Itsme0Login.profile.userInfo.names.identityCard?.requested {
            claims.userInfo[card] = .essential
        }
        // Encrypted, unlike login_hint in the URL.
        if let telephone { claims.userInfo["phone_number"] = .value(.string(telephone)) }
        request.claims = claims
        request.delivery = .byValue
        return try await party.start(request)
    }

    /// Finishes a login with the query of the callback. Throws the provider's errors.
    ///
    /// Find `session` by the session cookie, not by `state`. Remove it after a code, and after an
    /// error whose `isAuthenticated` is true.
    func finish(_ query: String, _ session: AuthorizationSession) async throws -> VerifiedUserInfo {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        let userInfo = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard userInfo.status == 200 else { throw try BearerError(response: userInfo) }
        return try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("Content-Type"))
    }

    /// Creates the relying party, once when the service starts.
    static func party(
        _ document: String, _ keys: JWKSet, _ providerKeys: any KeySource
    ) throws -> RelyingParty {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://merchant.itsme.be/oidc", profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
    }

    /// Returns the metadata with the authorization endpoint of itsme apps from before June 2018.
    ///
    /// No discovery document names it. Create a second relying party for users with such an app.
    static func forOldApps(_ metadata: ProviderMetadata) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: metadata.issuer,
            authorizationEndpoint: "https://mobileapp.sixdots.be/mobile/authorize",
            tokenEndpoint: metadata.tokenEndpoint, userInfoEndpoint: metadata.userInfoEndpoint,
            jwksURI: metadata.jwksURI, profile: profile)
    }
}
