// The recipes of itsme, a type for each generation: the pages have them word for word.

import JOSE
import JOSEOpenID

/// Signs in with itsme, second generation: from a button to who the user is.
struct Itsme2Login {
    let party: AsyncRelyingParty
    let post: @Sendable (TokenRequest) async throws -> HTTPAnswer  // your HTTP client
    let get: @Sendable (UserInfoRequest) async throws -> HTTPAnswer

    /// The button. Send the browser to `url`, keep `remembered` in the user's session.
    func start() async throws -> StartedAuthorization {
        let names = OpenIDProfile.itsme2.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            contexts: ["http://itsme.services/v2/claim/acr_advanced"])
        if let number = names.nationalNumber {
            request.claims = ClaimsRequest(userInfo: [number.preferred: .essential])
        }
        request.delivery = .byValue  // signed, then encrypted for itsme
        return try await party.start(request)
    }

    /// The callback, with the query of its address. What they refuse is thrown.
    func finish(_ query: String, _ remembered: RememberedRequest) async throws -> VerifiedUserInfo {
        let code = try await party.answer(query: query, for: remembered).code()
        let request = try await party.tokenRequest(code: code, for: remembered)
        let answer = try await post(request)
        guard answer.status == 200 else { throw try TokenError(json: answer.body) }
        let tokens = try TokenAnswer(json: answer.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: remembered, accessToken: tokens.accessToken, code: code)
        let facts = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        return try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
    }

    /// Made once, when the service starts.
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> AsyncRelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://idp.e2e.itsme.services/v2", profile: .itsme2)
        return try AsyncRelyingParty(
            profile: .itsme2, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, source: theirs)
    }
}

/// Signs in with itsme, first generation.
struct Itsme1Login {
    let party: AsyncRelyingParty
    let post: @Sendable (TokenRequest) async throws -> HTTPAnswer  // your HTTP client
    let get: @Sendable (UserInfoRequest) async throws -> HTTPAnswer

    /// The button. Send the browser to `url`, keep `remembered` in the user's session.
    func start() async throws -> StartedAuthorization {
        let names = OpenIDProfile.itsme1.userInfo.names
        var request = AuthorizationRequest(
            scopes: ["profile", "email"], serviceCode: "MY_LOGIN",
            contexts: ["tag:sixdots.be,2016-06:acr_advanced"])
        request.locales = ["nl"]
        if let photo = names.photo, let card = names.identityCard {
            request.claims = ClaimsRequest(
                userInfo: [photo.preferred: .voluntary, card.preferred: .essential])
        }
        request.delivery = .byValue  // signed
        return try await party.start(request)
    }

    /// The callback, with the query of its address. What they refuse is thrown.
    func finish(_ query: String, _ remembered: RememberedRequest) async throws -> VerifiedUserInfo {
        let code = try await party.answer(query: query, for: remembered).code()
        let request = try await party.tokenRequest(code: code, for: remembered)
        let answer = try await post(request)
        guard answer.status == 200 else { throw try TokenError(json: answer.body) }
        let tokens = try TokenAnswer(json: answer.body, to: request)
        let idToken = try await party.verifyIDToken(tokens.idToken, for: remembered, code: code)
        let facts = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        return try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
    }

    /// Made once, when the service starts.
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> AsyncRelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://e2emerchant.itsme.be/oidc", profile: .itsme1)
        return try AsyncRelyingParty(
            profile: .itsme1, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, source: theirs)
    }
}

/// Signs in with itsme as its oldest guide has it.
struct Itsme0Login {
    let party: AsyncRelyingParty
    let post: @Sendable (TokenRequest) async throws -> HTTPAnswer  // your HTTP client
    let get: @Sendable (UserInfoRequest) async throws -> HTTPAnswer

    /// The button. Send the browser to `url`, keep `remembered` in the user's session.
    func start() async throws -> StartedAuthorization {
        var request = AuthorizationRequest(scopes: ["profile", "email"], serviceCode: "MY_LOGIN")
        // The level is asked for in the signed object, as the guide prefers it.
        request.claims = ClaimsRequest(idToken: [
            "acr": .init(
                isEssential: true, value: "tag:itsmetag:sixdots.be,2016-06:acr_advanced")
        ])
        request.delivery = .byValue
        return try await party.start(request)
    }

    /// The callback, with the query of its address. What they refuse is thrown.
    func finish(_ query: String, _ remembered: RememberedRequest) async throws -> VerifiedUserInfo {
        let code = try await party.answer(query: query, for: remembered).code()
        let request = try await party.tokenRequest(code: code, for: remembered)
        let answer = try await post(request)
        guard answer.status == 200 else { throw try TokenError(json: answer.body) }
        let tokens = try TokenAnswer(json: answer.body, to: request)
        let idToken = try await party.verifyIDToken(tokens.idToken, for: remembered, code: code)
        let facts = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        return try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
    }

    /// Made once, when the service starts.
    static func party(_ document: String, _ ours: JWKSet, _ theirs: any KeySource) throws
        -> AsyncRelyingParty
    {
        let metadata = try ProviderMetadata(
            json: document, issuer: "https://merchant.itsme.be/oidc", profile: .itsme0)
        return try AsyncRelyingParty(
            profile: .itsme0, metadata: metadata, clientID: "MY_PARTNER_CODE",
            redirectURI: "https://rp.example/callback", keys: ours, source: theirs)
    }
}
