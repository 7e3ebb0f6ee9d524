// FAPI 2.0 Security Profile 5.3.2.1: requirements for providers.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: requirements for providers")
struct FAPIProviderTests {
    @Test(
        "a full login, signed with each algorithm of the profile",
        arguments: FAPIEnvironment.presets, [SignatureAlgorithm.es256, .ps256, .ed25519])
    func login(_ profile: OpenIDProfile, _ algorithm: SignatureAlgorithm) async throws {
        let env = try FAPIEnvironment(profile, by: algorithm)
        var request = AuthorizationRequest(scopes: ["accounts", "payments"])
        request.resources = [FAPIEnvironment.resource]
        let login = try await env.login(request)
        #expect(login.received.scopes == ["openid", "accounts", "payments"])
        #expect(login.received.resources == [FAPIEnvironment.resource])
        #expect(login.received.isSigned == (profile.requestObject.delivery == .byValue))
        let tokens = try await login.tokens()
        let idToken = try await env.party.verifyIDToken(
            tokens.idToken, for: login.started.session, accessToken: tokens.accessToken,
            code: login.grant.code, at: .testNow)
        #expect(idToken.subject == "user-1")
        let access = try await env.server.verify(
            env.resourceRequest(tokens.accessToken, FAPIEnvironment.resource + "/accounts"),
            scopes: ["read"], at: .testNow)
        #expect(access.subject == "user-1" && access.clientID == TestEnvironment.clientID)
        let reported = try await env.client.tokenIssuer().userInfo(subject: "user-1", at: .testNow)
        #expect(try await env.party.verifyUserInfo(reported, for: idToken).subject == "user-1")
    }

