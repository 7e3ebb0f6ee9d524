// A baseline file: the checked-in numbers of `check`, one line a scenario.

import Foundation

struct BaselineFile {
    enum Kind: String {
        case allocations = "our allocations, libcrypto's"
        case instructions = "our instructions"

        var columns: Int { self == .allocations ? 2 : 1 }
    }

    let kind: Kind
    /// What the numbers are valid for: architecture, and libcrypto or the toolchain.
    var facts: [String: String]
    /// The numbers of each scenario.
    var entries: [String: [Double]] = [:]

    init(_ kind: Kind, facts: [String: String]) {
        self.kind = kind
        self.facts = facts
    }

    /// The waived ratio of a scenario: a handwritten line `# waived NAME: RATIO` raises its bound
    /// to this ratio. `--update` keeps the line.
    func waived(_ name: some StringProtocol) -> Double? {
        guard let ratio = facts["waived " + name].flatMap({ Double($0) }) else { return nil }
        return ratio.isFinite && ratio > 0 ? ratio : nil
    }

    mutating func keepWaivers(of old: BaselineFile) {
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
                    throw BenchmarkFailure("\(path): a waiver needs a ratio: \(line.prefix(80))")
                }
                continue
            }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let numbers = fields.dropFirst().compactMap { Double($0) }
            guard fields.count == 1 + kind.columns, numbers.count == kind.columns,
                !fields[0].isEmpty, numbers.allSatisfy({ $0.isFinite && $0 >= 0 })
            else {
                throw BenchmarkFailure("\(path): not a line of a baseline file: \(line.prefix(80))")
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

/// Whether allocations differ in the precision of the file.
func allocationsMoved(_ new: Double, _ old: Double) -> Bool { count(new) != count(old) }

/// The relative tolerance of instructions.
private let instructionTolerance = 0.01
/// The absolute tolerance. The alignment of a buffer, which varies with the environment, changes
/// the cost of libc's copies and comparisons (seen: 26 instructions of 500 to 4,000).
private let instructionNoise = 32.0

/// Whether instructions differ by more than both tolerances.
func instructionsMoved(_ new: Double, _ old: Double) -> Bool {
    abs(new / max(1, old) - 1) > instructionTolerance && abs(new - old) > instructionNoise
}
