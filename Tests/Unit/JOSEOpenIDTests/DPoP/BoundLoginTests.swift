// A login with key-bound tokens, message by message (RFC 9449 5 and 10).

import Foundation
import JOSE
import JOSEOpenID
import Testing

struct BoundEnvironment {
    let party: RelyingParty
    let provider: OpenIDProvider
    let client: RegisteredClient
    let prover: DPoPProver
    let proofStore = MemoryReplayStore()

    init(
        _ demand: DPoPRequirement = .required, nonces: DPoPNonces? = nil, binds: Bool = false,
        profile preset: OpenIDProfile = .openID
    ) throws {
        var profile = preset
        profile.accessToken.proofs = demand
        let metadata = try TestEnvironment.metadata(profile)
        party = try TestEnvironment.party(profile, metadata)
        provider = try TestEnvironment.provider(
            profile, metadata, pushed: MemoryPushedRequestStore(), proofs: proofStore,
            nonces: nonces)
        client = try provider.client { $0.bindsAccessTokens = binds }
        prover = try DPoPProver.fresh()
    }

    /// A code for a request, and its session.
    func code(_ request: AuthorizationRequest = AuthorizationRequest()) async throws -> (
        CodeGrant, AuthorizationSession
    ) {
        let started = try await party.start(request, at: .testNow)
        let received = try await client.receive(started)
        return (try await client.grant(received, at: .testNow), started.session)
    }

    /// The token request for a grant, with a proof by our key.
    func ask(
        _ grant: CodeGrant, _ session: AuthorizationSession, nonce: DPoPNonce? = nil,
        at now: NumericDate = .testNow
    ) async throws -> TokenRequest {
        try await party.tokenRequest(
            code: grant.code, for: session, prover: prover, nonce: nonce, at: now)
    }

    func send(_ request: TokenRequest, proofs: [String]? = nil) async throws -> ReceivedTokenRequest
    {
        try await client.receiveTokenRequest(
            request.body, authorization: request.authorization, proofs: proofs ?? request.proofs,
            at: .testNow)
    }
}

@Suite("Logins with DPoP-bound tokens")
struct BoundLoginTests {
    @Test(
        "RFC 9449 5: the token request's proof binds the access token",
        arguments: [
            OpenIDProfile.openID, .netsEIDBroker,
        ])
    func bound(_ preset: OpenIDProfile) async throws {
        var profile = preset
        profile.requestObject.isRequired = false
        let env = try BoundEnvironment(profile: profile)
        var request = TestEnvironment.request(profile)
        request.keyThumbprint = env.prover.keyThumbprint
        let (grant, session) = try await env.code(request)
        #expect(session.keyThumbprint == env.prover.keyThumbprint)
        let asked = try await env.ask(grant, session)
        let proved = try await env.send(asked)
        #expect(proved.keyThumbprint == env.prover.keyThumbprint && proved.tokenType == .dpop)
        try await env.client.redeem(proved, grant, at: .testNow)
        let responses = try await env.client.tokenIssuer()
        let token = try responses.accessToken(
            AccessGrant(
                subject: "user-1", audience: ["https://api.example"], scopes: ["read"],
                binding: TokenBinding(keyThumbprint: proved.keyThumbprint)), at: .testNow)
        let response = TokenResponse(to: proved, accessToken: token, idToken: "a.b.c")
        let body = try response.response().body
        #expect(body.contains(#""token_type":"DPoP""#))
        #expect(try response.response().header("DPoP-Nonce") == nil)
        let read = try TokenResponse(json: body, to: asked)
        #expect(read.accessToken == token && read.type == .dpop)
        // A relying party rejects the token type that it did not request (RFC 9449 5).
        await expectRejection("malformed") { _ = try TokenResponse(json: body) }
        let bearer = try TokenResponse(accessToken: "t", idToken: "i").json()
        await expectRejection("malformed") { _ = try TokenResponse(json: bearer, to: asked) }
        let lower = body.replacing("\"DPoP\"", with: "\"dpop\"")
        #expect(try TokenResponse(json: lower, to: asked).type == .dpop)
    }

