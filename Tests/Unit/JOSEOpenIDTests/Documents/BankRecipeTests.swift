// The recipe of FAPI 2.0 against a bank of ours, and each refusal that its page tells of.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Recipe of FAPI 2.0")
struct BankRecipeTests {
    @Test("under 40 lines, from the pushed request to the resource", arguments: [false, true])
    func bank(_ isSigned: Bool) async throws {
        let bank = try RecipeBank(isSigned ? .fapi2MessageSigning : .fapi2)
        let customer = BankClient(party: bank.party, prover: try .fresh()) {
            try await bank.post($0)
        }
        let started = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let back = try await bank.browse(started.url)
        let tokens = try await customer.finish(back, started.remembered)
        let headers = try askingAccounts(tokens, customer.prover)
        let answer = try await bank.accounts.get(
            RecipeBank.accounts, headers[0].value, [headers[1].value])
        #expect(answer.status == 200 && answer.body == "zoe")
        // The nonce was asked for once, at the pushed request, and at the token request anew.
        #expect(await bank.refusals == 2)
        let again = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let no = try await bank.browse(again.url, says: false)
        let refused = await #expect(throws: AuthorizationError.self) {
            _ = try await customer.finish(no, again.remembered)
        }
        #expect(refused?.code == .accessDenied)
        // A code comes once: the second time the bank says what is wrong.
        let used = await #expect(throws: TokenError.self) {
            _ = try await customer.finish(back, started.remembered)
        }
        #expect(used?.code == .invalidGrant)
        let silent = BankClient(party: bank.party, prover: try .fresh()) { request in
            let answer = try await bank.post(request)
            return try HTTPAnswer(status: answer.status, body: answer.body)
        }
        let asked = await #expect(throws: TokenError.self) {
            _ = try await silent.start(AuthorizationRequest(scopes: ["accounts"]))
        }
        #expect(asked?.code == .useDPoPNonce)
        // What a proxy answers is no answer of the bank's, whatever it holds.
        let pushed = #"{"request_uri":"urn:x","expires_in":60}"#
        for body in ["<html>Bad Gateway</html>", pushed] {
            let proxy = BankClient(party: bank.party, prover: try .fresh()) { _ in
                try HTTPAnswer(status: 502, body: body)
            }
            await #expect(throws: JOSEError.self) {
                _ = try await proxy.start(AuthorizationRequest(scopes: ["accounts"]))
            }
        }
    }

    @Test("what goes wrong, and what is said") func faults() async throws {
        let bank = try RecipeBank(.fapi2)
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
        let rsa = try JWKSet(keys: [.generate(rsaBits: 2048, use: .signature, algorithm: .rs256)])
        for refusal in [
            await said { _ = try await bank.party.start(AuthorizationRequest()) },
            await said { _ = try await stranger.finish(back, started.remembered) },
            await said {
                let (issuer, theirs) = (RecipeBank.issuer, try bank.party.publishedKeys())
                _ = try await AsyncRelyingParty(
                    profile: .fapi2, metadata: RecipeBank.metadata(.fapi2), clientID: "rp",
                    redirectURI: issuer, keys: rsa, source: PublicJWKSet(json: theirs)
                ).push(AuthorizationRequest())
            },
            await said { _ = try TokenAnswer(json: bearer, type: .dpop) },
            await said {
                _ = try await bank.party.answer(
                    query: back.replacing("iss=", with: "other="), for: started.remembered)
            },
        ] {
            #expect(text.contains("| `\(refusal)` |"), "FAPI2: \(refusal)")
        }
    }

    private let bearer = #"{"access_token":"a","token_type":"Bearer","id_token":"e.e.e"}"#
}
