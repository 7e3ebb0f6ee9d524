// Date where verifiers take a NumericDate: the same verdicts, and dates that no NumericDate can tell are refused.

import Foundation
import JOSE
import JOSEFoundation
import JOSEOpenID
import Testing

@Suite("Dates of Foundation in verifiers")
struct VerifierDateTests {
    private static let date = Date(timeIntervalSince1970: 1_760_000_000)
    private static let claims = #"{"iss":"i","aud":"a","jti":"j","exp":1760000300}"#

    private func code(_ body: () async throws -> JOSEError?) async throws -> String {
        do {
            return try await body()?.code.name ?? "accepted"
        } catch let error as JOSEError {
            return error.code.name
        }
    }

    @Test(
        "every call with a time",
        arguments: [
            (date, "accepted"), (date.addingTimeInterval(359), "accepted"),
            (date.addingTimeInterval(360), "claim-rejected"), (.distantPast, "misuse"),
            (Date(timeIntervalSince1970: 253_402_300_801), "misuse"),
        ])
    func calls(_ now: Date, _ wanted: String) async throws {
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        let atHand = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), signature: .rs256(keys: keys))
        let fetched = try AsyncJWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), source: keys)
        let table = try JWTVerifierTable(verifiers: [atHand])
        let fetchedTable = try AsyncJWTVerifierTable(verifiers: [fetched])
        let token = try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, Self.claims)
        struct Claims: Decodable { var exp: Date }
        func accepted(_ verified: VerifiedJWT) -> JOSEError? { nil }
        // Untyped: the compiler of Swift 6.3 crashes over an array of typed asynchronous closures that throw.
        let calls: [() async throws -> JOSEError?] = [
            { accepted(try atHand.verify(token, at: now)) },
            { accepted(try await fetched.verify(token, at: now)) },
            {
                let claims = try await fetched.verify(token, as: Claims.self, at: now)
                #expect(claims.exp == Date(timeIntervalSince1970: 1_760_000_300))
                return nil
            },
            { accepted(try table.verify(token, at: now)) },
            { accepted(try await fetchedTable.verify(token, at: now)) },
            {
                accepted(
                    try await atHand.verify(
                        token, once: MemoryReplayStore(), purpose: "p", at: now))
            },
            {
                accepted(
                    try await fetched.verify(
                        token, once: MemoryReplayStore(), purpose: "p", at: now))
            },
            { try atHand.explain(token, at: now).error },
            { try await fetched.explain(token, at: now).error },
        ]
        for call in calls { #expect(try await code(call) == wanted) }
    }
}
