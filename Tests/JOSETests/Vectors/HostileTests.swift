// Every hostile input is refused with its pinned code, or is listed with the feature that it waits for.

import Foundation
import Testing

/// How a hostile input ended.
enum HostileOutcome {
    case verdict(String)
    case notYet(String)
}

@Suite("Hostile inputs")
struct HostileTests {
    static let verdicts = VectorFile.read("verdicts.json")["verdicts"]?.object ?? [:]

    @Test("every hostile input earns its pinned code", arguments: VectorFile.all)
    func refused(_ file: VectorFile) throws {
        let tally = HostileTests.tally(file)
        let pinned = try need(PinnedTallies.read().files[file.name])
        #expect(tally.hostileRun == pinned.hostileRun)
        #expect(tally.hostileWaiting == pinned.hostileWaiting)
        let count = VectorFile.read("counts.json")["files"]?[file.name]?["negative"]?.int
        #expect(tally.hostileCount == count, "counts.json says another number")
    }

    @Test("verdicts.json has one verdict for each hostile input and none besides")
    func complete() {
        let ids = Set(VectorFile.all.flatMap { $0.negative.map(\.id) })
        #expect(Set(HostileTests.verdicts.keys) == ids)
    }

    static func tally(_ file: VectorFile) -> Tally {
        var tally = Tally()
        for hostile in file.negative {
            do {
                let outcome =
                    try hostile.catalogue == nil || hostile.kind == "jwk-x5c-trust"
                    ? DerivedRunner(hostile).verdict() : AttackRunner(hostile).verdict()
                switch outcome {
                case .notYet(let reason): tally.hostile(hostile, .notYet(reason))
                case .verdict(let verdict):
                    tally.hostile(hostile, .ran)
                    #expect(verdict == verdicts[hostile.id]?.string, "\(hostile.id)")
                }
            } catch {
                Issue.record("\(hostile.id): \(error)")
                tally.hostileRun += 1
            }
        }
        return tally
    }

    /// `JOSE_PIN=1 swift test --filter pinAgain` writes Vectors/not-yet.json after a feature has come.
    @Test(
        "write Vectors/not-yet.json",
        .enabled(if: ProcessInfo.processInfo.environment["JOSE_PIN"] != nil))
    func pinAgain() throws {
        var pinned = PinnedTallies()
        for file in VectorFile.all {
            var tally = PublishedVectorTests.tally(file)
            let hostile = HostileTests.tally(file)
            tally.hostileRun = hostile.hostileRun
            tally.hostileWaiting = hostile.hostileWaiting
            pinned.files[file.name] = tally
        }
        try pinned.write()
    }
}
