// A login whose tokens are bound to a key, message by message (RFC 9449, 5 and 10).

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// Both sides of a login with proofs.
struct BoundWorld {
    let party: RelyingParty
    let provider: OpenIDProvider
    let client: RegisteredClient
    let prover: DPoPProver
    let proofStore = MemoryReplayStore()

    init(
        _ demand: DPoPDemand = .required, nonces: DPoPNonces? = nil, binds: Bool = false,
        profile preset: OpenIDProfile = .openID
    ) throws {
        var profile = preset
        profile.accessToken.proofs = demand
        let metadata = try World.metadata(profile)
        let secret = ClientSecret(World.secret)
        party = try World.party(profile, metadata, secret: secret)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: TestKeys.provider,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: proofStore, nonces: nonces)
        var registration = ClientRegistration(
            clientID: World.clientID, redirectURIs: [World.redirectURI], secret: secret)
        registration.bindsAccessTokens = binds
        client = try provider.client(registration)
        prover = try DPoPProver.fresh()
    }

    /// A code for a request, and what was remembered of it.
    func code(_ request: AuthorizationRequest = AuthorizationRequest()) async throws -> (
        CodeGrant, AuthorizationSession
    ) {
        let started = try await party.start(request, at: World.now)
        let received = try await client.receive(started)
        return (try await client.grant(received, at: World.now), started.session)
    }

    func send(_ request: TokenRequest, proofs: [String]? = nil) async throws -> ReceivedTokenRequest
    {
        func headers(_ name: String) -> [String] {
            request.headers.filter { $0.name == name }.map(\.value)
        }
        return try await client.receive(
            tokenRequest: request.body, authorization: headers("Authorization").first,
            proofs: proofs ?? headers("DPoP"), at: World.now)
    }
}

