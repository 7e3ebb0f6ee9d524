// The login of the README, compiled and played against our provider.

import JOSE
import JOSEOpenID
import Testing

/// The login; `tokens` sends the browser to the provider, takes the code and exchanges it.
private func itsmeLogin(
    _ metadata: ProviderMetadata, ours: JWKSet, theirs: PublicJWKSet,
    tokens: (StartedAuthorization) async throws -> TokenAnswer
) async throws -> VerifiedIDToken {
    let party = try RelyingParty(
        profile: .itsme2, metadata: metadata, clientID: "client-1",
        redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
    let started = try party.start(AuthorizationRequest(serviceCode: "LOGIN"))
    let answer = try await tokens(started)  // the browser goes to started.url, a code comes back
    let idToken = try party.verifyIDToken(
        answer.idToken, for: started.remembered, accessToken: answer.accessToken)
    return idToken
}

@Suite("README, OpenID Connect")
struct ReadmeLoginTests {
    @Test("a login with itsme, whose tokens are those of this login") func login() async throws {
        let world = try World(.itsme2)
        func tokens(for started: StartedAuthorization) async throws
            -> TokenAnswer
        {
            let verdict = try await world.client.receive(authorization: query(started.url))
            guard case .accepted(let received) = verdict else { throw Login.NoCode() }
            let user = UserAuthentication(
                subject: "user-1-of-32-characters-in-total", time: .now,
                context: received.contexts.first)
            return TokenAnswer(
                accessToken: "access-1",
                idToken: try await world.client.answers().idToken(for: received, user))
        }
        let theirs = try TestKeys.provider.publicKeys
        let idToken = try await itsmeLogin(
            world.metadata, ours: TestKeys.party, theirs: theirs
        ) { try await tokens(for: $0) }
        #expect(idToken.subject == "user-1-of-32-characters-in-total")
        // Those of another login are not taken.
        let other = try world.party.start(AuthorizationRequest(serviceCode: "LOGIN"))
        let error = await #expect(throws: JOSEError.self) {
            _ = try await itsmeLogin(
                world.metadata, ours: TestKeys.party, theirs: theirs
            ) { _ in try await tokens(for: other) }
        }
        #expect(error?.claim == "nonce")
    }
}
