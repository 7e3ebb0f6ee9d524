// Every hostile input is rejected with its code.

import Testing

/// The result for one hostile input.
enum HostileOutcome {
    case verdict(String)
    case leftOut(String)
}

@Suite("Hostile inputs")
struct HostileTests {
    static let verdicts = VectorFile.read("verdicts.json")["verdicts"]?.object ?? [:]

    @Test("every hostile input is rejected with its code", arguments: VectorFile.all)
    func rejected(_ file: VectorFile) throws {
        let count = VectorFile.read("counts.json")["files"]?[file.name]?["negative"]?.int
        #expect(HostileTests.run(file) == count, "counts.json says another number")
    }

    @Test("verdicts.json has one entry for each hostile input and no others")
    func complete() {
        let ids = VectorFile.all.flatMap { $0.negative.map(\.id) }
        #expect(Set(HostileTests.verdicts.keys) == Set(ids) && Set(ids).count == ids.count)
    }

    /// The number of hostile inputs that ran.
    private static func run(_ file: VectorFile) -> Int {
        var count = 0
        for hostile in file.negative {
            do {
                let wanted = verdicts[hostile.id]?.string
                let outcome =
                    try hostile.catalogue == nil || hostile.kind == "jwk-x5c-trust"
                    ? DerivedRunner(hostile).verdict() : AttackRunner(hostile).verdict()
                switch outcome {
                case .verdict(let verdict): #expect(verdict == wanted, "\(hostile.id)")
                case .leftOut(let name) where LeftOut.isElsewhere(name):
                    let found = try LeftOut.verdictsElsewhere(hostile, name)
                    #expect(found.allSatisfy { $0 == "unsupported" }, "\(hostile.id): \(found)")
                case .leftOut(let name):
                    // A syntax error is reported first; otherwise the algorithm is not available.
                    let found = try LeftOut.verdicts(hostile)
                    #expect(name.hasPrefix("PBES2-") && !found.isEmpty, "\(hostile.id)")
                    #expect(
                        found.allSatisfy { $0 == "algorithm-not-allowed" || $0 == wanted },
                        "\(hostile.id): \(found)")
                }
                count += 1
            } catch {
                Issue.record("\(hostile.id): \(error)")
            }
        }
        return count
    }
}
