// A relying party: starts a login, takes the answer, and asks the provider for tokens and claims.
// The HTTP client is a call of the provider; everything else is as in a real service.

import JOSE
import JOSEOpenID

final class ExampleParty {
    static let callback = "https://rp.example/callback"

    private let provider: ExampleProvider
    private let keys: JWKSet
    private let secret = ClientSecret("only for profiles with HTTP Basic")
    private let profile: OpenIDProfile
    private let party: RelyingParty
    /// What was started, by the session that the browser's cookie names.
    private var started: [String: AuthorizationSession] = [:]

    init(_ profile: OpenIDProfile, at provider: ExampleProvider) async throws {
        self.profile = profile
        self.provider = provider
        keys = JWKSet(keys: [
            try JWK.generate(.rsa, use: .signature), try JWK.generate(.rsa, use: .encryption),
        ])
        // Both documents come over HTTPS; with JOSERemote, `RelyingParty` fetches the keys itself.
        let metadata = try ProviderMetadata(
            json: await provider.get(ProviderMetadata.discoveryURL(issuer: ExampleProvider.issuer)).body,
            issuer: ExampleProvider.issuer, profile: profile)
        let theirs = try PublicJWKSet(json: await provider.get(metadata.jwksURI).body)
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "client-1",
            redirectURI: ExampleParty.callback, keys: keys, secret: secret, providerKeys: theirs)
    }

    func registration() throws -> ClientRegistration {
        ClientRegistration(
            clientID: "client-1", redirectURIs: [ExampleParty.callback], secret: secret)
    }

    func publishedKeys() throws -> PublicJWKSet { try keys.publicKeys }

    /// Where to send the browser, and the cookie that it is given.
    func start() async throws -> (url: String, cookie: String) {
        var request = AuthorizationRequest()
        let rules = profile.authorization
        request.scopes = Array(rules.requiredScopes.dropFirst())
        if rules.requiresServiceScope { request.serviceCode = "LOGIN" }
        if let strongest = rules.acr.weakestFirst.last { request.acrValues = [strongest] }
        if rules.acr.methodPrefix != nil {
            request = .mobileIDAuthentication(
                method: "inapp", deviceID: "device-1", externalReference: "user-1")
        }
        request.delivery = .byValue
        let started = try await party.start(request)
        let cookie = try PKCE().verifier  // any 256 random bits
        self.started[cookie] = started.session
        return (started.url, cookie)
    }

    struct User {
        var subject: String
        var name: String?
    }

    /// What the callback's handler does with the query of the address that the browser came to, or the form that it posted.
    func finish(_ text: String, isForm: Bool, cookie: String) async throws -> User {
        // By the cookie, not by `state`: an error may come without one.
        guard let session = started[cookie] else { throw UnknownLogin() }
        let back =
            await isForm
            ? try party.authorizationResponse(form: text, for: session)
            : try party.authorizationResponse(query: text, for: session)
        // Anyone can send an error without `state`: the login that waits goes on.
        if case .unauthenticatedError(let error) = back { throw error }
        // One login, one answer.
        started[cookie] = nil
        let code = try back.code()

        let request = try await party.tokenRequest(code: code, for: session)
        let response = try await provider.post(request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)

        let facts = try await provider.userInfo(
            party.userInfoRequest(accessToken: tokens.accessToken))
        let user = try await party.verifyUserInfo(
            facts.body, for: idToken, contentType: facts.header("Content-Type"))
        return User(subject: user.subject, name: try user.name)
    }

    struct UnknownLogin: Error {}
}
