// FAPI 2.0 Security Profile 5.3.2.1: refresh tokens, nonces, codes and clocks.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: tokens, codes and times")
struct FAPITokenTests {
    @Test("5.3.2.1-9: refresh tokens do not rotate, unless the profile is changed")
    func refresh() async throws {
        for rotates in [false, true] {
            let env = try FAPIEnvironment(
                .fapi2.with { $0.accessToken.rotatesRefreshTokens = rotates })
            let received = try await env.login().received
            let first = try env.client.family(received, seconds: 600)
            func ask(_ token: String) async throws -> ReceivedRefreshRequest {
                let request = try await env.party.refreshRequest(
                    refreshToken: token, prover: env.prover, at: .testNow)
                return try await env.client.receiveRefreshRequest(
                    request.body, proofs: request.proofs, at: .testNow)
            }
            var turn = first
            for _ in 0..<3 {
                let next = try env.client.redeem(await ask(turn.token), turn.family, at: .testNow)
                #expect((next.token == turn.token) == !rotates)
                #expect(next.family.generation == turn.family.generation + (rotates ? 1 : 0))
                turn = next
            }
            await expectRejection(rotates ? "replayed" : "claim-rejected refresh_token") {
                _ = try env.client.redeem(
                    await ask(first.family.id + ".AAAA"), turn.family, at: .testNow)
            }
            await expectRejection("claim-rejected refresh_token") {
                _ = try env.client.redeem(
                    await ask(turn.token), turn.family, at: TestEnvironment.at(600))
            }
        }
    }

    @Test("5.3.2.1-10: every endpoint that accepts proofs supports server nonces")
    func nonces() async throws {
        let env = try FAPIEnvironment(nonces: DPoPNonces())
        let first = try await env.pushed()
        let rejected = await env.receive(first.request)
        #expect(try rejection(rejected) == ["claim-rejected nonce", "use_dpop_nonce", "400"])
        let nonce = try DPoPNonce(header: need(rejected.response().header("DPoP-Nonce")))
        let again = try await env.party.push(
            AuthorizationRequest(), prover: env.prover, nonce: nonce, at: .testNow)
        _ = try await env.receive(again.request).accepted()
    }

    @Test("5.3.2.1-11: a code is valid for less than 60 s") func codes() async throws {
        let env = try FAPIEnvironment()
        for (seconds, isTaken) in [(59, true), (60, false), (61, false)] {
            let login = try await env.login()
            let later = TestEnvironment.at(seconds)
            let proved = try await env.receive(
                token: login.tokenRequest(at: later), at: later)
            guard !isTaken else {
                try await env.client.redeem(proved, login.grant, at: later)
                continue
            }
            await expectGrantError(.invalidGrant, "claim-rejected code") {
                try await env.client.redeem(proved, login.grant, at: later)
            }
        }
    }

    @Test("5.3.2.1-12: a code is bound to the key named or proved in its request")
    func codeKey() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        #expect(login.received.keyThumbprint == env.prover.keyThumbprint)
        let request = try await login.tokenRequest()
        let stolen = try DPoPProver.fresh().post(FAPIEnvironment.token)
        let proved = try await env.receive(token: request, proofs: [stolen])
        await expectGrantError(.invalidGrant, "claim-rejected dpop_jkt") {
            try await env.client.redeem(proved, login.grant, at: .testNow)
        }
        await expectRejection("misuse") {
            _ = try await env.party.tokenRequest(
                code: login.grant.code, for: login.started.session, prover: .fresh(), at: .testNow)
        }
    }

    @Test("5.3.2.1-13: iat and nbf 10 s ahead are accepted, more than 60 s ahead are not")
    func clocks() async throws {
        let env = try FAPIEnvironment(.fapi2MessageSigning)
        for (seconds, isTaken) in [(0, true), (10, true), (61, false), (3_600, false)] {
            let ahead = TestEnvironment.at(seconds)
            let time = JSONValue.integer(ahead.seconds)
            let end = JSONValue.integer(ahead.seconds + 60)
            for claim in ["iat", "nbf"] {
                let expected = isTaken ? "accepted" : "claim-rejected \(claim)"
                let assertion = try env.assertion([claim: time, "exp": end])
                let object = try env.object([claim: time, "exp": end])
                for change in [["client_assertion": assertion], ["request": object]]
                    as [[String: String?]]
                {
                    #expect(
                        try await env.rejection(change).first == expected,
                        "\(change.keys) \(seconds) s")
                }
            }
            let proof = try env.prover.post(FAPIEnvironment.push, at: ahead)
            let third = try await env.pushed().request
            #expect(
                try rejection(await env.receive(third, proofs: [proof])).first
                    == (isTaken ? "accepted" : "claim-rejected iat"))
        }
    }
}
