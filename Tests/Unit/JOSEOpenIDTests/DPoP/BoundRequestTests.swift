// Refresh and pushed requests with DPoP proofs (RFC 9449 5 and 10.1).

import Foundation
import JOSE
import JOSEOpenID
import Testing

extension BoundEnvironment {
    fileprivate func refresh(
        _ request: TokenRequest, proofs: [String]? = nil
    ) async throws -> ReceivedRefreshRequest {
        try await client.receiveRefreshRequest(
            request.body, authorization: request.authorization, proofs: proofs ?? request.proofs,
            at: .testNow)
    }

    fileprivate func push(
        _ request: TokenRequest, body: String? = nil, proofs: [String]? = nil
    ) async -> RequestResult<PushedRequest, RejectedRequest> {
        await client.receivePushedRequest(
            body ?? request.body, authorization: request.authorization,
            proofs: proofs ?? request.proofs, at: .testNow)
    }

    fileprivate func pushed(nonce: DPoPNonce? = nil) async throws -> PushedAuthorization {
        try await party.push(AuthorizationRequest(), prover: prover, nonce: nonce, at: .testNow)
    }

    fileprivate func refreshRequest(
        _ token: String, prover: DPoPProver? = nil, nonce: DPoPNonce? = nil
    ) async throws -> TokenRequest {
        try await party.refreshRequest(
            refreshToken: token, prover: prover ?? self.prover, nonce: nonce, at: .testNow)
    }

    fileprivate func family() async throws -> IssuedRefreshToken {
        let (grant, _) = try await code()
        return try client.family(grant.request, seconds: 3_600)
    }
}

@Suite("Refresh and pushed requests with DPoP proofs")
struct BoundRequestTests {
    static let push = "https://idp.example/v2/par"

    @Test("RFC 9449 5: a refresh request's proof binds the new token, whatever the previous key")
    func refresh() async throws {
        let env = try BoundEnvironment()
        let turn = try await env.family()
        var token = turn.token
        var family = turn.family
        for prover in [env.prover, try DPoPProver.fresh()] {
            let request = try await env.refreshRequest(token, prover: prover)
            let proved = try await env.refresh(request)
            #expect(proved.keyThumbprint == prover.keyThumbprint && proved.tokenType == .dpop)
            let next = try env.client.redeem(proved, family, at: .testNow)
            let response = AccessTokenResponse(
                to: proved, accessToken: "t", refreshToken: next.token)
            let sent = try response.response()
            let read = try AccessTokenResponse(json: sent.body, to: request)
            #expect(read.refreshToken == next.token && read.type == .dpop)
            await expectRejection("malformed") { _ = try AccessTokenResponse(json: sent.body) }
            // RFC 9449 5: a bearer token was not requested.
            let bearer = try AccessTokenResponse(accessToken: "t").response()
            #expect(bearer.header("dpop-nonce") == nil)
            await expectRejection("malformed") {
                _ = try AccessTokenResponse(json: bearer.body, to: request)
            }
            (token, family) = (next.token, next.family)
        }
        #expect(env.proofStore.count == 2)
    }

    @Test("RFC 9449 5: each rejected refresh request proof gets its response")
    func rejected() async throws {
        let env = try BoundEnvironment()
        let turn = try await env.family()
        await expectRejection("misuse") {
            _ = try await env.party.refreshRequest(refreshToken: turn.token, at: .testNow)
        }
        let used = try await env.refreshRequest(turn.token)
        _ = try await env.refresh(used)
        let elsewhere = try env.prover.post(Self.push)
        for (proofs, verdict) in [
            ([], "claim-rejected DPoP"), ([elsewhere], "claim-rejected htu"),
            (used.proofs, "replayed"), (used.proofs + used.proofs, "malformed"),
        ] {
            await expectTokenError(.invalidDPoPProof, verdict) {
                _ = try await env.refresh(env.refreshRequest(turn.token), proofs: proofs)
            }
        }
    }

