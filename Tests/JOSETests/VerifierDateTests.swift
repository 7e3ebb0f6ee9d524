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

    private func code(_ body: () async throws(JOSEError) -> Void) async -> String {
        do throws(JOSEError) {
            try await body()
            return "accepted"
        } catch {
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
        let keys = try PublicJWKSet([TestKeys.signing])
        let atHand = try JWTVerifier(
            issuer: "i", audience: "a", encryption: .notEncrypted,
            signature: .required(keys: keys, algorithms: [.rs256]))
        let fetched = try AsyncJWTVerifier(
            issuer: "i", audience: "a", encryption: .notEncrypted, source: keys,
            algorithms: [.rs256])
        let table = try JWTVerifierTable(verifiers: [atHand])
        let fetchedTable = try AsyncJWTVerifierTable(verifiers: [fetched])
        let token = try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, Self.claims)
        struct Claims: Decodable { var exp: Date }
        let calls: [() async throws(JOSEError) -> Void] = [
            { () async throws(JOSEError) in _ = try atHand.verify(token, at: now) },
            { () async throws(JOSEError) in _ = try await fetched.verify(token, at: now) },
            { () async throws(JOSEError) in
                _ = try await fetched.verify(token, as: Claims.self, at: now)
            },
            { () async throws(JOSEError) in _ = try table.verify(token, at: now) },
            { () async throws(JOSEError) in _ = try await fetchedTable.verify(token, at: now) },
            { () async throws(JOSEError) in
                _ = try await atHand.verify(
                    token, once: MemoryReplayStore(), purpose: "p", at: now)
            },
            { () async throws(JOSEError) in
                _ = try await fetched.verify(
                    token, once: MemoryReplayStore(), purpose: "p", at: now)
            },
            { () async throws(JOSEError) in
                if let error = try atHand.explain(token, at: now).error { throw error }
            },
            { () async throws(JOSEError) in
                if let error = try await fetched.explain(token, at: now).error { throw error }
            },
        ]
        for call in calls { #expect(await code(call) == wanted) }
    }
}
