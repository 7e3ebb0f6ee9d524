// FAPI 2.0 Security Profile, 5.3.2.1: what every provider keeps.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: requirements for providers")
struct FAPIProviderTests {
    @Test(
        "a whole login, signed by each algorithm of the profile",
        arguments: FAPIWorld.presets, [SignatureAlgorithm.es256, .ps256, .ed25519])
    func login(_ profile: OpenIDProfile, _ algorithm: SignatureAlgorithm) async throws {
        let world = try FAPIWorld(profile, by: algorithm)
        var request = AuthorizationRequest(scopes: ["accounts", "payments"])
        request.resources = [FAPIWorld.resource]
        let login = try await world.login(request)
        #expect(login.received.scopes == ["openid", "accounts", "payments"])
        #expect(login.received.resources == [FAPIWorld.resource])
        #expect(login.received.isSigned == (profile.requestObject.delivery == .byValue))
        let tokens = try await login.tokens()
        let idToken = try await world.party.verifyIDToken(
            tokens.idToken, for: login.started.session, accessToken: tokens.accessToken,
            code: login.grant.code, at: World.now)
        #expect(idToken.subject == "user-1")
        let access = try await world.server.verify(
            world.resourceRequest(tokens.accessToken, FAPIWorld.resource + "/accounts"),
            scopes: ["read"], at: World.now)
        #expect(access.subject == "user-1" && access.clientID == World.clientID)
        let told = try await world.client.responses().userInfo(subject: "user-1", at: World.now)
        #expect(try await world.party.verifyUserInfo(told, for: idToken).subject == "user-1")
    }

