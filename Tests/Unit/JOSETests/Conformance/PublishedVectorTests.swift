// Every published vector runs. A vector whose algorithm this build lacks is rejected.

import Testing

@Suite("Published vectors")
struct PublishedVectorTests {
    @Test("every vector runs", arguments: VectorFile.all)
    func vectors(_ file: VectorFile) throws {
        let count = VectorFile.read("counts.json")["files"]?[file.name]?["vectors"]?.int
        #expect(PublishedVectorTests.run(file) == count, "counts.json says another number")
    }

    @Test("the totals of counts.json match its files")
    func totals() {
        let counts = VectorFile.read("counts.json")
        #expect(VectorFile.all.reduce(0) { $0 + $1.vectors.count } == counts["vectors"]?.int)
        #expect(VectorFile.all.reduce(0) { $0 + $1.negative.count } == counts["negative"]?.int)
        let ids = VectorFile.all.flatMap { ($0.vectors + $0.negative).map(\.id) }
        #expect(Set(ids).count == ids.count, "an id stands twice")
    }

    /// The number of vectors that ran.
    private static func run(_ file: VectorFile) -> Int {
        var count = 0
        for vector in file.vectors {
            do {
                switch try VectorRunner(vector: vector).run() {
                case .ran: try forms(of: vector)
                case .leftOut(let name) where LeftOut.isElsewhere(name):
                    let verdicts = try LeftOut.verdictsElsewhere(vector, name)
                    #expect(verdicts.allSatisfy { $0 == "unsupported" }, "\(vector.id)")
                case .leftOut(let name):
                    let verdicts = try LeftOut.verdicts(vector)
                    #expect(name.hasPrefix("PBES2-") && !verdicts.isEmpty, "\(vector.id)")
                    #expect(
                        verdicts.allSatisfy { $0 == "algorithm-not-allowed" },
                        "\(vector.id): \(verdicts)")
                }
                count += 1
            } catch {
                Issue.record("\(vector.id): \(error)")
            }
        }
        return count
    }

    /// A vector of a compact token may contain JSON serialisations of it, too.
    private static func forms(of vector: VectorCase) throws {
        guard vector.output["flattened"] != nil || vector.output["general"] != nil else { return }
        switch vector.kind {
        case "jws": _ = try VectorRunner(vector: vector).signedJSON()
        case "jwe": _ = try VectorRunner(vector: vector).encryptedJSON()
        default: break
        }
    }
}
