// The checked-in numbers of the gate: one line a scenario, so that a review shows what moved.

import Foundation

struct Baseline {
    enum Kind: String {
        case allocations = "our allocations, libcrypto's"
        case instructions = "our instructions"

        var columns: Int { self == .allocations ? 2 : 1 }
    }

    let kind: Kind
    /// What the numbers hold for: architecture, and libcrypto or the toolchain.
    var facts: [String: String]
    /// The columns of each scenario.
    var entries: [String: [Double]] = [:]

    init(_ kind: Kind, facts: [String: String]) {
        self.kind = kind
        self.facts = facts
    }

    /// A bound that is known to be missed has a line `# waived NAME: RATIO`, written by hand; the gate
    /// then holds that ratio. An update keeps it.
    func waived(_ name: some StringProtocol) -> Double? {
        guard let ratio = facts["waived " + name].flatMap({ Double($0) }) else { return nil }
        return ratio.isFinite && ratio > 0 ? ratio : nil
    }

    mutating func keepWaivers(of old: Baseline) {
        for (name, value) in old.facts where name.hasPrefix("waived ") { facts[name] = value }
    }

    init(_ kind: Kind, path: String) throws {
        self.init(kind, facts: [:])
        let text = try readText(path)
        for line in lines(of: text) where !line.isEmpty {
            if line.hasPrefix("#") {
                // A scenario's name may have a colon too.
                guard let colon = line.lastIndex(of: ":") else { continue }
                let name = line[..<colon].dropFirst().trimmingCharacters(in: .whitespaces)
                facts[name] = line[line.index(after: colon)...]
                    .trimmingCharacters(in: .whitespaces)
                guard !name.hasPrefix("waived ") || waived(name.dropFirst(7)) != nil else {
                    throw BenchmarkFailure("\(path): a waiver is a ratio: \(line.prefix(80))")
                }
                continue
            }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let numbers = fields.dropFirst().compactMap { Double($0) }
            guard fields.count == 1 + kind.columns, numbers.count == kind.columns,
                !fields[0].isEmpty, numbers.allSatisfy({ $0.isFinite && $0 >= 0 })
            else {
                throw BenchmarkFailure("\(path): not a line of a baseline: \(line.prefix(80))")
            }
            guard entries.updateValue(numbers, forKey: String(fields[0])) == nil else {
                throw BenchmarkFailure("\(path): two lines for \(fields[0])")
            }
        }
    }

    func write(to path: String) throws {
        var text = ""
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            text += "# \(name): \(value)\n"
        }
        text += "# one iteration, tab-separated: scenario, \(kind.rawValue)\n"
        for (name, numbers) in entries.sorted(by: { $0.key < $1.key }) {
            text += ([name] + numbers.map(count)).joined(separator: "\t") + "\n"
        }
        try writeText(text, to: path)
        print("wrote \(entries.count) lines to \(path)")
    }
}

/// By what their lines say: an average over many iterations has more digits.
func allocationsMoved(_ new: Double, _ old: Double) -> Bool { count(new) != count(old) }

/// Instructions may differ by so much without anyone having changed the code.
private let instructionTolerance = 0.01
/// Nor do so few: where a buffer lies decides what libc's copies and comparisons of it cost, and
/// that moves with the environment and with what ran before (seen: 26 in a call of 500 to 4,000).
private let instructionNoise = 32.0

/// By more than one per cent, and by more than a few.
func instructionsMoved(_ new: Double, _ old: Double) -> Bool {
    abs(new / max(1, old) - 1) > instructionTolerance && abs(new - old) > instructionNoise
}
