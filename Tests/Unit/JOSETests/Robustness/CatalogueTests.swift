// Compares docs/security/catalogue.md with the tests that it names, and tests the entries that no
// other test covers.

import Foundation
import JOSE
import Testing

@Suite("Catalogue of attacks")
struct CatalogueTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        let number: Int
        let evidence: [String]
        var testDescription: String { "\(number)" }
    }

    /// Entries without evidence, each with its reason on the page. Should be empty.
    static let open: Set<Int> = []

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../..").standardizedFileURL

    static let entries: [Entry] = {
        let page = root.appending(path: "docs/security/catalogue.md")
        guard let text = try? String(contentsOf: page, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, let number = Int(cells[1]) else { return nil }
            let evidence = cells[3].components(separatedBy: "; ").filter { !$0.isEmpty }
            return Entry(number: number, evidence: evidence)
        }
    }()

    /// All hostile inputs: how many have each number, and all ids.
    static let hostile = VectorFile.all.flatMap(\.negative)

    @Test("every number from 1 to 143 is listed once, with evidence")
    func complete() {
        #expect(CatalogueTests.entries.map(\.number) == Array(1...143))
        #expect(CatalogueTests.entries.allSatisfy { !$0.evidence.isEmpty })
        let open = CatalogueTests.entries.filter { $0.evidence.contains { $0.hasPrefix("*open*") } }
        #expect(Set(open.map(\.number)) == CatalogueTests.open)
    }

    @Test("SECURITY.md has the numbers of attacks and of hostile inputs")
    func counted() throws {
        let page = CatalogueTests.root.appending(path: "SECURITY.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let attacks = try need(text.firstMatch(of: /Each of (\d+) known attacks/))
        #expect(Int(attacks.1) == CatalogueTests.entries.count)
        let inputs = try need(
            text.firstMatch(
                of: /([\d,]+) hostile inputs of `Vectors\/`, ([\d,]+) are rejected.*other (\d+)/))
        let numbers = [inputs.1, inputs.2, inputs.3].map { Int($0.filter { $0 != "," }) }
        let accepted = HostileTests.verdicts.values.count { $0.string == "accepted" }
        let all = CatalogueTests.hostile.count
        #expect(numbers == [all, all - accepted, accepted])
    }

    @Test("all evidence of an entry exists", arguments: entries)
    func exists(_ entry: Entry) throws {
        let vectors = CatalogueTests.hostile.count { $0.catalogue == entry.number }
        let counted = entry.evidence.contains("\(vectors) vector\(vectors == 1 ? "" : "s")")
        #expect(counted == (vectors > 0), "there are \(vectors) vectors")
        for evidence in entry.evidence where !evidence.hasPrefix("*open*") {
            let quoted = evidence.components(separatedBy: "`")
            let names = quoted.indices.filter { $0 % 2 == 1 }.map { quoted[$0] }
            if evidence.hasPrefix("derived ") {
                for name in names {
                    let known = CatalogueTests.hostile.contains {
                        $0.id.hasSuffix(".\(name).negative") || $0.id.hasSuffix("-\(name).negative")
                    }
                    #expect(known, "no hostile input ends in \(name)")
                }
            } else if let file = names.first {
                let folder = file.hasSuffix(".swift") ? "Tests/Unit" : "Tests"
                let url = CatalogueTests.root.appending(path: "\(folder)/\(file)")
                let text = try String(contentsOf: url, encoding: .utf8)
                guard let start = evidence.firstIndex(of: "\"") else { continue }
                #expect(
                    text.contains(evidence[start...]), "\(file) has no test \(evidence[start...])")
            } else {
                #expect(evidence.hasSuffix("vector") || evidence.hasSuffix("vectors"))
            }
        }
    }

    @Test("catalogue 116: a key without alg, use and key_ops does not extend the allowed list")
    func keyWithoutMetadata() throws {
        let key = TestKeys.bare(TestKeys.signing)
        for algorithm in SignatureAlgorithm.all where algorithm.kinds == .rsa {
            let token = try TestToken.signed(
                #"{"alg":"\#(algorithm.name)"}"#, "{}", by: key, algorithm)
            for allowed in SignatureAlgorithm.all where allowed.kinds == .rsa {
                let verifier = try JWSVerifier(
                    keys: PublicJWKSet(keys: [key]), algorithms: [allowed])
                if allowed == algorithm {
                    #expect(throws: Never.self) { try verifier.verify(token) }
                } else {
                    expectRejection("algorithm-not-allowed") { () throws(JOSEError) in
                        _ = try verifier.verify(token)
                    }
                }
            }
            // Such a key is not valid for encryption with other algorithms, either.
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: [key]), algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
            let encrypted = try TestToken.encrypted(
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "{}", to: key)
            expectRejection("algorithm-not-allowed") { () throws(JOSEError) in
                _ = try decrypter.decrypt(encrypted)
            }
        }
    }

    @Test("catalogue 125: inputs of 128 megabytes are rejected by length, without reading them")
    func hugeInputs() throws {
        let huge = [UInt8](repeating: UInt8(ascii: "."), count: 128 << 20)
        let verifier = try JWSVerifier.rs256(TestKeys.signing)
        let decrypter = try JWEDecrypter.rsa(TestKeys.decrypting)
        let start = processorSeconds()
        let readers: [() throws -> Any] = [
            { try verifier.verify(huge) }, { try decrypter.decrypt(huge) },
            { try PublicJWKSet(json: huge) }, { try JWK(json: huge) },
            { try KeyFileContents(huge) },
        ]
        for read in readers { expectRejection("limit-exceeded") { _ = try read() } }
        // Reading them once would take much longer.
        #expect(processorSeconds() - start < 0.02)
    }
}