    @Test("RFC 9449 10.1: a pushed request's code is bound to its proof key, named or not")
    func pushed() async throws {
        let env = try BoundEnvironment(.accepted)
        let pushed = try await env.pushed()
        #expect(pushed.session.keyThumbprint == env.prover.keyThumbprint)
        let name = "&dpop_jkt=" + env.prover.keyThumbprint
        let unnamed = pushed.request.body.replacing(name, with: "")
        #expect(unnamed != pushed.request.body)
        let proof = try env.prover.post(Self.push)
        for (body, proofs) in [
            (pushed.request.body, pushed.request.proofs), (unnamed, [proof]),
            (pushed.request.body, []),
        ] {
            let verdict = await env.push(pushed.request, body: body, proofs: proofs)
            let kept = try verdict.accepted()
            // As a store shared by several servers keeps it.
            let copy = try coded(kept)
            #expect(copy.reference == kept.reference)
            let started = try env.party.start(pushed, verdict)
            #expect(try verdict.response().header("dpop-nonce") == nil)
            let received = try await env.client.receive(started)
            #expect(received.keyThumbprint == env.prover.keyThumbprint)
            let stored = try coded(await env.client.grant(received, at: .testNow))
            let other = try DPoPProver.fresh().post("https://idp.example/v2/token")
            let asked = try await env.party.tokenRequest(
                code: stored.code, for: started.session, prover: env.prover, at: .testNow)
            for proofs in [[other], []] {
                let proved = try await env.send(asked, proofs: proofs)
                await expectRejection("claim-rejected dpop_jkt") {
                    try await env.client.redeem(proved, stored, at: .testNow)
                }
            }
            try await env.client.redeem(await env.send(asked), stored, at: .testNow)
        }
    }

    @Test("RFC 9449 10.1: rejected proofs of pushed requests are not claimed")
    func rejectedPush() async throws {
        let env = try BoundEnvironment(.required)
        let pushed = try await env.pushed()
        let other = try DPoPProver.fresh().post(Self.push)
        let token = try env.prover.post("https://idp.example/v2/token")
        for (proofs, verdict) in [
            ([other], "claim-rejected dpop_jkt"), ([token], "claim-rejected htu"),
            ([token, token], "malformed"), (["x"], "malformed"),
        ] {
            let rejected = await env.push(pushed.request, proofs: proofs)
            #expect(try rejection(rejected) == [verdict, "invalid_dpop_proof", "400"])
        }
        #expect(env.proofStore.count == 0)
        _ = try await env.push(pushed.request).accepted()
        #expect(
            try rejection(await env.push(pushed.request))
                == ["replayed", "invalid_dpop_proof", "400"])
        var request = AuthorizationRequest()
        request.keyThumbprint = try DPoPProver.fresh().keyThumbprint
        await expectRejection("misuse") {
            _ = try await env.party.push(request, prover: env.prover, at: .testNow)
        }
    }

    @Test("RFC 9449 8: a server that requires nonces sends one to refresh and pushed requests")
    func nonces() async throws {
        let env = try BoundEnvironment(nonces: DPoPNonces())
        let pushed = try await env.pushed()
        let verdict = await env.push(pushed.request)
        #expect(try rejection(verdict) == ["claim-rejected nonce", "use_dpop_nonce", "400"])
        let response = try verdict.response()
        let nonce = try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        let again = try await env.pushed(nonce: nonce)
        let started = try env.party.start(again, await env.push(again.request))
        let received = try await env.client.receive(started)
        let turn = try env.client.family(received, seconds: 60)
        let error = await expectRejection("claim-rejected nonce") {
            _ = try await env.refresh(env.refreshRequest(turn.token))
        }
        let reported = try env.provider.error(rejecting: need(error), at: .testNow).response()
        #expect(try TokenError(json: reported.body).code == .useDPoPNonce)
        #expect(reported.header("DPoP-Nonce") == response.header("DPoP-Nonce"))
        let proved = try await env.refresh(env.refreshRequest(turn.token, nonce: nonce))
        #expect(proved.keyThumbprint == env.prover.keyThumbprint && proved.nextNonce == nil)
    }
}
