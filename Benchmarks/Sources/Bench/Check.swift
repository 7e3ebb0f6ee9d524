// `check` and `check-instructions`, the gate: allocations exactly and ratios within their bound and five per cent, for the
// way of computing that is taken; our instructions within one per cent. Says what moved, from what, to what.

import CBenchFloors
import Foundation

extension Scenario {
    /// Held by the gate: its own numbers repeat, and it is no floor.
    var isHeld: Bool { gated && threads == 1 && !name.hasSuffix("floor") }
}

/// Instructions may differ by so much without anyone having changed the code.
private let instructionTolerance = 0.01
/// Nor do so few: where a buffer lies decides what libc's copies and comparisons of it cost, and
/// that moves with the environment and with what ran before (seen: 26 in a call of 500 to 4,000).
private let instructionNoise = 32.0
private let ratioTolerance = 1.05

/// Allocations and ratios of one way, against its own baseline.
func commandCheck(_ options: Options, way: String) throws -> Bool {
    let path = try options.needed("baseline") + "-\(way).tsv"
    let world = try World()
    let scenarios = options.chosen(try allScenarios(world))
    var now = Baseline(
        .allocations,
        facts: [
            "architecture": try options.needed("arch"), "way": way,
            "libcrypto": String(cString: floor_crypto_version()),
        ])
    for (scenario, _, allocations) in try prepare(scenarios.filter(\.isHeld)) {
        guard let allocations else { continue }
        now.entries[scenario.name] = [allocations.ours, allocations.crypto]
    }
    if options.has("update") {
        try update(&now, path, options)
        return true
    }
    let then = try Baseline(.allocations, path: path)
    noteDifferences(now, then, "libcrypto", unheld: "libcrypto's allocations")
    let sameCrypto = now.facts["libcrypto"] == then.facts["libcrypto"]
    let moved = compare(now, with: then, partly: options["only"] != nil) { new, old in
        if new[0] != old[0] {
            return "our allocations \(count(old[0])) -> \(count(new[0]))"
        }
        if sameCrypto, new[1] != old[1] {
            return "libcrypto's allocations \(count(old[1])) -> \(count(new[1]))"
        }
        return nil
    }
    let ratios = options.has("no-ratios") ? [] : try checkRatios(scenarios, then)
    return report(moved + ratios, "\(now.entries.count) scenarios, way \(way),")
}

/// Our instructions, counted by `count` under callgrind before.
func commandCheckInstructions(_ options: Options) throws -> Bool {
    let path = try options.needed("baseline") + "-instructions.tsv"
    var now = Baseline(
        .instructions,
        facts: [
            "architecture": try options.needed("arch"),
            "toolchain": try options.needed("toolchain"),
        ])
    let profiles = try readProfiles(
        try options.needed("profiles"), program: try options.needed("program"))
    try require(!profiles.isEmpty, "callgrind gave no profile")
    now.entries = profiles.mapValues { [Double($0)] }
    if options.has("update") {
        try update(&now, path, options)
        return true
    }
    let then = try Baseline(.instructions, path: path)
    noteDifferences(now, then, "toolchain", unheld: "instructions")
    let sameToolchain = now.facts["toolchain"] == then.facts["toolchain"]
    let moved = compare(now, with: then, partly: options["only"] != nil) { new, old in
        let change = new[0] / max(1, old[0]) - 1
        guard sameToolchain, abs(change) > instructionTolerance,
            abs(new[0] - old[0]) > instructionNoise
        else {
            return nil
        }
        return "our instructions \(count(old[0])) -> \(count(new[0])) "
            + "(\(change > 0 ? "+" : "")\(number(change * 100, 1)) %)"
    }
    return report(moved, "instructions of \(now.entries.count) scenarios")
}

/// With `--only` the other lines stay as they are.
private func update(_ now: inout Baseline, _ path: String, _ options: Options) throws {
    if let old = try? Baseline(now.kind, path: path) {
        now.keepWaivers(of: old)
        if options["only"] != nil { now.entries.merge(old.entries) { new, _ in new } }
    }
    try now.write(to: path)
}

private func noteDifferences(_ now: Baseline, _ then: Baseline, _ fact: String, unheld: String) {
    let (here, there) = (now.facts[fact] ?? "?", then.facts[fact] ?? "?")
    if here != there {
        print("note  \(fact) is \(here), the baseline's \(there): \(unheld) are not held")
    }
}

/// A line for each scenario of which `difference` finds one, and for those that one side lacks.
private func compare(
    _ now: Baseline, with then: Baseline, partly: Bool,
    _ difference: (_ new: [Double], _ old: [Double]) -> String?
) -> [String] {
    var complaints: [String] = []
    for (name, new) in now.entries.sorted(by: { $0.key < $1.key }) {
        guard let old = then.entries[name] else {
            complaints.append("\(name): not in the baseline")
            continue
        }
        if let what = difference(new, old) { complaints.append("\(name): \(what)") }
    }
    for name in then.entries.keys.sorted() where !partly && now.entries[name] == nil {
        complaints.append("\(name): in the baseline, but not measured")
    }
    return complaints
}

private func report(_ complaints: [String], _ what: String) -> Bool {
    for complaint in complaints { print("FAIL  " + complaint) }
    print(
        complaints.isEmpty
            ? "bench-check: \(what) as in the baseline"
            : "bench-check: \(what) \(complaints.count) numbers moved; if that is meant: "
                + "./dev bench-check --update")
    return complaints.isEmpty
}

/// A ratio over its limit is measured again while others wait: a neighbour that loads the units for vectors, and not
/// those for integers, moves it by a sixth for seconds at a time. What is slow stays over its limit in every pass.
private func checkRatios(_ scenarios: [Scenario], _ then: Baseline) throws -> [String] {
    let byName = Dictionary(scenarios.map { ($0.name, $0) }) { first, _ in first }
    var held = scenarios.filter(\.isHeld).compactMap { scenario in
        Ratio(of: scenario, over: scenario.floor.flatMap { byName[$0] }, then)
    }
    for pass in 0..<passes {
        let over = held.indices.filter { !held[$0].keepsLimit }
        if over.isEmpty { break }
        if pass > 0 { Thread.sleep(forTimeInterval: secondsBetweenPasses) }
        for index in over { try held[index].measure() }
    }
    for ratio in held where ratio.keepsLimit { print("ratio " + ratio.line) }
    return held.filter { !$0.keepsLimit }.map {
        $0.line + " and 5 % "
            + "(\(number($0.best.ours, 0)) over \(number($0.best.floor, 0)) ns, best of \(passes) passes)"
    }
}

private let passes = 8
private let secondsBetweenPasses = 4.0

/// A scenario whose ratio to its floor has a bound, and the best that was measured of it.
private struct Ratio {
    let scenario: Scenario
    let floor: Scenario
    let most: Double
    let waived: Double?
    var best = Paired()

    init?(of scenario: Scenario, over floor: Scenario?, _ then: Baseline) {
        guard let floor, case .ratio(let most) = scenario.bound else { return nil }
        (self.scenario, self.floor, self.most) = (scenario, floor, most)
        waived = then.waived(scenario.name)
    }

    var keepsLimit: Bool { best.bestRound <= max(most, waived ?? 0) * ratioTolerance }

    var line: String {
        pad(scenario.name, -34) + " \(number(best.bestRound, 3)), bound \(number(most, 2))"
            + (waived == nil ? "" : ", WAIVED")
    }

    mutating func measure() throws {
        best.keepBest(of: try pair(try scenario.prepare(), floor: try floor.prepare()))
    }
}
