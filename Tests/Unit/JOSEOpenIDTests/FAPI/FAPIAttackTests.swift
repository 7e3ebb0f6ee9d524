// Attacks on messages of FAPI 2.0 (FAPI 2.0 Attacker Model).

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: attacks on messages")
struct FAPIAttackTests {
    @Test(
        "5.4.1-1: RS256 is rejected everywhere, even with the right RSA key",
        arguments: [SignatureAlgorithm.rs256, .ps384, .ps512])
    func algorithms(_ other: SignatureAlgorithm) async throws {
        let env = try FAPIEnvironment(.fapi2MessageSigning, by: .ps256)
        let rejected = "algorithm-not-allowed"
        for (algorithm, expected) in [(SignatureAlgorithm.ps256, "accepted"), (other, rejected)] {
            let assertion = try env.assertion(algorithm: algorithm)
            #expect(try await env.rejection(["client_assertion": assertion]).first == expected)
            #expect(
                try await env.rejection(object: env.object(algorithm: algorithm)).first
                    == expected)
        }
        let pushed = try await env.party.push(AuthorizationRequest(), at: .testNow).request
        let prover = try DPoPProver(key: TestKeys.unrelated, algorithm: other)
        let proof = try prover.post(FAPIEnvironment.push)
        #expect(
            try rejection(await env.receive(pushed, proofs: [proof]))
                == [rejected, "invalid_dpop_proof", "400"])
        await expectRule("the prover's algorithm") {
            _ = try await env.party.push(AuthorizationRequest(), prover: prover, at: .testNow)
        }
        let login = try await env.login()
        let tokens = try await login.tokens()
        func sign(_ token: String, _ type: String? = nil) throws -> String {
            try env.signed(Base64URLText.members(of: token), by: env.providerKey, other, type: type)
        }
        await expectRejection(rejected) {
            _ = try await env.party.verifyIDToken(
                sign(tokens.idToken), for: login.started.session, accessToken: tokens.accessToken,
                at: .testNow)
        }
        await expectRejection(rejected) {
            _ = try await env.party.response(
                "response=" + sign(need(login.redirect.parameters["response"])), login.started)
        }
        let access = try sign(tokens.accessToken, "at+jwt")
        await expectRejection(rejected) {
            _ = try await env.server.verify(env.resourceRequest(access), at: .testNow)
        }
    }

    @Test("5.4.1-1: the older name EdDSA does not admit Ed448") func edwards() async throws {
        let env = try FAPIEnvironment(by: .ed25519)
        let key = try JWK.generate(.curve(.ed448), keyID: "448", use: .signature)
        // The client published the key as Ed448 too, so that only the algorithm rule prevents it.
        let client = try env.provider.client(
            TestEnvironment.registration(secret: nil),
            keys: JWKSet(keys: [key, env.partyKey]).publicKeys)
        for (key, algorithm, expected) in [
            (env.partyKey, SignatureAlgorithm.edDSA, nil), (env.partyKey, .ed25519, nil),
            (key, .edDSA, "key-unusable"), (key, .ed448, "algorithm-not-allowed"),
        ] {
            let assertion = try env.assertion(by: key, algorithm: algorithm)
            await expectResult(expected) {
                try await client.verify(assertion: assertion, at: .testNow)
            }
        }
        await expectRejection("key-unusable") { _ = try DPoPProver(key: key) }
        let prover = try DPoPProver(
            key: .generate(.curve(.ed25519), use: .signature),
            algorithm: .edDSA)
        let pushed = try await env.party.push(AuthorizationRequest(), prover: prover, at: .testNow)
        _ = try await env.receive(pushed.request).accepted()
    }

    /// Rules weaker than the profile, each with the error that a client with these rules gets.
    private static let weaker: [(String, String, @Sendable (inout OpenIDProfile) -> Void)] = [
        (
            "an assertion for the endpoint's URL", "claim-rejected aud",
            { $0.client.audience = .pushedRequestEndpoint }
        ),
        ("no code challenge", "malformed", { $0.authorization.requiresPKCE = false }),
        ("a secret", "claim-rejected client_assertion", { $0.client.authentication = .basic }),
    ]

    @Test("a client with weaker rules is rejected", arguments: weaker.indices)
    func weakClients(_ index: Int) async throws {
        let (what, expected, change) = Self.weaker[index]
        let env = try FAPIEnvironment(.fapi2, party: .fapi2.with(change))
        #expect(
            try rejection(await env.receive(env.pushed().request)).first == expected, "\(what)")
    }

    @Test("mix-up: a code and assertion of one provider are rejected by another")
    func mixUp() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        // The attacker's provider, which the client also uses.
        let evil = try TestEnvironment.metadata(
            at: "https://evil.example", .fapi2, push: "https://evil.example/par")
        let party = try env.party(evil)
        let pushed = try await party.push(AuthorizationRequest(), prover: env.prover, at: .testNow)
        // The user was sent on to the honest provider, whose response returns in the attacker's
        // login.
        let stolen = try changed(
            login.redirect.parameters.encoded, ["state": .some(pushed.session.state)])
        await expectRejection("claim-rejected iss") {
            _ = try await party.authorizationResponse(query: stolen, for: pushed.session)
        }
        await expectRejection("misuse") {
            _ = try await party.tokenRequest(
                code: login.grant.code, for: login.started.session, prover: env.prover, at: .testNow
            )
        }
        // The attacker forwards what the client sent.
        let assertion = try need(pushed.request.parameters["client_assertion"])
        #expect(
            try await env.rejection(["client_assertion": assertion]).prefix(2) == [
                "claim-rejected aud", "invalid_client",
            ])
        let honest = try await env.pushed().request
        #expect(
            try rejection(await env.receive(honest, proofs: pushed.request.proofs)).first
                == "claim-rejected htu")
    }

    @Test("every message is rejected when replayed") func repeated() async throws {
        let env = try FAPIEnvironment()
        let pushed = try await env.pushed()
        let verdict = await env.receive(pushed.request)
        #expect(
            try rejection(await env.receive(pushed.request)).prefix(2)
                == ["replayed", "invalid_client"])
        let fresh = try changed(
            pushed.request.body, ["client_assertion": try env.assertion()])
        #expect(
            try rejection(await env.receive(pushed.request, body: fresh))
                == ["replayed", "invalid_dpop_proof", "400"])
        // The reference, in two browsers.
        let started = try env.party.start(pushed, verdict)
        let (first, second) = try await (env.client.receive(started), env.client.receive(started))
        _ = try await env.client.grant(first, at: .testNow)
        await expectRejection("replayed") { _ = try await env.client.grant(second, at: .testNow) }
        await expectRejection("claim-rejected request_uri") {
            _ = try await env.client.browse(started)
        }
        // The full token request.
        let login = try await env.login()
        let request = try await login.tokenRequest()
        _ = try await env.receive(token: request)
        await expectRejection("replayed") { _ = try await env.receive(token: request) }
    }

    @Test("another client of the provider cannot use a stolen reference or code")
    func otherClient() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        let key = try JWK.generate(.curve(.p256), keyID: "evil", use: .signature)
        let keys = JWKSet(keys: [key])
        let evil = try env.provider.client(
            ClientRegistration(
                clientID: "client-2", redirectURIs: ["https://evil.example/callback"]),
            keys: keys.publicKeys)
        let party = try env.party(env.metadata, clientID: "client-2", keys: keys)
        let reference = query(login.started.url).replacing("client-1", with: "client-2")
        let second = try await env.login()
        for query in [reference, query(second.started.url).replacing("client-1", with: "client-2")]
        { await expectRejection("claim-rejected request_uri") { _ = try await evil.browse(query) } }
        let prover = try DPoPProver.fresh()
        let own = try await party.push(AuthorizationRequest(), prover: prover, at: .testNow)
        #expect(
            try rejection(
                await evil.receivePushedRequest(
                    own.request.body, proofs: own.request.proofs, at: .testNow)) == [
                    "claim-rejected redirect_uri", "invalid_request", "400",
                ])
        let request = try await party.tokenRequest(
            code: login.grant.code, for: own.session, prover: prover, at: .testNow)
        let proved = try await evil.receiveTokenRequest(
            request.body, proofs: request.proofs, at: .testNow)
        await expectRejection("claim-rejected code") {
            try await evil.redeem(proved, login.grant, at: .testNow)
        }
    }

    @Test(
        "a stolen access token is rejected: without key, as bearer, at another resource or method")
    func stolenToken() async throws {
        let env = try FAPIEnvironment()
        let tokens = try await env.login().tokens()
        let token = tokens.accessToken
        let url = FAPIEnvironment.resource + "/accounts"
        func use(_ scheme: String, _ proofs: [String]) async throws {
            try await env.server.get(scheme + " " + token, url: url, proofs: proofs)
        }
        func proof(_ prover: DPoPProver, _ url: String, _ token: String?, method: String = "GET")
            throws -> String
        { try prover.proof(method: method, url: url, accessToken: token, at: .testNow) }
        let good = try proof(env.prover, url, token)
        for (scheme, proofs, code) in [
            ("Bearer", [], "claim-rejected cnf"), ("Bearer", [good], "claim-rejected cnf"),
            ("DPoP", [], "claim-rejected DPoP"),
            ("DPoP", [try proof(.fresh(), url, token)], "claim-rejected cnf"),
            ("DPoP", [try proof(env.prover, url, token, method: "POST")], "claim-rejected htm"),
            ("DPoP", [try proof(env.prover, url + "/1", token)], "claim-rejected htu"),
            ("DPoP", [try proof(env.prover, url, token + "x")], "claim-rejected ath"),
            ("DPoP", [try proof(env.prover, url, nil)], "claim-rejected ath"),
            ("DPoP", [good, good], "malformed"),
        ] { await expectRejection(code, scheme) { try await use(scheme, proofs) } }
        try await use("DPoP", [good])
        await expectRejection("replayed") { try await use("DPoP", [good]) }
        // One kind of token in place of another.
        let idToken = tokens.idToken
        await expectRejection("claim-rejected typ") {
            _ = try await env.server.verify(env.resourceRequest(idToken, url), at: .testNow)
        }
        let login = try await env.login()
        let access = try await login.accessToken(
            TokenBinding(keyThumbprint: env.prover.keyThumbprint))
        await expectRejection("claim-rejected typ") {
            _ = try await env.party.open(access, login.started)
        }
    }
}
