// Refresh requests and pushed requests with proofs of possession (RFC 9449, 5 and 10.1).

import Foundation
import JOSE
import JOSEOpenID
import Testing

extension BoundWorld {
    /// What the provider makes of a refresh request.
    fileprivate func refresh(
        _ request: TokenRequest, proofs: [String]? = nil
    ) async throws -> ReceivedRefreshRequest {
        try await client.receive(
            refreshRequest: request.body, authorization: request.authorization,
            proofs: proofs ?? request.proofs, at: World.now)
    }

    /// What the provider makes of a pushed request.
    fileprivate func push(
        _ request: TokenRequest, body: String? = nil, proofs: [String]? = nil
    ) async -> RequestVerdict<PushedRequest, RejectedRequest> {
        await client.receive(
            pushedRequest: body ?? request.body, authorization: request.authorization,
            proofs: proofs ?? request.proofs, at: World.now)
    }

    /// The first refresh token of a login.
    fileprivate func family() async throws -> RefreshTurn {
        let (grant, _) = try await code()
        return try client.refreshFamily(
            for: grant.request, lifetime: .seconds(3_600), at: World.now)
    }
}

@Suite("Refresh requests and pushed requests with proofs")
struct BoundRequestTests {
    static let push = "https://idp.example/v2/par"

    @Test("RFC 9449 5: a refresh request's proof binds its token, whatever the last one's key")
    func refresh() async throws {
        let world = try BoundWorld()
        let turn = try await world.family()
        var token = turn.token
        var family = turn.family
        for prover in [world.prover, try DPoPProver.fresh()] {
            let request = try await world.party.refreshRequest(
                refreshToken: token, prover: prover, at: World.now)
            let proved = try await world.refresh(request)
            #expect(proved.keyThumbprint == prover.keyThumbprint && proved.tokenType == .dpop)
            let next = try world.client.rotate(proved, family, at: World.now)
            let response = RefreshResponse(
                to: proved, accessToken: "t", refreshToken: next.token)
            let sent = try response.response()
            let read = try RefreshResponse(json: sent.body, to: request)
            #expect(read.refreshToken == next.token && read.type == .dpop)
            await expectRejection("malformed") { _ = try RefreshResponse(json: sent.body) }
            // RFC 9449, 5: a bearer token is not what was asked for.
            let bearer = try RefreshResponse(accessToken: "t").response()
            #expect(bearer.header("dpop-nonce") == nil)
            await expectRejection("malformed") {
                _ = try RefreshResponse(json: bearer.body, to: request)
            }
            (token, family) = (next.token, next.family)
        }
        #expect(world.proofStore.count == 2)
    }

    @Test("RFC 9449 5: rejected proofs of refresh requests, each with its answer")
    func rejected() async throws {
        let world = try BoundWorld()
        let turn = try await world.family()
        await expectRejection("misuse") {
            _ = try await world.party.refreshRequest(refreshToken: turn.token, at: World.now)
        }
        func request() async throws -> TokenRequest {
            try await world.party.refreshRequest(
                refreshToken: turn.token, prover: world.prover, at: World.now)
        }
        let used = try await request()
        _ = try await world.refresh(used)
        let elsewhere = try world.prover.proof(method: "POST", url: Self.push, at: World.now)
        for (proofs, verdict) in [
            ([], "claim-rejected DPoP"), ([elsewhere], "claim-rejected htu"),
            (used.proofs, "replayed"), (used.proofs + used.proofs, "malformed"),
        ] {
            await expectTokenError(.invalidDPoPProof, verdict) {
                _ = try await world.refresh(request(), proofs: proofs)
            }
        }
    }

