// Runs the cookbook's examples about claims, which PageBlockTests finds compiled.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Cookbook: claims")
struct TokenRecipeTests {
    @Test("the recipes compile and give the documented results") func run() async throws {
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let key = try JWK.generate(.curve(.p256), use: .signature, algorithm: .es256)
        let keys = try PublicJWKSet(keys: [key])
        let token = try accessTokenIssuer(key).issue(
            ["iss": "https://op.example", "aud": "api", "sub": "s"], at: now)
        let verified = try accessTokens(
            issuer: "https://op.example", names: ["api", "api-2"], keys: keys
        ).verify(token, at: now)
        #expect(try verified.header()["region"] == "eu")
        #expect(verified.expiration == now.advanced(by: .seconds(600)))

        func judged(_ claims: String) throws -> String {
            let verifier = try JWTVerifier(
                policy: readers(issuer: "i", audience: "a"),
                signature: .required(key: TestKeys.signing.publicKey, algorithms: [.rs256]))
            let token = try TestToken.signed(#"{"alg":"RS256"}"#, claims)
            return try Rejection.verdict { _ = try verifier.verify(token, at: now) }
        }
        let start = #"{"iss":"i","aud":"a","exp":1760000300,"sub":"s","azp":"c""#
        #expect(try judged(start + #","roles":["reader"],"tenant":"c"}"#) == "accepted")
        #expect(try judged(start + #","roles":["x"],"tenant":"c"}"#) == "claim-rejected roles")
        #expect(
            try judged(start + #","roles":["reader"],"tenant":"d"}"#) == "claim-rejected tenant")
        #expect(try judged(start + #","roles":["reader"]}"#) == "claim-rejected tenant")
        let neither = #"{"iss":"i","aud":"a","exp":1760000300,"sub":"s","roles":["reader"]}"#
        #expect(try judged(neither) == "claim-rejected tenant")

        let table = try tokens(of: [("i", try PublicJWKSet(keys: [TestKeys.signing]))])
        let signed = try TestToken.signed(
            #"{"alg":"RS256","kid":"sig-1"}"#,
            #"{"iss":"i","aud":"client-1","sub":"s","jti":"j","exp":4102444800}"#)
        #expect(try await table.verify(signed).subject == "s")
        let verifier = try AsyncJWTVerifier(
            issuer: "i", audience: "client-1", keys: PublicJWKSet(keys: [TestKeys.signing]),
            algorithms: [.rs256])
        let store = MemoryReplayStore()
        #expect(try await logout(signed, verifier, store) == "s")
        await #expect(throws: JOSEError.replayed) { try await logout(signed, verifier, store) }
    }
}