    @Test("RFC 9449 10: a code requested with a key only works with that key")
    func thumbprint() async throws {
        let env = try BoundEnvironment(.accepted)
        let other = try DPoPProver.fresh()
        var request = AuthorizationRequest()
        request.keyThumbprint = env.prover.keyThumbprint
        let (grant, session) = try await env.code(request)
        #expect(grant.request.parameters["dpop_jkt"] == env.prover.keyThumbprint)
        for prover in [other, nil] {
            await expectRejection("misuse") {
                _ = try await env.party.tokenRequest(
                    code: grant.code, for: session, prover: prover, at: .testNow)
            }
        }
        let right = try await env.ask(grant, session)
        let stolen = try other.post("https://idp.example/v2/token")
        for proofs in [[stolen], []] {
            let proved = try await env.send(right, proofs: proofs)
            await expectGrantError(.invalidGrant, "claim-rejected dpop_jkt") {
                try await env.client.redeem(proved, grant, at: .testNow)
            }
        }
        let proved = try await env.send(right)
        try await env.client.redeem(proved, grant, at: .testNow)
    }

    @Test("RFC 9449 10: dpop_jkt is a base64url SHA-256 digest on both sides")
    func form() async throws {
        let env = try BoundEnvironment(.accepted)
        for text in ["x", String(repeating: "a", count: 44), String(repeating: "~", count: 43)] {
            var request = AuthorizationRequest()
            request.keyThumbprint = text
            await expectRule("dpop_jkt") { _ = try await env.party.start(request, at: .testNow) }
            let started = try await env.party.start(AuthorizationRequest(), at: .testNow)
            let rejected = try await env.client.browse(query(started.url) + "&dpop_jkt=" + text)
                .rejected()
            #expect(rejected.error.code == .invalidRequest)
        }
    }

    @Test("proofs are required, optional or ignored, as the profile says")
    func demands() async throws {
        for (demand, binds, isNeeded) in [
            (DPoPRequirement.required, false, true), (.accepted, true, true),
            (.accepted, false, false),
            (.ignored, false, false),
        ] {
            let env = try BoundEnvironment(demand, binds: binds)
            let (grant, session) = try await env.code()
            let request = try await env.ask(grant, session)
            let proved = try await env.send(request)
            #expect((proved.keyThumbprint == nil) == (demand == .ignored))
            guard isNeeded else {
                let plain = try await env.send(request, proofs: [])
                #expect(plain.tokenType == .bearer)
                continue
            }
            await expectTokenError(.invalidDPoPProof, "claim-rejected DPoP") {
                _ = try await env.send(request, proofs: [])
            }
        }
        // DPoP required by the provider cannot be omitted by a relying party, nor the replay store
        // by the provider.
        let env = try BoundEnvironment(.required)
        let (grant, session) = try await env.code()
        await expectRejection("misuse") {
            _ = try await env.party.tokenRequest(grant.code, session)
        }
        await expectRejection("misuse") {
            _ = try TestEnvironment.provider(env.provider.profile, env.provider.metadata)
        }
        let unlooked = try BoundEnvironment(.ignored, binds: true)
        let (code, memory) = try await unlooked.code()
        await expectRejection("misuse") { _ = try await unlooked.send(unlooked.ask(code, memory)) }
    }

    @Test("RFC 9449 5: each rejected token request proof gets its response and is not claimed")
    func rejected() async throws {
        let env = try BoundEnvironment(.required)
        let (grant, session) = try await env.code()
        let request = try await env.ask(grant, session)
        func proof(_ method: String, _ url: String) throws -> String {
            try env.prover.proof(method: method, url: url, at: .testNow)
        }
        let endpoint = "https://idp.example/v2/token"
        let good = try proof("POST", endpoint)
        for (verdict, proofs) in [
            ("claim-rejected htm", [try proof("GET", endpoint)]),
            ("claim-rejected htu", [try proof("POST", "https://idp.example/v2/userinfo")]),
            ("malformed", [good, good]), ("malformed", ["x"]),
        ] {
            let error = await expectRejection(verdict) {
                _ = try await env.send(request, proofs: proofs)
            }
            let response = try TokenError(rejecting: need(error)).response(authorization: "Basic x")
            #expect(response.status == 400 && response.body.contains("invalid_dpop_proof"))
        }
        // A client that fails to authenticate does not use up its proof.
        await expectRejection("claim-rejected client_secret") {
            _ = try await env.client.receiveTokenRequest(
                request.body, authorization: "Basic eDp5", proofs: [good], at: .testNow)
        }
        #expect(env.proofStore.count == 0)
        _ = try await env.send(request, proofs: [good])
        await expectRejection("replayed") { _ = try await env.send(request, proofs: [good]) }
    }

