// explain: its output about a token, and that it accepts and rejects as open does.

import Foundation
import Testing

@testable import demo
@testable import josectl

@Suite struct ExplainTests {
    private let explain = [
        "explain", "--decryption-keys", "private.jwks", "--verification-keys", "public.jwks",
    ]
    private let time = ["--at", "1800000000"]

    /// The documentation section that a rejection names.
    private func page(_ section: String) -> String {
        "Sources/JOSE/JOSE.docc/Errors.md#\(section)"
    }

    private func sealed(_ tool: Tool, _ claims: String) throws -> String {
        let response = try tool.run(
            ["seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks"],
            input: Data(claims.utf8))
        return response.token
    }

    @Test("An accepted token: every step, the claims, the unchecked claims, exit code 0")
    func accepted() throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"exp":1800000300,"iss":"op","aud":"rp"}"#)
        let response = try tool.run(explain + time + ["--issuer", "op", "--audience", "rp", token])
        #expect(response.code == 0)
        #expect(response.lines.last == "accepted")
        #expect(!response.text.contains("Errors.md"))
        for part in [
            "five parts", "JWE header {", "is eligible", "decrypted and authenticated",
            "JWS header {", "RS256 is allowed", "the signature verifies",
            "iss is the expected issuer",
            "aud names the expected audience", "(expected: op)",
            "2027-01-15T08:05:00Z, in 5 minutes",
            "not checked: nonce",
        ] { #expect(response.text.contains(part), "\(part)") }
    }

    @Test("A rejected claim is shown with the expected value and advice, exit code 1")
    func claims() throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"exp":1700000000,"iss":"op\u001b[2J","aud":"rp"}"#)
        let expired = try tool.run(explain + time + ["--audience", "rp", token])
        #expect(expired.code == 1)
        #expect(expired.text.contains("rejected: claim-rejected (exp) at claims"))
        #expect(expired.text.contains("2023-11-14T22:13:20Z, 1157 days 9 hours ago"))
        #expect(expired.text.contains("clocks"))
        #expect(expired.lines.last == "see \(page("claim-exp"))")
        // A token's contents cannot move the cursor.
        #expect(!expired.text.contains("\u{1b}"))
        let other = try tool.run(explain + time + ["--audience", "x", "--issuer", "op", token])
        #expect(other.text.contains("rejected: claim-rejected (iss)"))
        #expect(other.text.contains("(expected: op)"))
    }

    @Test("An empty key set and a private set given as a public one are named in the error")
    func sets() throws {
        let tool = try Tool.withKeys()
        try tool.write(#"{"keys":[]}"#, to: "none.jwks")
        let token = try tool.run("sign", "--key", "private.jwks", input: Data("{}".utf8)).token
        let words = ["explain", "--layers", "signed", "--verification-keys"]
        let none = try tool.run(words + ["none.jwks", token])
        #expect(none.code == 1)
        #expect(none.lines.last == "see \(page("key-not-found"))")
        for part in ["there is no key", "the key set is empty", "may be empty"] {
            #expect(none.text.contains(part), "\(part)")
        }
        let layered = try tool.run(["explain", "--verification-keys", "none.jwks", token])
        #expect(layered.code == 2 && layered.error.contains("--layers signed"))
        let own = try tool.run(words + ["private.jwks", token])
        #expect(own.code == 1 && own.error.contains("private.jwks: the set has a private"))
        #expect(own.error.contains("josectl keys public"))
    }

    @Test("No claim is shown of a token whose signature or decryption was rejected")
    func forged() throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"exp":1800000300,"iss":"op","aud":"rp"}"#)
        for part in 1..<5 {
            let response = try tool.run(explain + time + [tampered(token, part: part)])
            #expect(response.code == 1)
            #expect(response.text.contains("rejected: decryption-failed at decryption"))
            #expect(!response.text.contains("1800000300"))
        }
        let signed = try tool.run(
            "sign", "--key", "private.jwks", input: Data(#"{"exp":1800000300}"#.utf8)
        ).token
        let response = try tool.run(
            explain + time + ["--layers", "signed", tampered(signed, part: 2)])
        #expect(response.text.contains("rejected: signature-invalid"))
        #expect(!response.text.contains("1800000300"))
        #expect(response.lines.last == "see \(page("signature-invalid"))")
    }

    @Test(
        "An unexpected serialization or layer is described in words",
        arguments: [
            (["--layers", "encrypted,signed"], "only signed"),
            (["--layers", "encrypted"], "only signed"),
        ])
    func layers(_ options: [String], _ advice: String) throws {
        let tool = try Tool.withKeys()
        let signed = try tool.run(
            "sign", "--key", "private.jwks", input: Data(#"{"exp":1800000300}"#.utf8)
        ).token
        let response = try tool.run(explain + time + options + [signed])
        #expect(response.code == 1)
        #expect(response.text.contains(advice))
        let sealed = try sealed(tool, #"{"exp":1800000300}"#)
        let other = try tool.run(explain + time + ["--layers", "signed", sealed])
        #expect(other.text.contains("--layers encrypted,signed"))
        let broken = try tool.run(explain + time, input: Data("Bearer \(sealed)".utf8))
        #expect(broken.text.contains("remove Bearer"))
    }

    @Test("JSON output has the rejection of open, the steps, the claims, the advice")
    func json() throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"exp":1800000300,"iss":"op","aud":"rp"}"#)
        let response = try tool.run(explain + time + ["--json", "--nonce", "n", token])
        #expect(response.code == 1)
        let object = try #require(try response.objects().first)
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["claim"] as? String == "nonce")
        let steps = try #require(object["steps"] as? [[String: Any]])
        #expect(steps.last?["outcome"] as? String == "rejected")
        #expect((object["claims"] as? [[String: Any]])?.isEmpty == false)
        #expect((object["advice"] as? String)?.contains("replay") == true)
        #expect(object["see"] as? String == page("claim-nonce"))
        let good = try tool.run(explain + time + ["--json", token])
        let accepted = try #require(try good.objects().first)
        #expect(good.code == 0 && accepted["see"] is NSNull)
        let open = try tool.run(
            ["open"] + explain.dropFirst() + time + ["--json", "--nonce", "n", token])
        #expect(open.code == response.code)
        #expect(
            try #require(try open.objects().first)["error"] as? [String: String]
                == error as? [String: String])
    }

    /// A directory with the keys of a login, and the options to check its ID Token.
    private func login(_ profile: String) async throws -> (Tool, Login, [String]) {
        let row = try #require(Profile.all.first { $0.name == profile })
        let env = try await DemoEnvironment(row)
        let login = try await Login(env)
        let tool = try Tool()
        try tool.write(env.clientKeys.own.privateJSON(), to: "own.jwks")
        try tool.write(env.providerKeys.own.publicKeys.json(), to: "theirs.jwks")
        let acrValues = login.session.acrValues.joined(separator: " ")
        return (
            tool, login,
            [
                "explain", "--profile", profile, "--decryption-keys", "own.jwks",
                "--verification-keys", "theirs.jwks", "--issuer", row.issuer, "--audience",
                DemoEnvironment.clientID, "--acr", acrValues, "--access-token", login.accessToken,
            ]
        )
    }

    @Test(
        "An ID Token is checked by its provider's profile",
        arguments: Profile.all.map(\.name))
    func idToken(_ profile: String) async throws {
        let (tool, login, options) = try await login(profile)
        try tool.write(login.idToken, to: "token.jwt")
        let nonce = ["--nonce", login.session.nonce]
        let good = try tool.run(options + nonce + ["token.jwt"])
        #expect(good.code == 0, "\(good.text)\(good.error)")
        #expect(good.lines.last == "accepted")
        #expect(good.text.contains("the claims satisfy the profile "))
        // All keys of both sides have names, so no generated name is shown.
        #expect(!good.text.contains("without kid"), "\(good.text)")
        let other = try tool.run(options + ["--nonce", "another", "--json", "token.jwt"])
        #expect(other.code == 1)
        let error = try #require(try other.objects().first?["error"] as? [String: String])
        #expect(error["claim"] == "nonce")
        #expect(try tool.run(options + ["token.jwt"]).code == 2, "the nonce is missing")
        #expect(try tool.run(options + nonce + ["--alg", "RS256", "token.jwt"]).code == 2)
    }

    @Test("Profile violations are explained: a weaker acr, a missing layer")
    func profileRules() async throws {
        let (tool, login, options) = try await login("itsme2")
        let nonce = ["--nonce", login.session.nonce]
        let stronger = options.map { $0.hasSuffix("acr_advanced") ? "urn:stronger" : $0 }
        try tool.write(login.idToken, to: "token.jwt")
        let weak = try tool.run(stronger + nonce + ["token.jwt"])
        #expect(weak.code == 1)
        #expect(weak.text.contains("rejected: claim-rejected (acr)"))
        #expect(weak.text.contains("a weaker acr than requested"))
        #expect(weak.lines.last == "see \(page("claim-acr"))")
        let (other, plain, _) = try await self.login("nets")
        _ = other
        let signed = try tool.run(options + nonce + [plain.idToken])
        #expect(signed.code == 1)
        #expect(signed.text.contains("only signed"))
    }
}
