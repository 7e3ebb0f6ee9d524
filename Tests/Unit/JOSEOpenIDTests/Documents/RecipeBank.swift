// A provider of FAPI 2.0 in memory, for the recipe's client.

import JOSE
import JOSEOpenID

/// Answers what the client posts, and what its user's browser asks for.
actor RecipeBank {
    static let issuer = "https://bank.example"
    static let accounts = "https://api.example/accounts"

    nonisolated let party: AsyncRelyingParty
    nonisolated let accounts: Accounts
    private let provider: OpenIDProvider
    private let client: RegisteredClient
    private var grants: [String: CodeGrant] = [:]
    /// How often a proof was refused for its nonce.
    private(set) var refusals = 0

    init(_ profile: OpenIDProfile) throws {
        let (issuer, callback) = (RecipeBank.issuer, "https://rp.example/callback")
        let metadata = try RecipeBank.metadata(profile)
        let ours = JWKSet(keys: [try .generate(curve: .p256, keyID: "rp", use: .signature)])
        let theirs = JWKSet(keys: [try .generate(curve: .p256, keyID: "op", use: .signature)])
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: theirs, replays: MemoryReplayStore(),
            pushedRequests: MemoryPushedRequestStore(), proofReplays: MemoryReplayStore(),
            nonces: DPoPNonces())
        client = try provider.client(
            ClientRegistration(clientID: "MY_CLIENT", redirectURIs: [callback]),
            keys: ours.publicKeys)
        party = try bankParty(
            provider.discoveryAnswer().body, issuer: issuer, ours, theirs.publicKeys,
            profile: profile)
        accounts = try Accounts(issuer: issuer, keys: theirs.publicKeys)
    }

    static func metadata(_ profile: OpenIDProfile) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorize",
            tokenEndpoint: issuer + "/token", keySetAddress: issuer + "/jwks",
            pushedRequestEndpoint: issuer + "/par", profile: profile)
    }

    /// The two endpoints that the client posts to.
    func post(_ request: TokenRequest) async throws -> HTTPAnswer {
        let proofs = request.headers.filter { $0.name == "DPoP" }.map(\.value)
        let answer =
            request.url.hasSuffix("/par")
            ? try await client.receive(pushedRequest: request.body, proofs: proofs)
                .answer()
            : try await token(request.body, proofs)
        if answer.status == 400 { refusals += 1 }
        return answer
    }

    /// The token endpoint: the form, and the values of the header `DPoP`.
    private func token(_ body: String, _ proofs: [String]) async throws -> HTTPAnswer {
        let proved: ReceivedTokenRequest
        do throws(JOSEError) {
            proved = try await client.receive(tokenRequest: body, proofs: proofs)
        } catch {
            return try provider.error(refusing: error).answer()
        }
        guard let grant = grants[proved.code] else {
            return try TokenError(.invalidGrant).answer()
        }
        do throws(JOSEError) {
            try await client.redeem(proved, grant)
        } catch {
            return try TokenError(refusingGrant: error).answer()
        }
        let answers = try await client.answers()
        let access = try answers.accessToken(
            AccessGrant(
                subject: "zoe", audience: [RecipeBank.accounts], scopes: ["accounts"],
                binding: TokenBinding(keyThumbprint: proved.keyThumbprint)))
        var user = UserAuthentication(subject: "zoe", time: .now)
        user.accessToken = access
        return try TokenAnswer(
            to: proved, accessToken: access, idToken: answers.idToken(for: grant.request, user)
        ).answer()
    }

    /// The browser's way: the query with which it comes back from the user's word.
    func browse(_ url: String, says yes: Bool = true) async throws -> String {
        let query = url.drop { $0 != "?" }.dropFirst()
        guard case .accepted(let request) = try await client.receive(authorization: String(query))
        else { throw Refused() }
        guard yes else {
            return try await client.redirect(
                error: AuthorizationError(.accessDenied), for: request
            ).parameters.encoded
        }
        let grant = try await client.grant(request)
        grants[grant.code] = grant
        return try await client.redirect(code: grant.code, for: request).parameters.encoded
    }

    struct Refused: Error {}
}
