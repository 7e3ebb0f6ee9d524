// Every published vector runs, or is listed with the feature that it waits for.

import Testing

@Suite("Published vectors")
struct PublishedVectorTests {
    @Test("every vector runs or is listed by name", arguments: VectorFile.all)
    func vectors(_ file: VectorFile) throws {
        let tally = PublishedVectorTests.tally(file)
        let pinned = try need(PinnedTallies.read().files[file.name])
        #expect(tally.vectorsRun == pinned.vectorsRun)
        #expect(tally.vectorsWaiting == pinned.vectorsWaiting)
        #expect(tally.formsWaiting == pinned.formsWaiting)
        let count = VectorFile.read("counts.json")["files"]?[file.name]?["vectors"]?.int
        #expect(tally.vectorCount == count, "counts.json says another number")
    }

    @Test("the totals of counts.json are those of its files")
    func totals() {
        let counts = VectorFile.read("counts.json")
        #expect(VectorFile.all.reduce(0) { $0 + $1.vectors.count } == counts["vectors"]?.int)
        #expect(VectorFile.all.reduce(0) { $0 + $1.negative.count } == counts["negative"]?.int)
        let ids = VectorFile.all.flatMap { ($0.vectors + $0.negative).map(\.id) }
        #expect(Set(ids).count == ids.count, "an id stands twice")
    }

    static func tally(_ file: VectorFile) -> Tally {
        var tally = Tally()
        for vector in file.vectors {
            do {
                let outcome = try VectorRunner(vector: vector).run()
                tally.vector(vector, outcome)
                if outcome == .ran { try forms(of: vector, &tally) }
            } catch {
                Issue.record("\(vector.id): \(error)")
                tally.vectorsRun += 1
            }
        }
        return tally
    }

    /// A vector of a compact token may also print JSON serialisations of it.
    private static func forms(of vector: VectorCase, _ tally: inout Tally) throws {
        guard vector.output["flattened"] != nil || vector.output["general"] != nil else { return }
        switch vector.kind {
        case "jws": _ = try VectorRunner(vector: vector).signedJSON()
        case "jwe": _ = try VectorRunner(vector: vector).encryptedJSON()
        default: break
        }
    }
}
