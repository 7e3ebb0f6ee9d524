// Grammar-based mutants of the key file corpora, in an ordinary test run. `tools/run fuzz` creates
// many more.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("Key files: grammar-based mutations")
struct DERMutationTests {
    /// Mutants for each input of a corpus: those of the PKCS#12 corpora cost a thousand hashes
    /// each.
    private static let mutants = 12

    @Test(
        "no removed, doubled, emptied or swapped value ends in internal, with a valid MAC",
        arguments: ["key-file", "pkcs12"])
    func mutants(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        var count = 0
        for input in try ReplayTests.inputs(of: name).sorted(by: { $0.path < $1.path }) {
            let file = [UInt8](try Data(contentsOf: input))
            for seed in 0..<UInt64(DERMutationTests.mutants) {
                var mutator = DERMutator(seed: seed)
                guard let mutant = mutator.mutant(of: file) else { break }
                count += 1
                do {
                    try target.run(mutant)
                } catch {
                    Issue.record(
                        "\(input.lastPathComponent), seed \(seed): \(error): \(Data(mutant).base64EncodedString())"
                    )
                }
            }
        }
        #expect(count > 100)
    }

    @Test("the properties hold if a value is emptied, removed or doubled, with a valid MAC")
    func sweep() throws {
        let target = try #require(FuzzTarget.named("pkcs12"))
        let password = Array("password".utf8)
        var files = try ReplayTests.inputs(of: "pkcs12").map { [UInt8](try Data(contentsOf: $0)) }
        files.sort { $0.count < $1.count }
        let whole = files.filter { (try? KeyFileContents($0, password: password)) != nil }
        #expect(whole.count > 2)
        for file in whole.prefix(3) + whole.suffix(1) {
            for (index, mutant) in DERMutator.sweep(of: file).enumerated() {
                do {
                    try target.run(mutant)
                } catch {
                    Issue.record("\(index): \(error): \(Data(mutant).base64EncodedString())")
                }
            }
        }
    }

    @Test("the mutator creates different files that are valid DER with a valid MAC")
    func bites() throws {
        let password = Array("password".utf8)
        var accepted = 0
        var rejected: Set<String> = []
        var made: Set<[UInt8]> = []
        for input in try ReplayTests.inputs(of: "pkcs12").sorted(by: { $0.path < $1.path }) {
            let file = [UInt8](try Data(contentsOf: input))
            guard (try? KeyFileContents(file, password: password)) != nil else { continue }
            for seed in 0..<20 as Range<UInt64> {
                var mutator = DERMutator(seed: seed)
                guard let mutant = mutator.mutant(of: file) else { break }
                made.insert(mutant)
                do {
                    _ = try KeyFileContents(mutant, password: password)
                    accepted += 1
                } catch {
                    rejected.insert(error.message)
                }
            }
        }
        #expect(made.count > 50 && accepted > 5)
        // Most mutants have a valid MAC and are rejected because of their content.
        #expect(rejected.count > 4)
    }
}
