// Every chain of Vectors/x5c.json against its verdict: 64 hostile ones refused, 14 controls accepted.

import Foundation
import JOSE
import Testing

@Suite("Certificates: the chains of Vectors/x5c.json")
struct ChainVectorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let jwk: [UInt8]
        let anchors: [[UInt8]]
        let time: Int64
        let purpose: CertificatePurpose
        let code: String?
        var testDescription: String { id }
    }

    static let cases: [Case] = (try? load()) ?? []

    private static func object(_ path: String) throws -> [String: Any] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Vectors/").standardizedFileURL
        let data = try Data(contentsOf: root.appending(path: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    private static func load() throws -> [Case] {
        let file = try object("x5c.json")
        let pinned = try object("verdicts.json")["verdicts"] as? [String: Any] ?? [:]
        var cases: [Case] = []
        for part in ["vectors", "negative"] {
            for entry in file[part] as? [[String: Any]] ?? [] {
                guard let id = entry["id"] as? String, let input = entry["input"] as? [String: Any],
                    var jwk = input["jwk"] as? [String: Any]
                else { continue }
                if let more = jwk.removeValue(forKey: "x5c_repeat") as? [String: Any],
                    let one = more["certificate"] as? String, let count = more["times"] as? Int
                {
                    let first = jwk["x5c"] as? [String] ?? []
                    jwk["x5c"] = first + Array(repeating: one, count: count)
                }
                let anchors = input["trust_anchors"] as? [String] ?? []
                cases.append(
                    Case(
                        id: id, jwk: [UInt8](try JSONSerialization.data(withJSONObject: jwk)),
                        anchors: anchors.compactMap { Data(base64Encoded: $0).map { [UInt8]($0) } },
                        time: Int64(input["validation_time"] as? Int ?? 0),
                        purpose: input["use"] as? String == "enc" ? .encryption : .signature,
                        code: part == "negative" ? code(pinned[id]) : nil))
            }
        }
        return cases
    }

    private static func code(_ verdict: Any?) -> String {
        (verdict as? String) ?? ((verdict as? [String: Any])?["code"] as? String) ?? "no verdict"
    }

    @Test("all of them are here")
    func count() {
        #expect(ChainVectorTests.cases.count == 78)
        #expect(ChainVectorTests.cases.filter { $0.code == nil }.count == 14)
    }

    @Test("RFC 7517 4.7, RFC 5280 6: each chain gets its verdict", arguments: cases)
    func verdict(_ chain: Case) throws {
        var limits = JOSELimits()
        limits.keySetBytes = 64 << 20
        do {
            let now = try #require(NumericDate(exactly: chain.time))
            let key = try JWK(json: chain.jwk, limits: limits)
            let store = try TrustStore(anchors: chain.anchors)
            let trusted = try key.validated(by: store, purpose: chain.purpose, at: now)
            #expect(chain.code == nil, "accepted")
            let proof = try #require(trusted.validatedChain)
            #expect(proof.contains(now))
            // The second time it is remembered, and says the same.
            #expect(try store.validate(key, purpose: chain.purpose, at: now) == proof)
        } catch let error as JOSEError {
            #expect(error.code.name == chain.code, "\(error)")
        }
    }
}