    @Test(
        "5.3.2.1-1: the metadata meet the profile, and non-conforming metadata are rejected",
        arguments: FAPIEnvironment.presets)
    func metadata(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let members = env.metadata.members
        for name in [
            "require_pushed_authorization_requests",
            "authorization_response_iss_parameter_supported",
        ] { #expect(members[name] == true, "\(name)") }
        #expect(members["request_uri_parameter_supported"] == false)
        #expect(
            env.metadata.list("token_endpoint_auth_methods_supported") == ["private_key_jwt"])
        let algorithms = ["ES256", "PS256", "Ed25519", "EdDSA"]
        for name in ["id_token", "request_object", "introspection"] {
            #expect(env.metadata.list(name + "_signing_alg_values_supported") == algorithms)
        }
        #expect(env.metadata.list("token_endpoint_auth_signing_alg_values_supported") == algorithms)
        #expect(
            env.metadata.list("dpop_signing_alg_values_supported") == algorithms)
        let isSigned = profile.requestObject.isRequired
        #expect((members["require_signed_request_object"] == true) == isSigned)
        #expect(
            env.metadata.list("response_modes_supported")
                == (isSigned ? ["jwt"] : ["query", "form_post"]))
        _ = try TestEnvironment.read(env.metadata.json(), profile)
        // A signed response contains its issuer, so RFC 9207 adds nothing (JARM 2.1). The metadata
        // need not list request object algorithms (Discovery 1.0, 3).
        let name = "authorization_response_iss_parameter_supported"
        var bare = members
        bare[name] = nil
        bare["request_object_signing_alg_values_supported"] = nil
        let text = try jsonText(bare)
        await expectResult(isSigned ? nil : "claim-rejected " + name) {
            let read = try TestEnvironment.read(text, profile)
            #expect(!read.sendsIssuerInResponse)
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
                _ = try TestEnvironment.metadata(profile, [name: value])
            }
        }
    }

    @Test("5.3.2.1-2: only a code is exchanged for a token, never a password")
    func grants() async throws {
        let env = try FAPIEnvironment()
        let request = try await env.login().tokenRequest()
        for type in ["password", "client_credentials", "implicit", "urn:x"] {
            let body = try changed(
                request.body, ["grant_type": type, "username": "zoe", "password": "p"])
            await expectTokenError(.unsupportedGrantType, "unsupported", type) {
                _ = try await env.receive(token: request, body: body)
            }
        }
    }

    @Test(
        "5.3.2.1-3 and 6, 5.3.2.2-4: clients without private_key_jwt are rejected",
        arguments: FAPIEnvironment.presets)
    func clients(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let bare: [String: String?] = [
            "client_assertion": nil, "client_assertion_type": nil,
            "client_id": .some(TestEnvironment.clientID),
        ]
        let pushed = try await env.pushed().request
        let token = try await env.login().tokenRequest()
        let refresh = try await env.party.refreshRequest(
            refreshToken: "a.b", prover: env.prover, at: .testNow)
        let asked = try await env.introspector.request(token: "t", at: .testNow)
        for (header, secret) in [(nil, nil), ("Basic Y2xpZW50LTE6cw==", nil), (nil, "s")] {
            var change = bare
            change["client_secret"] = secret
            let claim = secret == nil ? "client_assertion" : "client_secret"
            #expect(
                try rejection(
                    await env.client.receivePushedRequest(
                        changed(pushed.body, change), authorization: header, proofs: pushed.proofs,
                        at: .testNow)
                ).prefix(2) == ["claim-rejected \(claim)", "invalid_client"])
            await expectTokenError(.invalidClient, "claim-rejected \(claim)") {
                _ = try await env.client.receiveTokenRequest(
                    changed(token.body, change), authorization: header, proofs: token.proofs,
                    at: .testNow)
            }
            await expectRejection("claim-rejected \(claim)") {
                _ = try await env.client.receiveRefreshRequest(
                    changed(refresh.body, change), authorization: header, proofs: refresh.proofs,
                    at: .testNow)
            }
            await expectRejection("claim-rejected \(claim)") {
                _ = try await env.client.receiveIntrospectionRequest(
                    changed(asked.body, change), authorization: header, at: .testNow)
            }
        }
    }

    @Test("5.3.2.1-4 and 5: every access token is bound to a key or a certificate")
    func bound() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        let request = try await login.tokenRequest()
        await expectTokenError(.invalidDPoPProof, "claim-rejected DPoP") {
            _ = try await env.receive(token: request, proofs: [])
        }
        await expectRule("are bound to keys") { _ = try await login.accessToken(TokenBinding()) }
        await expectRule("pass a prover") {
            _ = try await env.party.tokenRequest(login.grant.code, login.started.session)
        }
        await expectRule("pass a prover") {
            _ = try await env.party.refreshRequest(refreshToken: "a.b", at: .testNow)
        }
        // With mutual TLS: no proofs, all else unchanged.
        let mutual = try FAPIEnvironment(.fapi2.with { $0.accessToken.proofs = .ignored })
        let other = try await mutual.login()
        let proved = try await mutual.receive(
            token: mutual.party.tokenRequest(
                code: other.grant.code, for: other.started.session, prover: mutual.prover,
                at: .testNow))
        try await mutual.client.redeem(proved, other.grant, at: .testNow)
        await expectRule("requires a binding") {
            _ = try await other.accessToken(
                TokenBinding(keyThumbprint: proved.keyThumbprint))
        }
        let certificate = [UInt8]("der".utf8)
        let token = try await other.accessToken(TokenBinding(clientCertificate: certificate))
        func use(_ certificate: [UInt8]?) async throws {
            try await mutual.server.get("Bearer " + token, certificate: certificate)
        }
        try await use(certificate)
        for other in [nil, [0]] as [[UInt8]?] {
            await expectRejection("claim-rejected cnf") { try await use(other) }
        }
    }

    @Test(
        "5.3.2.1-8: an assertion's aud is the issuer as a string, at every endpoint",
        arguments: FAPIEnvironment.presets)
    func audience(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let issuer = JSONValue.issuer
        let pushed = try await env.pushed().request
        let token = try await env.login().tokenRequest()
        let asked = try await env.introspector.request(token: "t", at: .testNow)
        for (audience, isTaken) in [
            (issuer, true), ([issuer], false), (.string(FAPIEnvironment.token), false),
            (.string(FAPIEnvironment.push), false),
            ([issuer, .string(FAPIEnvironment.token)], false),
            (.string(TestEnvironment.issuer + "/"), false), (nil, false),
        ] as [(JSONValue?, Bool)] {
            let expected = isTaken ? "accepted" : "claim-rejected aud"
            func body(_ request: TokenRequest) throws -> String {
                let assertion = try env.assertion(["aud": audience])
                return try changed(request.body, ["client_assertion": assertion])
            }
            let proof = try env.prover.post(FAPIEnvironment.push)
            let verdict = await env.receive(pushed, body: try body(pushed), proofs: [proof])
            #expect(try rejection(verdict).first == expected, "\(String(describing: audience))")
            func other(_ send: () async throws -> Void) async throws {
                guard !isTaken else { return try await send() }
                await expectTokenError(.invalidClient, expected) { try await send() }
            }
            try await other {
                _ = try await env.receive(token: token, body: try body(token))
            }
            try await other {
                _ = try await env.client.receiveIntrospectionRequest(body(asked), at: .testNow)
            }
        }
    }
}
