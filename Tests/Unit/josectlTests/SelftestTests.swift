// selftest: known answers and vectors.

import Foundation
import Testing

@testable import josectl

@Suite struct SelftestTests {
    @Test("Every vector of the repository is accepted, rejected with its code, or counted")
    func selftest() throws {
        let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Vectors").standardizedFileURL
        let response = try Tool().run("selftest", "--json", "--vectors", vectors.path)
        #expect(response.code == 0, "\(response.text)")
        let object = try #require(try response.objects().first)
        let speed = try #require(object["speed"] as? [String: [String: Int]])
        #expect(speed.count == 4)
        #expect(speed.values.allSatisfy { ($0["verify"] ?? 0) > 0 && ($0["encrypt"] ?? 0) > 0 })
        let order = try #require(object["rsa_public"] as? [String])
        let kernels = try #require(object["vector_kernels"] as? [String])
        #expect(order.suffix(2) == ["bn", "evp"])
        #expect(order.contains("ifma") == kernels.contains("rsa"))
        #expect(order.contains("fma") == kernels.contains("rsa-fma"))
        let run = (object["accepted"] as? Int ?? 0) + (object["rejected"] as? Int ?? 0)
        let notRun = (object["not_run"] as? [String: Int] ?? [:]).values.reduce(0, +)
        let counts = try JSONSerialization.jsonObject(
            with: Data(contentsOf: vectors.appendingPathComponent("counts.json")))
        let files = try #require((counts as? [String: Any])?["files"] as? [String: [String: Int]])
        #expect(run + notRun == files.values.flatMap(\.values).reduce(0, +))
        #expect(run > 700)
    }

    @Test("Each row has a known answer, and a wrong one is found out")
    func knownAnswers() throws {
        let responses = try KnownAnswer.all()
        #expect(KnownAnswer.missing(Set(responses.map(\.row))).isEmpty)
        for response in responses { #expect(response.failure() == nil) }
        let wrong = KnownAnswer(
            row: "RS256", token: responses[0].token, payload: "another", open: responses[0].open,
            rejection: .signatureInvalid)
        #expect(wrong.failure() == "another payload")
        #expect(KnownAnswer.missing(KnownAnswer.known.subtracting(["RS256"])) == ["RS256"])
    }
}
