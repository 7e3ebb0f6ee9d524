// The provider of the recipes, whose parts the page about providers has word for word.

import JOSE
import JOSEOpenID

/// The endpoints of a provider: your server hands them what came, and sends each answer as it is.
actor LoginProvider {
    nonisolated let provider: OpenIDProvider
    nonisolated let client: RegisteredClient
    private var grants: [String: CodeGrant] = [:]  // by code; a service has a database
    private var subjects: [String: String] = [:]  // by access token
    /// What the user's claims are.
    var claims: [String: JSONValue] = [:]

    /// A provider with one client, whose public keys come from where `theirs` says.
    init(
        _ profile: OpenIDProfile, issuer: String, keys: JWKSet, _ registration: ClientRegistration,
        theirs: any KeySource
    ) throws {
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            keySetAddress: issuer + "/jwkSet", profile: profile)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: MemoryReplayStore())
        client = try provider.client(registration, source: theirs)
    }

    /// The authorization endpoint: `query` is what stands behind the question mark.
    func authorize(_ query: String, fetch: RequestObjectFetch? = nil) async throws
        -> AuthorizationRedirect
    {
        switch try await client.receive(authorization: query, fetch: fetch) {
        case .refused(let refused):
            return refused.redirect
        case .accepted(let request):  // ask the user, then:
            let grant = try await client.grant(request)
            grants[grant.code] = grant
            return try await client.redirect(code: grant.code, for: request)
        }
    }

    /// The token endpoint: the form, and the value of the header `Authorization`, if any.
    func token(_ form: String, _ authorization: String?) async throws -> HTTPAnswer {
        let proved: ReceivedTokenRequest
        do throws(JOSEError) {
            proved = try await client.receive(tokenRequest: form, authorization: authorization)
        } catch {
            return try provider.error(refusing: error).answer(authorization: authorization)
        }
        guard let grant = grants.removeValue(forKey: proved.code) else {
            return try TokenError(.invalidGrant).answer()
        }
        do throws(JOSEError) {
            try await client.redeem(proved, grant)
        } catch {
            return try TokenError(refusingGrant: error).answer()
        }
        var user = UserAuthentication(
            subject: "user-1-of-32-characters-in-total", time: .now,
            context: try client.context(for: grant.request))
        let access = try ProofKey().verifier  // any 256 random bits
        user.accessToken = access
        subjects[access] = user.subject
        let idToken = try await client.answers().idToken(for: grant.request, user)
        return try TokenAnswer(
            to: proved, accessToken: access, idToken: idToken, expiresInSeconds: 300
        ).answer()
    }

    /// The UserInfo endpoint.
    func userInfo(_ method: String, _ authorization: String?, _ type: String?, _ body: String)
        async throws -> HTTPAnswer
    {
        do {
            let bearer = try BearerToken(
                method: method, authorization: authorization, contentType: type, body: body)
            guard let subject = subjects[bearer.text] else {
                return try BearerError(.invalidToken).answer()
            }
            return try await client.answers().userInfoAnswer(subject: subject, claims: claims)
        } catch {
            return try BearerError(refusing: error).answer()
        }
    }
}
