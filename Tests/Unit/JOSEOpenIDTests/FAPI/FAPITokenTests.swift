// FAPI 2.0 Security Profile, 5.3.2.1: refresh tokens, nonces, codes and clocks.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: tokens, codes and times")
struct FAPITokenTests {
    @Test("5.3.2.1-9: refresh tokens do not rotate, unless the profile is changed")
    func refresh() async throws {
        for rotates in [false, true] {
            let world = try FAPIWorld(.fapi2.with { $0.accessToken.rotatesRefreshTokens = rotates })
            let received = try await world.login().received
            let first = try world.client.refreshFamily(
                for: received, lifetime: .seconds(600), at: World.now)
            func ask(_ token: String) async throws -> ReceivedRefreshRequest {
                let request = try await world.party.refreshRequest(
                    refreshToken: token, prover: world.prover, at: World.now)
                return try await world.client.receive(
                    refreshRequest: request.body, proofs: request.proofs, at: World.now)
            }
            var turn = first
            for _ in 0..<3 {
                let next = try world.client.rotate(
                    await ask(turn.token), turn.family, at: World.now)
                #expect((next.token == turn.token) == !rotates)
                #expect(next.family.generation == turn.family.generation + (rotates ? 1 : 0))
                turn = next
            }
            await expectRejection(rotates ? "replayed" : "claim-rejected refresh_token") {
                _ = try world.client.rotate(
                    await ask(first.family.id + ".AAAA"), turn.family, at: World.now)
            }
            await expectRejection("claim-rejected refresh_token") {
                _ = try world.client.rotate(
                    await ask(turn.token), turn.family, at: World.at(600))
            }
        }
    }

    @Test("5.3.2.1-10: nonces of the server, at every endpoint that takes proofs")
    func nonces() async throws {
        let world = try FAPIWorld(nonces: DPoPNonces())
        let first = try await world.pushed()
        let rejected = await world.receive(first.request)
        #expect(try rejection(rejected) == ["claim-rejected nonce", "use_dpop_nonce", "400"])
        let nonce = try DPoPNonce(header: need(rejected.response().header("DPoP-Nonce")))
        let again = try await world.party.push(
            AuthorizationRequest(), prover: world.prover, nonce: nonce, at: World.now)
        _ = try await world.receive(again.request).accepted()
    }

    @Test("5.3.2.1-11: a code counts for less than 60 s") func codes() async throws {
        let world = try FAPIWorld()
        for (seconds, isTaken) in [(59, true), (60, false), (61, false)] {
            let login = try await world.login()
            let later = World.at(seconds)
            let proved = try await world.receive(
                token: login.tokenRequest(at: later), at: later)
            guard !isTaken else {
                try await world.client.redeem(proved, login.grant, at: later)
                continue
            }
            await expectGrantError(.invalidGrant, "claim-rejected code") {
                try await world.client.redeem(proved, login.grant, at: later)
            }
        }
    }

    @Test("5.3.2.1-12: a code is for the key that was named or proved when it was asked for")
    func codeKey() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        #expect(login.received.keyThumbprint == world.prover.keyThumbprint)
        let request = try await login.tokenRequest()
        let stolen = try DPoPProver.fresh()
            .proof(method: "POST", url: FAPIWorld.token, at: World.now)
        let proved = try await world.receive(token: request, proofs: [stolen])
        await expectGrantError(.invalidGrant, "claim-rejected dpop_jkt") {
            try await world.client.redeem(proved, login.grant, at: World.now)
        }
        await expectRejection("misuse") {
            _ = try await world.party.tokenRequest(
                code: login.grant.code, for: login.started.session, prover: .fresh(),
                at: World.now)
        }
    }

    @Test("5.3.2.1-13: iat and nbf 10 s ahead are taken, more than 60 s ahead are not")
    func clocks() async throws {
        let world = try FAPIWorld(.fapi2MessageSigning)
        for (seconds, isTaken) in [(0, true), (10, true), (61, false), (3_600, false)] {
            let ahead = World.at(seconds)
            let time = JSONValue.integer(ahead.seconds)
            let end = JSONValue.integer(ahead.seconds + 60)
            for claim in ["iat", "nbf"] {
                let expected = isTaken ? "accepted" : "claim-rejected \(claim)"
                func check(_ verdict: RequestVerdict<PushedRequest, RejectedRequest>, _ what: String)
                    throws
                {
                    #expect(try rejection(verdict).first == expected, "\(what) \(seconds) s")
                }
                let pushed = try await world.pushed().request
                let assertion = try world.assertion([claim: time, "exp": end])
                try check(
                    await world.receive(
                        pushed,
                        body: try changed(pushed.body, ["client_assertion": assertion])),
                    "assertion")
                let object = try world.object([claim: time, "exp": end])
                let second = try await world.pushed().request
                try check(
                    await world.receive(
                        second, body: try changed(second.body, ["request": object])), "object")
            }
            let proof = try world.prover.proof(method: "POST", url: FAPIWorld.push, at: ahead)
            let third = try await world.pushed().request
            #expect(
                try rejection(await world.receive(third, proofs: [proof])).first
                    == (isTaken ? "accepted" : "claim-rejected iat"))
        }
    }
}