    @Test(
        "5.3.2.1-1: the document says what the profile demands; one that does not is rejected",
        arguments: FAPIWorld.presets)
    func metadata(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let members = world.metadata.members
        for name in [
            "require_pushed_authorization_requests",
            "authorization_response_iss_parameter_supported",
        ] { #expect(members[name] == true, "\(name)") }
        #expect(members["request_uri_parameter_supported"] == false)
        #expect(
            world.metadata.list("token_endpoint_auth_methods_supported") == ["private_key_jwt"])
        let algorithms = ["ES256", "PS256", "Ed25519", "EdDSA"]
        for name in ["id_token", "request_object", "introspection"] {
            #expect(world.metadata.list(name + "_signing_alg_values_supported") == algorithms)
        }
        let name = "token_endpoint_auth_signing_alg_values_supported"
        #expect(world.metadata.list(name) == algorithms)
        #expect(
            world.metadata.list("dpop_signing_alg_values_supported") == algorithms)
        let isSigned = profile.requestObject.isRequired
        #expect((members["require_signed_request_object"] == true) == isSigned)
        #expect(
            world.metadata.list("response_modes_supported")
                == (isSigned ? ["jwt"] : ["query", "form_post"]))
        _ = try ProviderMetadata(
            json: world.metadata.json(), issuer: World.issuer, profile: profile)
        // A signed answer names its issuer by itself, so that RFC 9207 adds nothing (JARM, 2.1); by
        // which algorithms objects may be signed need not be said (Discovery 1.0, 3).
        var bare = members
        bare["authorization_response_iss_parameter_supported"] = nil
        bare["request_object_signing_alg_values_supported"] = nil
        let text = try jsonText(bare)
        if isSigned {
            let read = try ProviderMetadata(json: text, issuer: World.issuer, profile: profile)
            #expect(!read.sendsIssuerInResponse)
        } else {
            await expectRejection("claim-rejected authorization_response_iss_parameter_supported") {
                _ = try ProviderMetadata(json: text, issuer: World.issuer, profile: profile)
            }
        }
        for (name, value) in [
            ("authorization_response_iss_parameter_supported", false),
            ("authorization_response_iss_parameter_supported", "true"),
            ("pushed_authorization_request_endpoint", "http://idp.example/par"),
            ("code_challenge_methods_supported", ["plain"]),
            ("dpop_signing_alg_values_supported", ["RS256"]),
            ("token_endpoint_auth_methods_supported", ["client_secret_basic"]),
            ("token_endpoint_auth_signing_alg_values_supported", ["RS256"]),
            ("id_token_signing_alg_values_supported", ["RS256"]),
        ] as [(String, JSONValue)] {
            guard !isSigned || !name.hasPrefix("authorization_response") else { continue }
            await expectRejection("claim-rejected \(name)") {
                _ = try World.metadata(profile, [name: value])
            }
        }
    }

    @Test("5.3.2.1-2: no password is changed into a token, nor anything but a code")
    func grants() async throws {
        let world = try FAPIWorld()
        let request = try await world.login().tokenRequest()
        for type in ["password", "client_credentials", "implicit", "urn:x"] {
            let body = try changed(
                request.body, ["grant_type": type, "username": "zoe", "password": "p"])
            await expectTokenError(.unsupportedGrantType, "unsupported", type) {
                _ = try await world.receive(token: request, body: body)
            }
        }
    }

    @Test(
        "5.3.2.1-3 and 6, 5.3.2.2-4: who does not prove itself by private_key_jwt gets nothing",
        arguments: FAPIWorld.presets)
    func clients(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let bare: [String: String?] = [
            "client_assertion": nil, "client_assertion_type": nil,
            "client_id": .some(World.clientID),
        ]
        let pushed = try await world.pushed().request
        let token = try await world.login().tokenRequest()
        let refresh = try await world.party.refreshRequest(
            refreshToken: "a.b", prover: world.prover, at: World.now)
        let asked = try await world.introspector.request(token: "t", at: World.now)
        for (header, secret) in [(nil, nil), ("Basic Y2xpZW50LTE6cw==", nil), (nil, "s")] {
            var change = bare
            change["client_secret"] = secret
            let claim = secret == nil ? "client_assertion" : "client_secret"
            #expect(
                try rejection(
                    await world.client.receive(
                        pushedRequest: changed(pushed.body, change), authorization: header,
                        proofs: pushed.proofs, at: World.now)
                ).prefix(2) == ["claim-rejected \(claim)", "invalid_client"])
            await expectTokenError(.invalidClient, "claim-rejected \(claim)") {
                _ = try await world.client.receive(
                    tokenRequest: changed(token.body, change), authorization: header,
                    proofs: token.proofs, at: World.now)
            }
            await expectRejection("claim-rejected \(claim)") {
                _ = try await world.client.receive(
                    refreshRequest: changed(refresh.body, change), authorization: header,
                    proofs: refresh.proofs, at: World.now)
            }
            await expectRejection("claim-rejected \(claim)") {
                _ = try await world.client.receive(
                    introspection: changed(asked.body, change), authorization: header,
                    at: World.now)
            }
        }
    }

    @Test("5.3.2.1-4 and 5: every access token is bound, to a key or to a certificate")
    func bound() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        let request = try await login.tokenRequest()
        await expectTokenError(.invalidDPoPProof, "claim-rejected DPoP") {
            _ = try await world.receive(token: request, proofs: [])
        }
        await expectRule("are bound to keys") { _ = try await login.accessToken(TokenBinding()) }
        await expectRule("give a prover") {
            _ = try await world.party.tokenRequest(login.grant.code, login.started.session)
        }
        await expectRule("give a prover") {
            _ = try await world.party.refreshRequest(refreshToken: "a.b", at: World.now)
        }
        // By mutual TLS: no proofs, and all else as it is.
        let mutual = try FAPIWorld(.fapi2.with { $0.accessToken.proofs = .ignored })
        let other = try await mutual.login()
        let proved = try await mutual.receive(
            token: mutual.party.tokenRequest(
                code: other.grant.code, for: other.started.session, prover: mutual.prover,
                at: World.now))
        try await mutual.client.redeem(proved, other.grant, at: World.now)
        await expectRule("binds every access token") {
            _ = try await other.accessToken(
                TokenBinding(keyThumbprint: proved.keyThumbprint))
        }
        let certificate = [UInt8]("der".utf8)
        let token = try await other.accessToken(TokenBinding(clientCertificate: certificate))
        func use(_ certificate: [UInt8]?) async throws {
            _ = try await mutual.server.verify(
                ResourceRequest(
                    method: "GET", url: FAPIWorld.resource, authorization: "Bearer " + token,
                    clientCertificate: certificate), at: World.now)
        }
        try await use(certificate)
        for other in [nil, [0]] as [[UInt8]?] {
            await expectRejection("claim-rejected cnf") { try await use(other) }
        }
    }

    @Test(
        "5.3.2.1-8: an assertion is for the issuer, which is a string, at every endpoint",
        arguments: FAPIWorld.presets)
    func audience(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let issuer = JSONValue.string(World.issuer)
        let pushed = try await world.pushed().request
        let token = try await world.login().tokenRequest()
        let asked = try await world.introspector.request(token: "t", at: World.now)
        for (audience, isTaken) in [
            (issuer, true), ([issuer], false), (.string(FAPIWorld.token), false),
            (.string(FAPIWorld.push), false), ([issuer, .string(FAPIWorld.token)], false),
            (.string(World.issuer + "/"), false), (nil, false),
        ] as [(JSONValue?, Bool)] {
            let expected = isTaken ? "accepted" : "claim-rejected aud"
            func body(_ request: TokenRequest) throws -> String {
                let assertion = try world.assertion(["aud": audience])
                return try changed(request.body, ["client_assertion": assertion])
            }
            let proof = try world.prover.proof(
                method: "POST", url: FAPIWorld.push, at: World.now)
            let verdict = await world.receive(pushed, body: try body(pushed), proofs: [proof])
            #expect(try rejection(verdict).first == expected, "\(String(describing: audience))")
            func other(_ send: () async throws -> Void) async throws {
                guard !isTaken else { return try await send() }
                await expectTokenError(.invalidClient, expected) { try await send() }
            }
            try await other {
                _ = try await world.receive(token: token, body: try body(token))
            }
            try await other {
                _ = try await world.client.receive(introspection: body(asked), at: World.now)
            }
        }
    }
}
