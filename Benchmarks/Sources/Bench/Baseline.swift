// The checked-in numbers of the gate: one line a scenario, so that a review shows what moved.

import Foundation

struct Baseline {
    struct Entry {
        var allocations: Double
        var crypto: Double
        var instructions: Int
    }

    /// What the numbers hold for: toolchain, architecture, libcrypto.
    var facts: [String: String]
    var entries: [String: Entry]

    init(facts: [String: String]) {
        self.facts = facts
        entries = [:]
    }

    /// A bound that is known to be missed has a line `# waived NAME: RATIO`, written by hand; the gate
    /// then holds that ratio. An update keeps it.
    func waived(_ name: String) -> Double? { facts["waived " + name].flatMap { Double($0) } }

    mutating func keepWaivers(of old: Baseline) {
        for (name, value) in old.facts where name.hasPrefix("waived ") { facts[name] = value }
    }

    init(path: String) throws {
        self.init(facts: [:])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                let parts = line.dropFirst().split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                facts[parts[0].trimmingCharacters(in: .whitespaces)] =
                    parts[1].trimmingCharacters(in: .whitespaces)
                continue
            }
            let fields = line.split(separator: "\t")
            guard fields.count == 4, let allocations = Double(fields[1]),
                let crypto = Double(fields[2]), let instructions = Int(fields[3])
            else { throw BenchmarkFailure("\(path): not a line of a baseline: \(line)") }
            entries[String(fields[0])] = Entry(
                allocations: allocations, crypto: crypto, instructions: instructions)
        }
    }

    func write(to path: String) throws {
        var text = ""
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            text += "# \(name): \(value)\n"
        }
        text +=
            "# one iteration, tab-separated: scenario, our allocations, libcrypto's, our instructions\n"
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            text += "\(name)\t\(count(entry.allocations))\t\(count(entry.crypto))\t"
            text += "\(entry.instructions)\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