    @Test("RFC 9449 8: the token endpoint requires a nonce, and the relying party retries with it")
    func nonce() async throws {
        let env = try BoundEnvironment(nonces: DPoPNonces())
        let (grant, session) = try await env.code()
        let first = try await env.ask(grant, session)
        let error = await expectRejection("claim-rejected nonce") { _ = try await env.send(first) }
        let response = try env.provider.error(rejecting: need(error), at: .testNow).response()
        #expect(response.status == 400)
        #expect(try TokenError(json: response.body).code == .useDPoPNonce)
        let nonce = try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        let second = try await env.ask(grant, session, nonce: nonce)
        let proved = try await env.send(second)
        try await env.client.redeem(proved, grant, at: .testNow)
        #expect(proved.nextNonce == nil)
        // An aging nonce is answered with a newer one.
        let later = TestEnvironment.at(200)
        let third = try await env.ask(grant, session, nonce: nonce, at: later)
        let aging = try await env.client.receiveTokenRequest(
            third.body, authorization: third.authorization, proofs: third.proofs,
            at: later)
        let given = try TokenResponse(to: aging, accessToken: "t", idToken: "i").response()
        #expect(given.header("DPoP-Nonce") == aging.nextNonce && aging.nextNonce != nil)
        // Without DPoP, and with other errors, the response has no nonce.
        #expect(env.provider.error(rejecting: .nonceElsewhere).nonce == nil)
        // The nonce of a client's own token is unrelated to the nonce of a proof.
        #expect(TokenError(rejecting: .nonceElsewhere).code == .invalidClient)
    }

    @Test("RFC 9449 5.1: published algorithms, and a provider that supports none of the client's")
    func metadata() async throws {
        let env = try BoundEnvironment(.accepted)
        #expect(
            env.provider.metadata.list("dpop_signing_alg_values_supported")
                == ["ES256", "Ed25519", "EdDSA", "PS256", "RS256"])
        #expect(
            try TestEnvironment(.openID).metadata["dpop_signing_alg_values_supported"] == nil)
        for offered: JSONValue? in [nil, ["ES384"], "ES256"] {
            var members = try TestEnvironment(.openID).metadata.members
            members["dpop_signing_alg_values_supported"] = offered
            let json = try jsonText(members)
            await expectRejection("claim-rejected dpop_signing_alg_values_supported") {
                _ = try TestEnvironment.read(
                    json, OpenIDProfile.openID.with { $0.accessToken.proofs = .required })
            }
        }
    }

    @Test("RFC 9449 7: a UserInfo request with a bound token")
    func userInfo() async throws {
        let env = try BoundEnvironment(.required)
        let request = try await env.party.userInfoRequest(
            accessToken: "opaque-1", prover: env.prover, at: .testNow)
        #expect(request.header("Authorization") == "DPoP opaque-1")
        let received = try ResourceRequest(
            method: request.method, url: request.url,
            authorization: request.header("Authorization"), proofs: [need(request.header("DPoP"))])
        let verifier = try need(env.provider.proofs)
        _ = try await verifier.verify(
            received, boundTo: TokenBinding(keyThumbprint: env.prover.keyThumbprint),
            owner: TestEnvironment.clientID, at: .testNow)
        await expectRejection("misuse") {
            _ = try await env.party.userInfoRequest(
                accessToken: "opaque-1", method: .postForm, prover: env.prover, at: .testNow)
        }
        // If no proofs are checked, the DPoP scheme is unknown.
        await expectRejection("claim-rejected access_token") {
            _ = try BearerToken(method: "GET", authorization: request.header("Authorization"))
        }
    }
}

extension JOSEError {
    /// A client assertion with a claim of another kind of token.
    fileprivate static let nonceElsewhere = JOSEError.claimRejected("nonce", "it is here")
}
