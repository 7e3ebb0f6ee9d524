// An example relying party: starts a login, reads the response, and requests tokens and claims.
// Calls to the provider replace the HTTP client. Everything else is as in a real service.

import JOSE
import JOSEOpenID

actor ExampleParty {
    static let callback = "https://rp.example/callback"

    private let provider: ExampleProvider
    private let keys: JWKSet
    private let secret = ClientSecret("only for profiles with HTTP Basic")
    private let profile: OpenIDProfile
    private let party: RelyingParty
    /// The logins in progress, by session cookie.
    private var sessions: [String: AuthorizationSession] = [:]

    init(_ profile: OpenIDProfile, at provider: ExampleProvider) async throws {
        self.profile = profile
        self.provider = provider
        keys = JWKSet(keys: [
            try JWK.generate(.rsa, use: .signature), try JWK.generate(.rsa, use: .encryption),
        ])
        // A service fetches both over HTTPS, with `RemoteJWKSet` of JOSERemote for the keys.
        let metadata = try ProviderMetadata(
            json: await provider.get(ProviderMetadata.discoveryURL(issuer: ExampleProvider.issuer))
                .body,
            issuer: ExampleProvider.issuer, profile: profile)
        let providerKeys = try PublicJWKSet(json: await provider.get(metadata.jwksURI).body)
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "client-1",
            redirectURI: ExampleParty.callback, keys: keys, secret: secret,
            providerKeys: providerKeys)
    }

    nonisolated func registration() throws -> ClientRegistration {
        ClientRegistration(
            clientID: "client-1", redirectURIs: [ExampleParty.callback], secret: secret)
    }

    nonisolated func publishedKeys() throws -> PublicJWKSet { try keys.publicKeys }

    /// Starts a login. Returns the URL and the session cookie for the browser.
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
        let cookie = try BearerToken.fresh().text  // 256 random bits
        sessions[cookie] = started.session
        return (started.url, cookie)
    }

    struct User {
        var subject: String
        var name: String?
    }

    /// Handles the callback, with the query of its URL or the form that the browser posted.
    func finish(_ text: String, isForm: Bool, cookie: String) async throws -> User {
        // Find the session by the cookie: an error may come without `state`.
        guard let session = sessions[cookie] else { throw UnknownLogin() }
        let response =
            await isForm
            ? try party.authorizationResponse(form: text, for: session)
            : try party.authorizationResponse(query: text, for: session)
        let login = OpenIDLogin(
            party: party, post: { try await self.provider.post($0) },
            get: { try await self.provider.userInfo($0) })
        let user = try await login.finish(response, session) { try await self.end(cookie) }.user
        return User(subject: user.subject, name: try user.name)
    }

    /// Removes a login. One response ends it.
    private func end(_ cookie: String) throws {
        guard sessions.removeValue(forKey: cookie) != nil else { throw UnknownLogin() }
    }

    /// No login is in progress for the session cookie.
    struct UnknownLogin: Error, CustomStringConvertible {
        var description: String { "no login is in progress for this session cookie" }
    }
}
