// demo and selftest: the commands that check themselves.

import Foundation
import Testing

@testable import josectl

@Suite struct StoryTests {
    /// The codes of the ten attacks, in order: those on every profile, then what differs.
    static func refusals(nested: Bool, assertion: Bool) -> [String] {
        [
            nested ? "decryption-failed" : "signature-invalid", "signature-invalid",
            nested ? "malformed" : "algorithm-not-allowed", "claim-rejected nonce",
            "claim-rejected aud", "claim-rejected exp", "claim-rejected state",
            "claim-rejected sub", assertion ? "replayed" : "claim-rejected code_verifier",
            assertion ? "claim-rejected redirect_uri" : "replayed",
        ]
    }

    @Test(
        "The demo of each profile makes every message, and ten attacks are refused for their reasons",
        arguments: [
            ("itsme0", refusals(nested: true, assertion: true)),
            ("itsme1", refusals(nested: true, assertion: true)),
            ("itsme2", refusals(nested: true, assertion: true)),
            ("signicat", refusals(nested: false, assertion: false)),
            ("nets", refusals(nested: false, assertion: true)),
            ("openid", refusals(nested: false, assertion: false)),
        ])
    func demo(_ profile: String, _ codes: [String]) throws {
        let answer = try Tool().run("demo", "--json", "--profile", profile)
        #expect(answer.code == 0, "\(answer.text)\(answer.error)")
        let object = try #require(try answer.objects().first)
        #expect(object["profile"] as? String == profile)
        let refused = try #require(object["refused"] as? [[String: String]])
        let told = refused.map { [$0["code"], $0["claim"]].compactMap(\.self) }
        #expect(told.map { $0.joined(separator: " ") } == codes)
        #expect(Set(refused.compactMap { $0["what"] }).count == 10)
        for refusal in refused { #expect(refusal["message"]?.isEmpty == false) }
        let bytes = try #require(object["bytes"] as? [String: Int])
        #expect(bytes["id_token"] ?? 0 > 40_000)
        #expect((bytes["request_object"] != nil) == (codes.last != "replayed"))
        #expect((bytes["client_assertion"] != nil) == (codes.last != "replayed"))
        let speed = try #require(object["per_second"] as? [String: Int])
        #expect(speed["make"] ?? 0 > 0 && speed["check"] ?? 0 > 0)
    }

    @Test(
        "The demo shows what one guide has alone: itsme's errors, Signicat's app, the app switch of Nets",
        arguments: [
            (
                "itsme0",
                [
                    "not_implemented", "registration_not_supported", "request_uri_not_supported",
                    "invalid_grant", "invalid_token",
                ]
            ),
            (
                "itsme1",
                ["not_implemented", "registration_not_supported", "invalid_grant", "invalid_token"]
            ),
            (
                "itsme2",
                ["not_implemented", "registration_not_supported", "invalid_grant", "invalid_token"]
            ),
            ("signicat", ["OK", "access_denied"]), ("nets", ["invalid_request"]), ("openid", []),
        ])
    func guide(_ profile: String, _ codes: [String]) throws {
        let answer = try Tool().run("demo", "--json", "--profile", profile)
        let object = try #require(try answer.objects().first)
        let guide = try #require(object["guide"] as? [[String: String]])
        #expect(guide.compactMap { $0["code"] } == codes)
        let text = try Tool().run("demo", "--profile", profile)
        for line in text.lines { #expect(line.count <= 100, "\(line)") }
        for code in codes { #expect(text.text.contains(code)) }
        if profile.hasPrefix("itsme") {
            #expect(text.text.contains("HTTP 400") && text.text.contains("HTTP 401"))
        }
        if profile == "signicat" {
            for part in ["deviceName-phone", "artifact-artifact-1", "123456", "/complete/2"] {
                #expect(text.text.contains(part), "\(part)")
            }
        }
    }

    @Test(
        "The demo of FAPI 2.0 shows every message, and ten attacks of its own are refused",
        arguments: [
            ("fapi2", "claim-rejected iss", ["answer"], 11),
            (
                "fapi2-message-signing", "malformed",
                ["request_object", "signed_answer", "introspection"], 12
            ),
        ])
    func bound(_ profile: String, _ answer: String, _ further: [String], _ titles: Int) throws {
        let told = try Tool().run("demo", "--json", "--profile", profile)
        #expect(told.code == 0, "\(told.text)\(told.error)")
        let object = try #require(try told.objects().first)
        let refused = try #require(object["refused"] as? [[String: String]])
        #expect(
            refused.map { [$0["code"], $0["claim"]].compactMap(\.self).joined(separator: " ") } == [
                "signature-invalid", "signature-invalid", "algorithm-not-allowed",
                "claim-rejected nonce", answer, "malformed", "claim-rejected aud", "replayed",
                "claim-rejected dpop_jkt", "claim-rejected cnf",
            ])
        let bytes = try #require(object["bytes"] as? [String: Int])
        let names = [
            "pushed_request", "browser_address", "answer", "client_assertion", "access_token",
            "id_token", "userinfo", "resource_proof",
        ]
        for name in names + further { #expect(bytes[name] ?? 0 > 0, "\(name)") }
        #expect((bytes["request_object"] != nil) == further.contains("request_object"))
        let text = try Tool().run("demo", "--profile", profile)
        #expect(text.code == 0)
        #expect(text.lines.count { $0.first?.isNumber == true } == titles)
        #expect(text.lines.contains { $0.contains("use_dpop_nonce") })
        for line in text.lines { #expect(line.count <= 100, "\(line)") }
    }

    @Test("The demo is read on one screen: itsme2 where no profile is named")
    func demoText() throws {
        let answer = try Tool().run("demo")
        #expect(answer.code == 0)
        #expect(answer.lines.first?.hasPrefix("itsme2: ") == true)
        let refused = answer.lines.indices.filter { answer.lines[$0].hasPrefix("   refused ") }
        #expect(refused.count == 10)
        for index in refused { #expect(answer.lines[index + 1].contains(": "), "the reason") }
        #expect(answer.lines.count { $0.hasPrefix("   accepted ") } == 6)
        #expect(answer.lines.count <= 68)
        for line in answer.lines { #expect(line.count <= 90, "\(line)") }
        #expect(try Tool().run("demo", "--profile", "itsme3").code == 2)
    }

    @Test("An attack that is accepted ends the demo with exit code 1")
    func acceptedAttack() async throws {
        let row = try #require(DemoProfile.all.first { $0.name == "nets" })
        let genuine = DemoAttack(what: "the ID Token as it is") { world, login in
            _ = try await world.party.verifyIDToken(
                login.idToken, for: login.started.remembered, accessToken: login.accessToken,
                at: world.now)
        }
        let command = Command(name: "demo", summary: "", options: [], example: "") { invocation in
            var demo = Demo(row, invocation.output)
            try await demo.run([genuine])
            return .accepted
        }
        #expect(await Dispatcher.run(command, ["--json"]) == .refused)
    }

    @Test("Every vector of the repository is accepted, refused with its code, or counted")
    func selftest() throws {
        let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Vectors").standardizedFileURL
        let answer = try Tool().run("selftest", "--json", "--vectors", vectors.path)
        #expect(answer.code == 0, "\(answer.text)")
        let object = try #require(try answer.objects().first)
        let speed = try #require(object["speed"] as? [String: [String: Int]])
        #expect(speed.count == 4)
        #expect(speed.values.allSatisfy { ($0["verify"] ?? 0) > 0 && ($0["encrypt"] ?? 0) > 0 })
        let ways = try #require(object["ways"] as? [String: [String: Any]])
        #expect(Set(ways.keys) == ["2048", "3072", "4096"])
        for way in ways.values {
            let times = way.compactMapValues { $0 as? Int }
            #expect(
                times.values.allSatisfy { $0 >= 1000 } && times["bn"] != nil && times["evp"] != nil)
            let first = try #require(way["first"] as? String)
            let own = try #require(times[first])
            #expect(times.values.allSatisfy { 9 * own <= 10 * $0 }, "\(first) of \(times)")
        }
        let run = (object["accepted"] as? Int ?? 0) + (object["refused"] as? Int ?? 0)
        let notRun = (object["not_run"] as? [String: Int] ?? [:]).values.reduce(0, +)
        let counts = try JSONSerialization.jsonObject(
            with: Data(contentsOf: vectors.appendingPathComponent("counts.json")))
        let files = try #require((counts as? [String: Any])?["files"] as? [String: [String: Int]])
        #expect(run + notRun == files.values.flatMap(\.values).reduce(0, +))
        #expect(run > 700)
    }

    @Test("Each row has a known answer, and a wrong one is found out")
    func knownAnswers() throws {
        let answers = try KnownAnswer.all()
        #expect(KnownAnswer.missing(Set(answers.map(\.row))).isEmpty)
        for answer in answers { #expect(answer.fault() == nil) }
        let wrong = KnownAnswer(
            row: "RS256", token: answers[0].token, payload: "another", open: answers[0].open,
            refusal: .signatureInvalid)
        #expect(wrong.fault() == "another payload")
        #expect(KnownAnswer.missing(KnownAnswer.known.subtracting(["RS256"])) == ["RS256"])
    }
}
