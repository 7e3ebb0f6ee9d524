// What somebody may try who reads, changes, repeats and mixes up the messages of FAPI 2.0 (FAPI 2.0 Attacker Model).

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: attacks on messages")
struct FAPIAttackTests {
    @Test(
        "5.4.1-1: RS256 nowhere, though the RSA key is the right one",
        arguments: [SignatureAlgorithm.rs256, .ps384, .ps512])
    func algorithms(_ other: SignatureAlgorithm) async throws {
        let world = try FAPIWorld(.fapi2MessageSigning, by: .ps256)
        let rejected = "algorithm-not-allowed"
        for (algorithm, expected) in [(SignatureAlgorithm.ps256, "accepted"), (other, rejected)] {
            let pushed = try await world.pushed().request
            let assertion = try world.assertion(algorithm: algorithm)
            #expect(
                try rejection(
                    await world.receive(
                        pushed, body: try changed(pushed.body, ["client_assertion": assertion]))
                ).first == expected)
            #expect(
                try await world.rejection(object: world.object(algorithm: algorithm)).first
                    == expected)
        }
        let pushed = try await world.party.push(AuthorizationRequest(), at: World.now).request
        let prover = try DPoPProver(key: TestKeys.stranger, algorithm: other)
        let proof = try prover.proof(method: "POST", url: FAPIWorld.push, at: World.now)
        #expect(
            try rejection(await world.receive(pushed, proofs: [proof]))
                == [rejected, "invalid_dpop_proof", "400"])
        await expectRule("by the prover's algorithm") {
            _ = try await world.party.push(AuthorizationRequest(), prover: prover, at: World.now)
        }
        let login = try await world.login()
        let tokens = try await login.tokens()
        func sign(_ token: String, _ type: String? = nil) throws -> String {
            let members = try JSONDecoder().decode(
                [String: JSONValue].self,
                from: JSONSerialization.data(withJSONObject: TokenText.claims(token)))
            return try world.signed(members, by: world.providerKey, other, type: type)
        }
        await expectRejection(rejected) {
            _ = try await world.party.verifyIDToken(
                sign(tokens.idToken), for: login.started.session,
                accessToken: tokens.accessToken, at: World.now)
        }
        await expectRejection(rejected) {
            _ = try await world.party.response(
                "response=" + sign(need(login.redirect.parameters["response"])), login.started)
        }
        let access = try sign(tokens.accessToken, "at+jwt")
        await expectRejection(rejected) {
            _ = try await world.server.verify(world.resourceRequest(access), at: World.now)
        }
    }

    @Test("5.4.1-1: EdDSA by its older name lets no Ed448 in") func edwards() async throws {
        let world = try FAPIWorld(by: .ed25519)
        let key = try JWK.generate(.curve(.ed448), keyID: "448", use: .signature)
        // The client published the key on Ed448 too, so that the algorithm alone is in its way.
        let client = try world.provider.client(
            World.registration(secret: nil),
            keys: JWKSet(keys: [key, world.partyKey]).publicKeys)
        for (key, algorithm, expected) in [
            (world.partyKey, SignatureAlgorithm.edDSA, nil), (world.partyKey, .ed25519, nil),
            (key, .edDSA, "key-unusable"), (key, .ed448, "algorithm-not-allowed"),
        ] {
            let assertion = try world.assertion(by: key, algorithm: algorithm)
            guard let expected else {
                try await client.verify(assertion: assertion, at: World.now)
                continue
            }
            await expectRejection(expected) {
                try await client.verify(assertion: assertion, at: World.now)
            }
        }
        await expectRejection("key-unusable") { _ = try DPoPProver(key: key) }
        let prover = try DPoPProver(
            key: .generate(.curve(.ed25519), use: .signature),
            algorithm: .edDSA)
        let pushed = try await world.party.push(
            AuthorizationRequest(), prover: prover, at: World.now)
        _ = try await world.receive(pushed.request).accepted()
    }

    /// Rules that are weaker than the profile, each with what a client that keeps them is told.
    private static let weaker: [(String, String, @Sendable (inout OpenIDProfile) -> Void)] = [
        (
            "an assertion for the endpoint's URL", "claim-rejected aud",
            {
                $0.client.audience = .pushedRequestEndpoint
            }
        ),
        ("no code challenge", "malformed", { $0.authorization.requiresPKCE = false }),
        ("a secret", "claim-rejected client_assertion", { $0.client.authentication = .basic }),
    ]

    @Test("a client that keeps weaker rules is rejected", arguments: weaker.indices)
    func weakClients(_ index: Int) async throws {
        let (what, expected, change) = Self.weaker[index]
        var lax = OpenIDProfile.fapi2
        change(&lax)
        let world = try FAPIWorld(.fapi2, party: lax)
        #expect(
            try rejection(await world.receive(world.pushed().request)).first == expected, "\(what)")
    }

    @Test("mix-up: the code and the assertion of one provider are worth nothing at another")
    func mixUp() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        // The attacker's provider, which the client knows too.
        let evil = try ProviderMetadata(
            issuer: "https://evil.example", authorizationEndpoint: "https://evil.example/a",
            tokenEndpoint: "https://evil.example/t", jwksURI: "https://evil.example/k",
            pushedRequestEndpoint: "https://evil.example/par", profile: .fapi2)
        let party = try World.party(
            .fapi2, evil, keys: JWKSet(keys: [world.partyKey]), secret: nil,
            providerKeys: JWKSet(keys: [world.providerKey]).publicKeys)
        let pushed = try await party.push(
            AuthorizationRequest(), prover: world.prover, at: World.now)
        // The user was sent on to the honest one, whose answer comes back in the attacker's login.
        let stolen = try changed(
            login.redirect.parameters.encoded, ["state": .some(pushed.session.state)])
        await expectRejection("claim-rejected iss") {
            _ = try await party.response(query: stolen, for: pushed.session)
        }
        await expectRejection("misuse") {
            _ = try await party.tokenRequest(
                code: login.grant.code, for: login.started.session, prover: world.prover,
                at: World.now)
        }
        // What the client sent to the attacker is handed on.
        let honest = try await world.pushed().request
        let assertion = try need(pushed.request.parameters["client_assertion"])
        #expect(
            try rejection(
                await world.receive(
                    honest, body: try changed(honest.body, ["client_assertion": assertion]))
            )
            .prefix(2) == ["claim-rejected aud", "invalid_client"])
        #expect(
            try rejection(await world.receive(honest, proofs: pushed.request.proofs)).first
                == "claim-rejected htu")
    }

    @Test("everything that was sent once is rejected the second time") func repeated() async throws {
        let world = try FAPIWorld()
        let pushed = try await world.pushed()
        let kept = try await world.receive(pushed.request).accepted()
        #expect(
            try rejection(await world.receive(pushed.request)).prefix(2)
                == ["replayed", "invalid_client"])
        let fresh = try changed(
            pushed.request.body, ["client_assertion": try world.assertion()])
        #expect(
            try rejection(await world.receive(pushed.request, body: fresh))
                == ["replayed", "invalid_dpop_proof", "400"])
        // The reference, by two browsers.
        let started = try world.party.start(
            pushed,
            PushedAuthorizationResponse(
                json: RequestVerdict<PushedRequest, RejectedRequest>.accepted(kept).response().body))
        var received: [ReceivedAuthorization] = []
        for _ in 0..<2 {
            let request = try await world.client.receive(started)
            received.append(request)
        }
        _ = try await world.client.grant(received[0], at: World.now)
        await expectRejection("replayed") {
            _ = try await world.client.grant(received[1], at: World.now)
        }
        await expectRejection("claim-rejected request_uri") {
            _ = try await world.client.browse(started)
        }
        // The token request as a whole.
        let login = try await world.login()
        let request = try await login.tokenRequest()
        _ = try await world.receive(token: request)
        await expectRejection("replayed") { _ = try await world.receive(token: request) }
    }

    @Test("another client of the provider gets nothing by a stolen reference or code")
    func otherClient() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        let key = try JWK.generate(.curve(.p256), keyID: "evil", use: .signature)
        let keys = JWKSet(keys: [key])
        let evil = try world.provider.client(
            ClientRegistration(
                clientID: "client-2", redirectURIs: ["https://evil.example/callback"]),
            keys: keys.publicKeys)
        let party = try World.party(
            .fapi2, world.metadata, clientID: "client-2", keys: keys, secret: nil,
            providerKeys: JWKSet(keys: [world.providerKey]).publicKeys)
        let reference = query(login.started.url).replacing("client-1", with: "client-2")
        let second = try await world.login()
        for query in [reference, query(second.started.url).replacing("client-1", with: "client-2")]
        {
            await expectRejection("claim-rejected request_uri") {
                _ = try await evil.receive(authorization: query, at: World.now)
            }
        }
        let prover = try DPoPProver.fresh()
        let own = try await party.push(AuthorizationRequest(), prover: prover, at: World.now)
        #expect(
            try rejection(
                await evil.receive(
                    pushedRequest: own.request.body, proofs: own.request.proofs, at: World.now))
                == ["claim-rejected redirect_uri", "invalid_request", "400"])
        let request = try await party.tokenRequest(
            code: login.grant.code, for: own.session, prover: prover, at: World.now)
        let proved = try await evil.receive(
            tokenRequest: request.body, proofs: request.proofs, at: World.now)
        await expectRejection("claim-rejected code") {
            try await evil.redeem(proved, login.grant, at: World.now)
        }
    }

    @Test(
        "a stolen access token: without its key, as a bearer token, at another resource or method")
    func stolenToken() async throws {
        let world = try FAPIWorld()
        let tokens = try await world.login().tokens()
        let token = tokens.accessToken
        let url = FAPIWorld.resource + "/accounts"
        func use(_ scheme: String, _ proofs: [String], method: String = "GET") async throws {
            _ = try await world.server.verify(
                ResourceRequest(
                    method: method, url: url, authorization: scheme + " " + token,
                    proofs: proofs), at: World.now)
        }
        func proof(
            _ prover: DPoPProver, _ url: String, _ token: String?, method: String = "GET"
        ) throws -> String {
            try prover.proof(method: method, url: url, accessToken: token, at: World.now)
        }
        let good = try proof(world.prover, url, token)
        for (scheme, proofs, code) in [
            ("Bearer", [], "claim-rejected cnf"), ("Bearer", [good], "claim-rejected cnf"),
            ("DPoP", [], "claim-rejected DPoP"),
            ("DPoP", [try proof(.fresh(), url, token)], "claim-rejected cnf"),
            ("DPoP", [try proof(world.prover, url, token, method: "POST")], "claim-rejected htm"),
            ("DPoP", [try proof(world.prover, url + "/1", token)], "claim-rejected htu"),
            ("DPoP", [try proof(world.prover, url, token + "x")], "claim-rejected ath"),
            ("DPoP", [try proof(world.prover, url, nil)], "claim-rejected ath"),
            ("DPoP", [good, good], "malformed"),
        ] { await expectRejection(code, scheme) { try await use(scheme, proofs) } }
        try await use("DPoP", [good])
        await expectRejection("replayed") { try await use("DPoP", [good]) }
        // One kind of token for another.
        let idToken = tokens.idToken
        await expectRejection("claim-rejected typ") {
            _ = try await world.server.verify(world.resourceRequest(idToken, url), at: World.now)
        }
        let login = try await world.login()
        let access = try await login.accessToken(
            TokenBinding(keyThumbprint: world.prover.keyThumbprint))
        await expectRejection("claim-rejected typ") {
            _ = try await world.party.open(access, login.started)
        }
    }
}
