// The recipes of itsme, a type for each generation: the pages have them word for word.

import JOSE
import JOSEOpenID

/// Signs in with itsme, second generation: from a button to who the user is.
struct Itsme2Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// The button. Send the browser to `url`, keep `session` in the user's session.
    func start() async throws -> AuthorizationStart {
        let names = OpenIDProfile.itsme2.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["http://itsme.services/v2/claim/acr_advanced"])
        if let number = names.nationalNumber {
            request.claims = ClaimsRequest(userInfo: [number.preferred: .essential])
        }
        request.delivery = .byValue  // signed, then encrypted for itsme
        return try await party.start(request)
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

    /// For your log, where an ID Token is rejected: each step of the check.
    func explain(_ idToken: String, _ session: AuthorizationSession) async -> TokenExplanation {
        await party.explain(idToken: idToken, for: session)
    }

    /// Made once, when the service starts.
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> RelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://idp.e2e.itsme.services/v2", profile: .itsme2)
        return try RelyingParty(
            profile: .itsme2, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
    }
}

/// Signs in with itsme, first generation.
struct Itsme1Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// The button. `name` is fresh and random. Serve `object` at its URL until the login has ended: itsme fetches it. Send the
    /// browser to `started.url`, keep `started.session` in the user's session.
    func start(_ name: String) async throws -> (started: AuthorizationStart, object: OpenIDHTTPResponse?)
    {
        let names = OpenIDProfile.itsme1.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            acrValues: ["tag:sixdots.be,2016-06:acr_advanced"])
        request.locales = ["nl"]
        if let photo = names.photo, let card = names.identityCard {
            request.claims = ClaimsRequest(
                userInfo: [photo.preferred: .voluntary, card.preferred: .essential])
        }
        // Signed; the guide wants the port in the URL, and the URL registered.
        request.delivery = .byReference("https://rp.example:443/request-objects/" + name)
        let started = try await party.start(request)
        return (started, try started.requestObjectResponse())
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
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> RelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://e2emerchant.itsme.be/oidc", profile: .itsme1)
        return try RelyingParty(
            profile: .itsme1, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
    }
}

/// Signs in with itsme as its oldest guide has it.
struct Itsme0Login {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// The request object is encrypted too, since it may hold a telephone number.
    static let profile: OpenIDProfile = {
        var profile = OpenIDProfile.itsme0
        profile.requestObject.layers = .signedThenEncrypted
        return profile
    }()

    /// The button. Send the browser to `url`, keep `session` in the user's session. `telephone` is the user's number, where you
    /// know it.
    func start(telephone: String? = nil) async throws -> AuthorizationStart {
        var request = AuthorizationRequest(scopes: ["profile", "email"], serviceCode: "MY_LOGIN")
        // The level is requested in the object, as the guide prefers it.
        var claims = ClaimsRequest(idToken: [
            "acr": .init(
                isEssential: true, value: "tag:itsmetag:sixdots.be,2016-06:acr_advanced")
        ])
        if let card = Itsme0Login.profile.userInfo.names.identityCard {
            claims.userInfo[card.preferred] = .essential
        }
        // In place of login_hint, which stands in the URL.
        if let telephone { claims.userInfo["phone_number"] = .value(.string(telephone)) }
        request.claims = claims
        request.delivery = .byValue
        return try await party.start(request)
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
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> RelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://merchant.itsme.be/oidc", profile: profile)
        return try RelyingParty(
            profile: profile, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
    }

    /// The same provider with the authorization endpoint of itsme apps from before June 2018, which no document names. Make a
    /// second party with it, for the users who have such an app.
    static func forOldApps(_ metadata: ProviderMetadata) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: metadata.issuer,
            authorizationEndpoint: "https://mobileapp.sixdots.be/mobile/authorize",
            tokenEndpoint: metadata.tokenEndpoint, userInfoEndpoint: metadata.userInfoEndpoint,
            jwksURI: metadata.jwksURI, profile: profile)
    }
}
