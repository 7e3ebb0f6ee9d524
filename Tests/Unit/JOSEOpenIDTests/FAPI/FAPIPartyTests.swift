// FAPI 2.0 Security Profile 5.3.3 to 5.4.1: clients, resource servers and keys.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: clients, resource servers, keys")
struct FAPIPartyTests {
    @Test(
        "5.3.3.1-5, 5.3.3.2: issuer aud as a string, own challenge, two browser parameters",
        arguments: FAPIEnvironment.presets)
    func sent(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let (first, second) = await (try env.pushed(), try env.pushed())
        let verifiers = try [first, second].map { try need($0.session.codeVerifier) }
        #expect(verifiers[0] != verifiers[1])
        for pushed in [first, second] {
            let assertion = try need(pushed.request.parameters["client_assertion"])
            let claims = try TokenText.claims(assertion)
            #expect(claims["aud"] as? String == TestEnvironment.issuer)
            #expect(pushed.request.url == FAPIEnvironment.push)
        }
        let login = try await env.login()
        let names = try urlParameters(login.started.url).all.map(\.name)
        #expect(names == ["client_id", "request_uri"])
        let token = try await login.tokenRequest()
        let claims = try TokenText.claims(need(token.parameters["client_assertion"]))
        #expect(claims["aud"] as? String == TestEnvironment.issuer)
    }

    @Test("5.3.3.1-3: a client sends access tokens in the header, with a proof")
    func header() async throws {
        let env = try FAPIEnvironment()
        await expectRule("pass a prover") {
            _ = try await env.party.userInfoRequest(accessToken: "t", at: .testNow)
        }
        await expectRule("in the header") {
            _ = try await env.party.userInfoRequest(
                accessToken: "t", method: .postForm, prover: env.prover, at: .testNow)
        }
        let request = try await env.party.userInfoRequest(
            accessToken: "t", prover: env.prover, at: .testNow)
        #expect(request.headers.contains(OpenIDParameter("Authorization", "DPoP t")))
        #expect(!request.url.contains("t="))
    }

    // MARK: Resource servers

    @Test("5.3.4: only bound tokens in the header, for this resource and scope")
    func resource() async throws {
        let env = try FAPIEnvironment()
        let tokens = try await env.login().tokens()
        let url = FAPIEnvironment.resource + "/accounts"
        func use(
            _ scheme: String = "DPoP", url: String = url, scopes: [String] = ["read"],
            prover: DPoPProver? = nil, token: String? = nil
        ) async throws {
            let token = token ?? tokens.accessToken
            let proof = try (prover ?? env.prover).proof(
                method: "GET", url: url, accessToken: token, at: .testNow)
            _ = try await env.server.verify(
                ResourceRequest(
                    method: "GET", url: url, authorization: scheme + " " + token, proofs: [proof]),
                scopes: scopes, at: .testNow)
        }
        try await use()
        await expectRejection("malformed") {
            try await use(url: url + "?access_token=" + tokens.accessToken)
        }
        await expectRejection("claim-rejected access_token") {
            _ = try ResourceRequest(method: "GET", url: url, authorization: nil)
        }
        let bearer = await expectRejection("claim-rejected cnf") { try await use("Bearer") }
        let response = try env.server.error(rejecting: need(bearer), at: .testNow).response()
        #expect(response.status == 401)
        #expect(
            response.header("WWW-Authenticate")
                == #"DPoP error="invalid_token", algs="ES256 PS256 Ed25519 EdDSA""#)
        let unknown = try ResourceError(
            .invalidToken, proofs: env.provider.proofs, isBound: true)
        #expect(try unknown.response().status == 401)
        #expect(unknown.header == response.header("WWW-Authenticate"))
        await expectRejection("claim-rejected cnf") { try await use(prover: .fresh()) }
        await expectRejection("claim-rejected scope") { try await use(scopes: ["write"]) }
        // An unbound token of a provider with another profile.
        let unbound = try env.signed(
            [
                "iss": .issuer, "aud": .string(FAPIEnvironment.resource), "sub": "u",
                "client_id": .clientID, "jti": "1", "iat": .now(), "exp": .now(60),
            ], by: env.providerKey, .es256, type: "at+jwt")
        for scheme in ["Bearer", "DPoP"] {
            await expectRejection("claim-rejected cnf") { try await use(scheme, token: unbound) }
        }
    }
}
