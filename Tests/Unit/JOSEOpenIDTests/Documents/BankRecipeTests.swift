// The FAPI 2.0 recipe against a test bank, and each rejection that its page documents.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0 recipe")
struct BankRecipeTests {
    @Test(
        "a login with pushed request, a declined one, a used code, and failing servers",
        arguments: [false, true])
    func bank(_ isSigned: Bool) async throws {
        let bank = try await RecipeBank(isSigned ? .fapi2MessageSigning : .fapi2)
        let customer = BankClient(party: bank.party, prover: try .fresh()) {
            try await bank.post($0)
        }
        let started = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let back = try await bank.browse(started.url)
        let tokens = try await customer.finish(back, started.session)
        #expect(tokens.type == .dpop)
        // The nonce was requested once, at the pushed request, and again at the token request.
        #expect(await bank.rejections == 2)
        let again = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let no = try await bank.browse(again.url, says: false)
        let rejected = await #expect(throws: AuthorizationError.self) {
            _ = try await customer.finish(no, again.session)
        }
        #expect(rejected?.code == .accessDenied)
        // A code works once: the second time the bank reports the error.
        let used = await #expect(throws: TokenError.self) {
            _ = try await customer.finish(back, started.session)
        }
        #expect(used?.code == .invalidGrant)
        let silent = BankClient(party: bank.party, prover: try .fresh()) { request in
            let response = try await bank.post(request)
            return try OpenIDHTTPResponse(status: response.status, body: response.body)
        }
        let asked = await #expect(throws: TokenError.self) {
            _ = try await silent.start(AuthorizationRequest(scopes: ["accounts"]))
        }
        #expect(asked?.code == .useDPoPNonce)
        // A proxy's response does not count as the bank's, whatever it contains.
        let pushed = #"{"request_uri":"urn:x","expires_in":60}"#
        for body in ["<html>Bad Gateway</html>", pushed] {
            let proxy = BankClient(party: bank.party, prover: try .fresh()) { _ in
                try OpenIDHTTPResponse(status: 502, body: body)
            }
            await #expect(throws: JOSEError.self) {
                _ = try await proxy.start(AuthorizationRequest(scopes: ["accounts"]))
            }
        }
    }

    @Test("the bank side: an API nonce, a refresh token, and malformed client requests")
    func provider() async throws {
        let bank = try await RecipeBank(.fapi2)
        let prover = try DPoPProver.fresh()
        let customer = BankClient(party: bank.party, prover: prover) { try await bank.post($0) }
        let started = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let back = try await bank.browse(started.url)
        let tokens = try await customer.finish(back, started.session)
        func get(_ tokens: TokenResponse, _ nonce: DPoPNonce? = nil) async throws
            -> OpenIDHTTPResponse
        {
            let headers = try accountHeaders(tokens, prover, nonce: nonce)
            return try await bank.api.get(BankAPI.name, headers[0].value, [headers[1].value])
        }
        let asked = try await get(tokens)
        #expect(asked.status == 401)
        let nonce = try DPoPNonce(header: need(asked.header("DPoP-Nonce")))
        let response = try await get(tokens, nonce)
        #expect(response.status == 200 && response.body == "zoe")
        // The refresh token stays the same. Its access token is bound, whatever the proof's key.
        let refresh = try need(tokens.refreshToken)
        for key in [prover, try DPoPProver.fresh()] {
            let (request, body) = try await customer.send {
                let request = try await bank.party.refreshRequest(
                    refreshToken: refresh, prover: key, nonce: $0)
                return (request, request)
            }
            let next = try AccessTokenResponse(json: body, to: request)
            #expect(next.refreshToken == refresh && next.type == .dpop)
        }
        for (form, code) in [
            ("%", OAuthErrorCode.invalidRequest), ("", .invalidClient),
            ("client_id=x", .invalidClient), ("client_id=MY_CLIENT", .invalidRequest),
            ("client_id=MY_CLIENT&grant_type=x", .unsupportedGrantType),
            ("client_id=MY_CLIENT&grant_type=refresh_token&refresh_token=x", .invalidClient),
        ] {
            let response = try await bank.post(form)
            #expect(
                try response.status == 400 && TokenError(json: response.body).code == code,
                "\(form)")
        }
    }

    @Test("each failure produces the documented message") func failures() async throws {
        let bank = try await RecipeBank(.fapi2)
        let customer = BankClient(party: bank.party, prover: try .fresh()) {
            try await bank.post($0)
        }
        let started = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let back = try await bank.browse(started.url)
        let stranger = BankClient(party: bank.party, prover: try .fresh()) {
            try await bank.post($0)
        }
        let text = try String(
            contentsOf: RecipeTests.folder.appending(path: "FAPI2.md"), encoding: .utf8)
        let rsa = try JWKSet(keys: [.generate(.rsa, use: .signature, algorithm: .rs256)])
        for rejection in [
            await said { _ = try await bank.party.start(AuthorizationRequest()) },
            await said { _ = try await stranger.finish(back, started.session) },
            await said {
                let (issuer, theirs) = (RecipeBank.issuer, try bank.party.publishedKeys())
                _ = try await RelyingParty(
                    profile: .fapi2, metadata: bank.metadata, clientID: "rp", redirectURI: issuer,
                    keys: rsa, providerKeys: theirs
                ).push(AuthorizationRequest())
            },
            await said {
                // RFC 9449 5: a bearer token was not requested, and the profile accepts only bound
                // tokens.
                let generous = BankClient(party: bank.party, prover: customer.prover) {
                    let response = try await bank.post($0)
                    return response.status == 200
                        ? try OpenIDHTTPResponse(status: 200, body: bearer) : response
                }
                _ = try await generous.finish(back, started.session)
            },
            await said {
                _ = try await bank.party.authorizationResponse(
                    query: back.replacing("iss=", with: "other="), for: started.session)
            },
        ] {
            #expect(text.contains("| `\(rejection)` |"), "FAPI2: \(rejection)")
        }
    }

    private let bearer = #"{"access_token":"a","token_type":"Bearer","id_token":"e.e.e"}"#
}
