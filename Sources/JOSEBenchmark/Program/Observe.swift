// Commands that `check` and `report` run in another process: `count`, `observe`, `allocations`.

import Foundation

/// Runs each checked scenario under callgrind, one profile each; `--baselines` adds the baselines.
func commandCount(_ options: Options, _ session: Session) throws -> Bool {
    try require(Probe.isUnderValgrind, "count runs under valgrind; check does that")
    for scenario in try options.chosen(try session.scenarios())
    where scenario.isChecked || options.has("baselines") {
        try inScenario(scenario) {
            let work = try scenario.prepare()
            try work(3, 0)
            try Probe.collect(scenario.name) { try work(profiledIterations, 0) }
        }
    }
    return true
}

/// Writes one `observation` of each scenario: its name and the nanoseconds, tab-separated.
func commandObserve(_ options: Options, _ session: Session) throws -> Bool {
    var text = ""
    for scenario in try options.chosen(try session.scenarios()) where scenario.isChecked {
        let nanoseconds = try inScenario(scenario) { try observation(try scenario.prepare()) }
        text += "\(scenario.name)\t\(number(nanoseconds, 2))\n"
    }
    try writeText(text, to: try options.needed("out"))
    return true
}

/// Writes the allocations of each scenario: its name, ours and libcrypto's, tab-separated.
func commandAllocations(_ options: Options, _ session: Session) throws -> Bool {
    var text = ""
    for scenario in try options.chosen(try session.scenarios()) where scenario.isChecked {
        let counted = try inScenario(scenario) { try countAllocations(of: try scenario.prepare()) }
        text += "\(scenario.name)\t\(count(counted.ours))\t\(count(counted.crypto))\n"
    }
    try writeText(text, to: try options.needed("out"))
    return true
}

/// Reads lines of a name and this many numbers.
func readColumns(_ path: String, _ columns: Int) throws -> [String: [Double]] {
    var found: [String: [Double]] = [:]
    for line in try readText(path).split(separator: "\n") {
        let fields = line.split(separator: "\t")
        let numbers = fields.dropFirst().compactMap { Double($0) }
        guard fields.count == 1 + columns, numbers.count == columns else {
            throw BenchmarkFailure("\(path): not a name and \(columns) numbers: \(line.prefix(80))")
        }
        found[String(fields[0])] = numbers
    }
    return found
}