@Suite("Logins with bound tokens")
struct BoundLoginTests {
    @Test(
        "RFC 9449 5: the token request's proof binds the access token",
        arguments: [
            OpenIDProfile.openID, .netsEIDBroker,
        ])
    func bound(_ preset: OpenIDProfile) async throws {
        var profile = preset
        profile.requestObject.isRequired = false
        let world = try BoundWorld(profile: profile)
        var request = World.request(profile)
        request.keyThumbprint = world.prover.keyThumbprint
        let (grant, session) = try await world.code(request)
        #expect(session.keyThumbprint == world.prover.keyThumbprint)
        let asked = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, at: World.now)
        let proved = try await world.send(asked)
        #expect(proved.keyThumbprint == world.prover.keyThumbprint && proved.tokenType == .dpop)
        try await world.client.redeem(proved, grant, at: World.now)
        let responses = try await world.client.responses()
        let token = try responses.accessToken(
            AccessGrant(
                subject: "user-1", audience: ["https://api.example"], scopes: ["read"],
                binding: TokenBinding(keyThumbprint: proved.keyThumbprint)), at: World.now)
        let response = TokenResponse(to: proved, accessToken: token, idToken: "a.b.c")
        let body = try response.response().body
        #expect(body.contains(#""token_type":"DPoP""#))
        #expect(try response.response().header("DPoP-Nonce") == nil)
        let read = try TokenResponse(json: body, to: asked)
        #expect(read.accessToken == token && read.type == .dpop)
        // A party that asked for the one does not take the other (RFC 9449, 5).
        await expectRejection("malformed") { _ = try TokenResponse(json: body) }
        let bearer = try TokenResponse(accessToken: "t", idToken: "i").json()
        await expectRejection("malformed") { _ = try TokenResponse(json: bearer, to: asked) }
        let lower = body.replacing("\"DPoP\"", with: "\"dpop\"")
        #expect(try TokenResponse(json: lower, to: asked).type == .dpop)
    }

    @Test("RFC 9449 10: a code that was asked for with a key is for that key alone")
    func thumbprint() async throws {
        let world = try BoundWorld(.accepted)
        let other = try DPoPProver.fresh()
        var request = AuthorizationRequest()
        request.keyThumbprint = world.prover.keyThumbprint
        let (grant, session) = try await world.code(request)
        #expect(grant.request.parameters["dpop_jkt"] == world.prover.keyThumbprint)
        for prover in [other, nil] {
            await expectRejection("misuse") {
                _ = try await world.party.tokenRequest(
                    code: grant.code, for: session, prover: prover, at: World.now)
            }
        }
        let right = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, at: World.now)
        let stolen = try other.proof(
            method: "POST", url: "https://idp.example/v2/token", at: World.now)
        for proofs in [[stolen], []] {
            let proved = try await world.send(right, proofs: proofs)
            await expectGrantError(.invalidGrant, "claim-rejected dpop_jkt") {
                try await world.client.redeem(proved, grant, at: World.now)
            }
        }
        let proved = try await world.send(right)
        try await world.client.redeem(proved, grant, at: World.now)
    }

    @Test("RFC 9449 10: dpop_jkt is a SHA-256 digest in base64url, for both sides")
    func form() async throws {
        let world = try BoundWorld(.accepted)
        for text in ["x", String(repeating: "a", count: 44), String(repeating: "~", count: 43)] {
            var request = AuthorizationRequest()
            request.keyThumbprint = text
            await expectRule("dpop_jkt") { _ = try await world.party.start(request, at: World.now) }
            let started = try await world.party.start(AuthorizationRequest(), at: World.now)
            let rejected = try await world.client.browse(query(started.url) + "&dpop_jkt=" + text)
                .rejected()
            #expect(rejected.error.code == .invalidRequest)
        }
    }

    @Test("who must bring a proof, who may, and who looks at none")
    func demands() async throws {
        for (demand, binds, isNeeded) in [
            (DPoPDemand.required, false, true), (.accepted, true, true), (.accepted, false, false),
            (.ignored, false, false),
        ] {
            let world = try BoundWorld(demand, binds: binds)
            let (grant, session) = try await world.code()
            let request = try await world.party.tokenRequest(
                code: grant.code, for: session, prover: world.prover, at: World.now)
            let proved = try await world.send(request)
            #expect((proved.keyThumbprint == nil) == (demand == .ignored))
            guard isNeeded else {
                let plain = try await world.send(request, proofs: [])
                #expect(plain.tokenType == .bearer)
                continue
            }
            await expectTokenError(.invalidDPoPProof, "claim-rejected DPoP") {
                _ = try await world.send(request, proofs: [])
            }
        }
        // A party whose provider demands it cannot forget it, nor a provider its store.
        let world = try BoundWorld(.required)
        let (grant, session) = try await world.code()
        await expectRejection("misuse") {
            _ = try await world.party.tokenRequest(grant.code, session)
        }
        await expectRejection("misuse") {
            _ = try World.provider(world.provider.profile, world.provider.metadata)
        }
        let unlooked = try BoundWorld(.ignored, binds: true)
        let (code, memory) = try await unlooked.code()
        await expectRejection("misuse") {
            _ = try await unlooked.send(
                unlooked.party.tokenRequest(
                    code: code.code, for: memory, prover: unlooked.prover, at: World.now))
        }
    }

    @Test("RFC 9449 5: rejected proofs of token requests, each with its answer, none claimed")
    func rejected() async throws {
        let world = try BoundWorld(.required)
        let (grant, session) = try await world.code()
        let request = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, at: World.now)
        func proof(_ method: String, _ url: String) throws -> String {
            try world.prover.proof(method: method, url: url, at: World.now)
        }
        let endpoint = "https://idp.example/v2/token"
        let good = try proof("POST", endpoint)
        for (verdict, proofs) in [
            ("claim-rejected htm", [try proof("GET", endpoint)]),
            ("claim-rejected htu", [try proof("POST", "https://idp.example/v2/userinfo")]),
            ("malformed", [good, good]), ("malformed", ["x"]),
        ] {
            let error = await expectRejection(verdict) {
                _ = try await world.send(request, proofs: proofs)
            }
            let response = try TokenError(rejecting: need(error)).response(authorization: "Basic x")
            #expect(response.status == 400 && response.body.contains("invalid_dpop_proof"))
        }
        // Whoever does not prove to be the client spends no proof.
        await expectRejection("claim-rejected client_secret") {
            _ = try await world.client.receive(
                tokenRequest: request.body, authorization: "Basic eDp5", proofs: [good],
                at: World.now)
        }
        #expect(world.proofStore.count == 0)
        _ = try await world.send(request, proofs: [good])
        await expectRejection("replayed") { _ = try await world.send(request, proofs: [good]) }
    }

    @Test("RFC 9449 8: the token endpoint asks for a nonce, and the party answers with it")
    func nonce() async throws {
        let world = try BoundWorld(nonces: DPoPNonces())
        let (grant, session) = try await world.code()
        let first = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, at: World.now)
        let error = await expectRejection("claim-rejected nonce") { _ = try await world.send(first) }
        let response = try world.provider.error(rejecting: need(error), at: World.now).response()
        #expect(response.status == 400)
        #expect(try TokenError(json: response.body).code == .useDPoPNonce)
        let nonce = try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        let second = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, nonce: nonce, at: World.now)
        let proved = try await world.send(second)
        try await world.client.redeem(proved, grant, at: World.now)
        #expect(proved.nextNonce == nil)
        // One that grows old is answered by a newer one.
        let later = World.at(200)
        let third = try await world.party.tokenRequest(
            code: grant.code, for: session, prover: world.prover, nonce: nonce, at: later)
        let aging = try await world.client.receive(
            tokenRequest: third.body, authorization: third.authorization, proofs: third.proofs,
            at: later)
        let given = try TokenResponse(to: aging, accessToken: "t", idToken: "i").response()
        #expect(given.header("DPoP-Nonce") == aging.nextNonce && aging.nextNonce != nil)
        // Where no proof is asked for, or another fault is told, there is none.
        #expect(world.provider.error(rejecting: .nonceElsewhere).nonce == nil)
        // A nonce in a client's own token is another matter than that of a proof.
        #expect(TokenError(rejecting: .nonceElsewhere).code == .invalidClient)
    }

    @Test(
        "RFC 9449 5.1: what is published, and a party whose provider offers none of its algorithms")
    func metadata() async throws {
        let world = try BoundWorld(.accepted)
        #expect(
            world.provider.metadata.list("dpop_signing_alg_values_supported")
                == ["ES256", "Ed25519", "EdDSA", "PS256", "RS256"])
        #expect(
            try World(.openID).metadata["dpop_signing_alg_values_supported"] == nil)
        var profile = OpenIDProfile.openID
        profile.accessToken.proofs = .required
        for offered: JSONValue? in [nil, ["ES384"], "ES256"] {
            var members = try World(.openID).metadata.members
            members["dpop_signing_alg_values_supported"] = offered
            let json = try jsonText(members)
            await expectRejection("claim-rejected dpop_signing_alg_values_supported") {
                _ = try ProviderMetadata(json: json, issuer: World.issuer, profile: profile)
            }
        }
    }

    @Test("RFC 9449 7: a UserInfo request with a bound token")
    func userInfo() async throws {
        let world = try BoundWorld(.required)
        let request = try await world.party.userInfoRequest(
            accessToken: "opaque-1", prover: world.prover, at: World.now)
        func header(_ name: String) -> String? {
            request.header(name)
        }
        #expect(header("Authorization") == "DPoP opaque-1")
        let received = try ResourceRequest(
            method: request.method, url: request.url, authorization: header("Authorization"),
            proofs: [need(header("DPoP"))])
        let judge = try need(world.provider.proofs)
        _ = try await judge.verify(
            received, boundTo: TokenBinding(keyThumbprint: world.prover.keyThumbprint),
            owner: World.clientID, at: World.now)
        await expectRejection("misuse") {
            _ = try await world.party.userInfoRequest(
                accessToken: "opaque-1", by: .form, prover: world.prover, at: World.now)
        }
        // Where nobody looks at proofs, the scheme is none that is known.
        await expectRejection("claim-rejected access_token") {
            _ = try BearerToken(method: "GET", authorization: header("Authorization"))
        }
    }
}

extension JOSEError {
    /// A client assertion that has a claim of another kind of token.
    fileprivate static let nonceElsewhere = JOSEError.claimRejected("nonce", "it is here")
}
