// The demo (Examples/Demo): every message of a login, and ten attacks that are rejected for the
// right reason.

import Foundation
import Testing

@testable import demo

@Suite struct DemoTests {
    /// The reasons of the ten attacks, in order: those of every profile, then the differences.
    static func reasons(nested: Bool, assertion: Bool) -> [String] {
        [
            nested ? "decryption-failed" : "signature-invalid", "signature-invalid",
            nested ? "malformed" : "algorithm-not-allowed", "nonce", "aud", "exp", "state", "sub",
            assertion ? "replayed" : "code_verifier", assertion ? "redirect_uri" : "replayed",
        ]
    }
    private static let bound = [
        "signature-invalid", "signature-invalid", "algorithm-not-allowed", "nonce",
    ]

    /// The reason of each attack: the name of a rejected claim, or else the code.
    static func reasons(_ response: Response) -> [String] {
        response.lines.indices.filter { response.lines[$0].hasPrefix("   rejected  ") }.map {
            index in
            let parts = response.lines[index + 1].split(separator: ": ").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return parts[0] == "claim-rejected" ? String(parts[1].dropFirst(6)) : parts[0]
        }
    }

    @Test(
        "The demo of each profile shows every message and rejects ten attacks for the right reason",
        arguments: [
            ("itsme0", 6, reasons(nested: true, assertion: true)),
            ("itsme1", 6, reasons(nested: true, assertion: true)),
            ("itsme2", 6, reasons(nested: true, assertion: true)),
            ("signicat", 6, reasons(nested: false, assertion: false)),
            ("nets", 6, reasons(nested: false, assertion: true)),
            ("openid", 6, reasons(nested: false, assertion: false)),
            (
                "fapi2", 10,
                bound + ["iss", "malformed", "aud", "replayed", "dpop_jkt", "cnf"]
            ),
            (
                "fapi2-message-signing", 11,
                bound + ["malformed", "malformed", "aud", "replayed", "dpop_jkt", "cnf"]
            ),
        ])
    func demo(_ profile: String, _ titles: Int, _ reasons: [String]) throws {
        let response = try Tool().run(["--profile", profile], program: Tool.demo)
        #expect(response.code == 0, "\(response.text)\(response.error)")
        #expect(response.lines.first?.hasPrefix("\(profile): ") == true)
        #expect(DemoTests.reasons(response) == reasons)
        #expect(response.lines.count { $0.first?.isNumber == true } == titles)
        #expect(
            response.lines.contains { $0.contains("use_dpop_nonce") } == profile.hasPrefix("fapi2"))
        for line in response.lines { #expect(line.count <= 100, "\(line)") }
    }

    @Test("The demo fits on one screen and uses itsme2 by default")
    func oneScreen() throws {
        let response = try Tool().run([], program: Tool.demo)
        #expect(response.code == 0 && response.lines.first?.hasPrefix("itsme2: ") == true)
        #expect(response.lines.count { $0.hasPrefix("   accepted  ") } == 6)
        #expect(response.lines.count <= 68)
    }

    @Test(
        "A wrong option of the demo prints the usage",
        arguments: [
            ["--profile", "itsme3"], ["--profile"], ["--key", "x"], ["x"], ["--module", "x"],
            ["--module", "x", "--token", "pkcs11:token=x"],
        ])
    func usage(_ words: [String]) throws {
        #expect(try Tool().run(words, program: Tool.demo).code == 2)
    }

    @Test("An accepted attack ends the demo with an error")
    func acceptedAttack() async throws {
        let profile = try #require(Profile.all.first { $0.name == "nets" })
        let genuine = Attack("the unchanged ID Token") { env, login in
            _ = try await env.party.verifyIDToken(
                login.idToken, for: login.session, accessToken: login.accessToken,
                at: env.now)
        }
        var script = DemoScript(profile)
        await #expect(throws: DemoFailure.self) { try await script.run([genuine]) }
    }
}