    @Test("RFC 9449 10.1: the code of a pushed request is for the key that proved it, named or not")
    func pushed() async throws {
        let world = try BoundWorld(.accepted)
        let pushed = try await world.party.push(
            AuthorizationRequest(), prover: world.prover, at: World.now)
        #expect(pushed.session.keyThumbprint == world.prover.keyThumbprint)
        let name = "&dpop_jkt=" + world.prover.keyThumbprint
        let unnamed = pushed.request.body.replacing(name, with: "")
        #expect(unnamed != pushed.request.body)
        let proof = try world.prover.proof(method: "POST", url: Self.push, at: World.now)
        for (body, proofs) in [
            (pushed.request.body, pushed.request.proofs), (unnamed, [proof]),
            (pushed.request.body, []),
        ] {
            let verdict = await world.push(pushed.request, body: body, proofs: proofs)
            let kept = try verdict.accepted()
            // As a store of several machines keeps it.
            let copy = try coded(kept)
            #expect(copy.reference == kept.reference)
            let started = try world.party.start(
                pushed, PushedAuthorizationResponse(json: verdict.response().body))
            #expect(try verdict.response().header("dpop-nonce") == nil)
            let received = try await world.client.receive(started)
            #expect(received.keyThumbprint == world.prover.keyThumbprint)
            let stored = try coded(await world.client.grant(received, at: World.now))
            let other = try DPoPProver.fresh()
                .proof(method: "POST", url: "https://idp.example/v2/token", at: World.now)
            let asked = try await world.party.tokenRequest(
                code: stored.code, for: started.session, prover: world.prover, at: World.now)
            for proofs in [[other], []] {
                let proved = try await world.send(asked, proofs: proofs)
                await expectRejection("claim-rejected dpop_jkt") {
                    try await world.client.redeem(proved, stored, at: World.now)
                }
            }
            try await world.client.redeem(await world.send(asked), stored, at: World.now)
        }
    }

    @Test("RFC 9449 10.1: rejected proofs of pushed requests, none claimed")
    func rejectedPush() async throws {
        let world = try BoundWorld(.required)
        let pushed = try await world.party.push(
            AuthorizationRequest(), prover: world.prover, at: World.now)
        let other = try DPoPProver.fresh()
            .proof(method: "POST", url: Self.push, at: World.now)
        let token = try world.prover.proof(
            method: "POST", url: "https://idp.example/v2/token", at: World.now)
        for (proofs, verdict) in [
            ([other], "claim-rejected dpop_jkt"), ([token], "claim-rejected htu"),
            ([token, token], "malformed"), (["x"], "malformed"),
        ] {
            let rejected = await world.push(pushed.request, proofs: proofs)
            #expect(try rejection(rejected) == [verdict, "invalid_dpop_proof", "400"])
        }
        #expect(world.proofStore.count == 0)
        _ = try await world.push(pushed.request).accepted()
        #expect(
            try rejection(await world.push(pushed.request))
                == ["replayed", "invalid_dpop_proof", "400"])
        var request = AuthorizationRequest()
        request.keyThumbprint = try DPoPProver.fresh().keyThumbprint
        await expectRejection("misuse") {
            _ = try await world.party.push(request, prover: world.prover, at: World.now)
        }
    }

    @Test("RFC 9449 8: a server that asks for nonces says so to refresh requests and pushed ones")
    func nonces() async throws {
        let world = try BoundWorld(nonces: DPoPNonces())
        let pushed = try await world.party.push(
            AuthorizationRequest(), prover: world.prover, at: World.now)
        let verdict = await world.push(pushed.request)
        #expect(try rejection(verdict) == ["claim-rejected nonce", "use_dpop_nonce", "400"])
        let response = try verdict.response()
        let nonce = try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        let again = try await world.party.push(
            AuthorizationRequest(), prover: world.prover, nonce: nonce, at: World.now)
        let kept = try await world.push(again.request).accepted()
        let started = try world.party.start(
            again,
            PushedAuthorizationResponse(
                json: RequestVerdict<PushedRequest, RejectedRequest>.accepted(kept).response().body))
        let received = try await world.client.receive(started)
        let turn = try world.client.refreshFamily(
            for: received, lifetime: .seconds(60), at: World.now)
        let error = await expectRejection("claim-rejected nonce") {
            _ = try await world.refresh(
                world.party.refreshRequest(
                    refreshToken: turn.token, prover: world.prover, at: World.now))
        }
        let told = try world.provider.error(rejecting: need(error), at: World.now).response()
        #expect(try TokenError(json: told.body).code == .useDPoPNonce)
        #expect(told.header("DPoP-Nonce") == response.header("DPoP-Nonce"))
        let proved = try await world.refresh(
            world.party.refreshRequest(
                refreshToken: turn.token, prover: world.prover, nonce: nonce, at: World.now))
        #expect(proved.keyThumbprint == world.prover.keyThumbprint && proved.nextNonce == nil)
    }
}
