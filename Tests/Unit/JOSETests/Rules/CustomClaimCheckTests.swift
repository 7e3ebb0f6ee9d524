// Custom checks in a policy: their order, their rejections and their explanations.

import JOSE
import Synchronization
import Testing

@Suite("Custom checks of claims")
struct CustomClaimCheckTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let good = #"{"iss":"i","aud":"a","exp":1760000300,"roles":["r","w"],"n":3}"#

    private static func verifier(
        isNested: Bool = false, _ edit: (inout ClaimsPolicy) -> Void
    ) throws -> VerifierPair {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        edit(&policy)
        return try VerifierPair(policy, isNested ? .rsa() : .notEncrypted)
    }

    private static func token(
        _ claims: String, isNested: Bool = false, by key: JWK = TestKeys.signing,
        outer: String = ""
    ) throws -> String {
        let inner = try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, claims, by: key)
        return isNested ? try TestToken.nested(inner, outer) : inner
    }

    @Test(
        "a present claim never reads as absent, whatever names it contains",
        arguments: [false, true])
    func present(isNested: Bool) async throws {
        let pairs = [("\u{e9}", "e\u{301}"), ("K", "\u{212a}"), (";", "\u{37e}")]
        let rejecting = try Self.verifier(isNested: isNested) { policy in
            policy.require("act") { $0["act"] == nil }
        }
        let plain = try Self.verifier(isNested: isNested) { _ in }
        for (a, b) in pairs {
            for value in [
                "{\"sub\":\"admin\",\"\(a)\":1,\"\(b)\":2}", "[[{\"\(b)\":1,\"\(a)\":2}]]",
                "{\"x\":{\"\(a)\":1e400,\"\(b)\":-0}}",
            ] {
                let claims = "{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1760000300,\"act\":\(value)}"
                let token = try Self.token(claims, isNested: isNested)
                #expect(
                    try await rejecting.verdict(token, at: Self.now) == "claim-rejected act",
                    "\(value)")
                let verified = try plain.local.verify(token, at: Self.now)
                #expect(verified["act"] != nil, "\(value)")
                let signed = try TestToken.signed(
                    "{\"alg\":\"RS256\",\"kid\":\"sig-1\",\"act\":\(value)}", claims)
                guard !isNested else { continue }
                let header = try plain.local.verify(signed, at: Self.now).header()
                #expect(header["act"] == verified["act"], "\(value)")
            }
        }
        let none = try Self.token(Self.good, isNested: isNested)
        #expect(try await rejecting.verdict(none, at: Self.now) == "accepted")
    }

    @Test("a rejection has the name of the check", arguments: [false, true])
    func reader(isNested: Bool) async throws {
        let verifiers = try Self.verifier(isNested: isNested) { policy in
            policy.require("n") { claims in claims["n"]?.integer == 3 && claims.now == Self.now }
        }
        for (claims, wanted) in [
            (Self.good, "accepted"),
            (#"{"iss":"i","aud":"a","exp":1760000300,"n":4}"#, "claim-rejected n"),
            (#"{"iss":"i","aud":"a","exp":1760000300,"n":"3"}"#, "claim-rejected n"),
            (#"{"iss":"i","aud":"a","exp":1760000300}"#, "claim-rejected n"),
            (#"{"iss":"x","aud":"a","exp":1760000300,"n":3}"#, "claim-rejected iss"),
        ] {
            let token = try Self.token(claims, isNested: isNested)
            #expect(try await verifiers.verdict(token, at: Self.now) == wanted, "\(claims)")
        }
    }

    @Test("a check of one typed claim: missing, of another type, not satisfied")
    func typed() async throws {
        struct Place: Decodable { var city: String }
        let verifiers = try Self.verifier { policy in
            policy.require("roles", as: [String].self) { $0.contains("w") }
            policy.require("place", as: Place.self) { $0.city == "c" }
        }
        for (members, wanted) in [
            (#""roles":["w"],"place":{"city":"c"}"#, "accepted"),
            (#""roles":["r"],"place":{"city":"c"}"#, "claim-rejected roles"),
            (#""roles":[],"place":{"city":"c"}"#, "claim-rejected roles"),
            (#""roles":"w","place":{"city":"c"}"#, "claim-rejected roles"),
            (#""roles":["w",1],"place":{"city":"c"}"#, "claim-rejected roles[1]"),
            (#""roles":null,"place":{"city":"c"}"#, "claim-rejected roles"),
            (#""place":{"city":"c"}"#, "claim-rejected roles"),
            (#""roles":["w"],"place":{"city":"d"}"#, "claim-rejected place"),
            (#""roles":["w"],"place":{"city":1}"#, "claim-rejected place.city"),
            (#""roles":["w"],"place":{}"#, "claim-rejected place.city"),
            (#""roles":["w"],"place":[]"#, "claim-rejected place"),
            (#""roles":["w"]"#, "claim-rejected place"),
        ] {
            let token = try Self.token(#"{"iss":"i","aud":"a","exp":1760000300,\#(members)}"#)
            #expect(try await verifiers.verdict(token, at: Self.now) == wanted, "\(members)")
        }
    }

    @Test("a decoding error inside a check is the error of the rejection")
    func decoded() async throws {
        struct Claims: Decodable {
            var n: Int
            var m: String?
        }
        let verifiers = try Self.verifier { policy in
            policy.require("whole") { (claims) throws(JOSEError) in
                try claims.decode(Claims.self).n > 2
            }
        }
        for (members, wanted) in [
            (#""n":3"#, "accepted"), (#""n":2"#, "claim-rejected whole"),
            (#""n":"3""#, "claim-rejected n"), (#""n":3,"m":1"#, "claim-rejected m"),
        ] {
            let token = try Self.token(#"{"iss":"i","aud":"a","exp":1760000300,\#(members)}"#)
            #expect(try await verifiers.verdict(token, at: Self.now) == wanted, "\(members)")
        }
    }

    @Test("checks run last, and never for a token that is rejected for another reason")
    func last() async throws {
        let calls = Mutex(0)
        let edit = { (policy: inout ClaimsPolicy) in
            policy.require("n") { _ in
                calls.withLock { $0 += 1 }
                return true
            }
            policy.require("m") { _ in false }
            policy.require("l") { _ in
                calls.withLock { $0 += 100 }
                return true
            }
        }
        let signed = try Self.verifier(edit)
        let nested = try Self.verifier(isNested: true, edit)
        let expired = #"{"iss":"i","aud":"a","exp":1}"#
        for (verifiers, token, wanted) in [
            (signed, try Self.token(Self.good, by: TestKeys.stranger), "signature-invalid"),
            (signed, try Self.token(expired), "claim-rejected exp"),
            (
                nested, try Self.token(Self.good, isNested: true, outer: #","iss":"x""#),
                "claim-rejected iss"
            ),
        ] {
            #expect(try await verifiers.verdict(token, at: Self.now) == wanted)
            #expect(calls.withLock { $0 } == 0)
        }
        #expect(throws: JOSEError.self) {
            try signed.local.verify(
                Self.token(Self.good), expecting: .init(nonce: "n"), at: Self.now)
        }
        #expect(calls.withLock { $0 } == 0)
        // In order, up to the first that rejects.
        #expect(try await signed.verdict(Self.token(Self.good), at: Self.now) == "claim-rejected m")
        #expect(calls.withLock { $0 } == 4)
    }

    @Test("an explanation has a printable line for each check") func explained() throws {
        let verifier = try Self.verifier { policy in
            policy.require("n") { _ in true }
            policy.require("\u{202e}x") { $0["roles"] == nil }
        }.local
        let lines = verifier.explain(try Self.token(Self.good), at: Self.now).lines
        #expect(
            lines.suffix(3).map(\.description) == [
                "ok  claims: n satisfies a custom check",
                "    claims: \\u{202e}x is absent",
                "NO  claims: claim \\u{202e}x: it does not satisfy a custom check",
            ])
    }

    @Test("policies are equal if they share their checks") func equality() {
        var first = ClaimsPolicy(issuer: "i", audience: "a")
        let plain = first
        first.require("n") { _ in true }
        let copy = first
        var second = plain
        second.require("n") { _ in true }
        #expect(first == copy && first.hashValue == copy.hashValue)
        #expect(first != plain && first != second)
    }
}
