// selftest: known answers, speeds, kernels.

import Testing

@testable import josectl

@Suite struct SelftestTests {
    @Test("The report has the speeds and kernels of this machine")
    func selftest() throws {
        let response = try Tool().run("selftest", "--json")
        #expect(response.code == 0, "\(response.text)")
        let object = try #require(try response.objects().first)
        let speed = try #require(object["speed"] as? [String: [String: Int]])
        #expect(speed.count == 6)
        for operation in [
            "verify", "sign", "encrypt", "decrypt", "sign_together", "decrypt_together",
        ] {
            #expect(speed.values.allSatisfy { ($0[operation] ?? 0) > 0 }, "\(operation)")
        }
        #expect(object["unlocked_keys"] is Bool)
        let order = try #require(object["rsa_public"] as? [String])
        let kernels = try #require(object["vector_kernels"] as? [String])
        #expect(order.suffix(2) == ["bn", "evp"])
        #expect(order.contains("ifma") == kernels.contains("rsa"))
        #expect(order.contains("fma") == kernels.contains("rsa-fma"))
        #expect((object["failures"] as? [String])?.isEmpty == true)
        #expect((object["algorithms"] as? [String])?.contains("RS256") == true)
    }

    @Test("Each algorithm has a known answer, and a wrong one is detected")
    func knownAnswers() throws {
        let answers = try KnownAnswer.all()
        #expect(KnownAnswer.missing(Set(answers.map(\.algorithm))).isEmpty)
        for answer in answers { #expect(answer.failure() == nil) }
        let wrong = KnownAnswer(
            algorithm: "RS256", token: answers[0].token, payload: "another", open: answers[0].open,
            rejection: .signatureInvalid)
        #expect(wrong.failure() == "wrong payload")
        #expect(KnownAnswer.missing(KnownAnswer.known.subtracting(["RS256"])) == ["RS256"])
    }
}
