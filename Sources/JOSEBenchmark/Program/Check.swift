// `check`, the gate: allocations exactly, ratios within their bound and five per cent, our instructions within one per cent.
// Says what moved, from what, to what, and what could not be held here.

import Foundation

private let ratioTolerance = 1.05

/// What is held: `--parts`, all without it.
private enum Part: String, CaseIterable {
    case allocations, ratios, instructions

    static func chosen(_ text: String?) throws -> Set<Part> {
        guard let text else { return Set(allCases) }
        // No word at all, as of a variable that is not set, would hold nothing.
        return Set(
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let part = Part(rawValue: String(word)) else {
                    throw BenchmarkFailure("--parts: allocations, ratios, instructions")
                }
                return part
            })
    }
}

func commandCheck(_ options: Options, _ session: Session) throws -> Bool {
    let parts = try Part.chosen(options["parts"])
    let path = parts == [.instructions] ? options["baseline"] ?? "" : try options.needed("baseline")
    let all = try session.scenarios()
    // A name that is none any more, or that of a floor, would hold nothing.
    for start in options["only"]?.split(separator: ",") ?? [] {
        try require(
            all.contains { $0.isExternal && $0.name.hasPrefix(start) },
            "no name of a scenario that the gate holds starts with '\(start)'")
    }
    let chosen = try options.chosen(all)
    try require(chosen.contains(where: \.isExternal), "no scenario that the gate holds")
    // Said before minutes are spent.
    if !options.has("update"), parts != [.instructions] {
        _ = try Baseline(.allocations, path: path)
    }
    // One that is not named stands beside the baseline, or not: it is of one kind of machine.
    if !options.has("update"), parts.contains(.instructions), let named = options["instructions"] {
        _ = try Baseline(.instructions, path: named)
    }
    // What was held, and what moved of it; nil where nothing could be.
    var (held, moved): ([Part], [String]) = ([], [])
    func take(_ part: Part, _ complaints: [String]?) {
        guard let complaints else { return }
        held.append(part)
        moved += complaints
    }
    if parts.contains(.instructions) {
        let own =
            try options["instructions"]
            ?? instructionsPath(beside: try options.needed("baseline"))
        take(.instructions, try checkInstructions(own, options))
    }
    if parts.contains(.allocations) {
        take(.allocations, try checkAllocations(chosen, path, options, way: session.way))
    }
    if options.has("update") { return true }
    if parts.contains(.ratios) {
        take(.ratios, try checkRatios(chosen, among: all, path))
    }
    for complaint in moved { print("FAIL  " + complaint) }
    let what = "check: \(chosen.count(where: \.isExternal)) scenarios, way \(session.way): "
    let named = held.map(\.rawValue).joined(separator: " and ")
    print(
        held.isEmpty
            ? what + "nothing could be held here"
            : moved.isEmpty
                ? what + named + " as in the baseline"
                : what + "\(moved.count) numbers moved; if that is meant: --update")
    return moved.isEmpty
}

/// `baseline.tsv` has `baseline-instructions.tsv` beside it.
func instructionsPath(beside path: String) -> String {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent + "-instructions"
    let ending = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
    return url.deletingLastPathComponent().appending(path: name + ending).path
}

private func checkAllocations(
    _ chosen: [Scenario], _ path: String, _ options: Options, way: String
) throws -> [String]? {
    guard Probe.countsMalloc else {
        print("note  calls of malloc are not counted in this program: allocations are not held")
        return nil
    }
    var now = Baseline(
        .allocations,
        facts: [
            "architecture": Machine.architecture, "way": way, "libcrypto": Probe.libcrypto,
        ])
    for scenario in chosen where scenario.isExternal {
        let counted = try inScenario(scenario) { try countAllocations(of: try scenario.prepare()) }
        now.entries[scenario.name] = [counted.ours, counted.crypto]
    }
    if options.has("update") {
        try update(&now, path, options)
        return []
    }
    let then = try Baseline(.allocations, path: path)
    var sameCrypto = true
    for fact in ["libcrypto", "way"] {
        let same = noteDifference(now, then, fact, unheld: "libcrypto's allocations")
        sameCrypto = sameCrypto && same
    }
    return compare(now, with: then, partly: options["only"] != nil) { new, old in
        if allocationsMoved(new[0], old[0]) {
            return "our allocations \(count(old[0])) -> \(count(new[0]))"
        }
        if sameCrypto, allocationsMoved(new[1], old[1]) {
            return "libcrypto's allocations \(count(old[1])) -> \(count(new[1]))"
        }
        return nil
    }
}

private func checkInstructions(_ path: String, _ options: Options) throws -> [String]? {
    let counted: [String: Int]
    switch try countInstructions(try ownProgram(), only: options["only"]) {
    case .unavailable(let why):
        print("note  \(why): instructions are not held")
        return nil
    // A gate that passed this by would be green for good.
    case .failed(let why): throw BenchmarkFailure(why)
    case .counted(let found): counted = found
    }
    var now = Baseline(
        .instructions,
        facts: ["architecture": Machine.architecture, "toolchain": Machine.toolchain])
    now.entries = counted.mapValues { [Double($0)] }
    if options.has("update") {
        try update(&now, path, options)
        return []
    }
    guard FileManager.default.fileExists(atPath: path) else {
        print("note  there is no \(path), which --update writes here: instructions are not held")
        return nil
    }
    let then = try Baseline(.instructions, path: path)
    for fact in ["architecture", "toolchain"] {
        guard noteDifference(now, then, fact, unheld: "instructions") else { return nil }
    }
    return compare(now, with: then, partly: options["only"] != nil) { new, old in
        guard instructionsMoved(new[0], old[0]) else { return nil }
        return "our instructions \(count(old[0])) -> \(count(new[0])) "
            + "(\(percent(new[0] / max(1, old[0]) - 1)))"
    }
}

/// With `--only` the other lines stay as they are.
private func update(_ now: inout Baseline, _ path: String, _ options: Options) throws {
    if FileManager.default.fileExists(atPath: path) {
        let old = try Baseline(now.kind, path: path)
        now.keepWaivers(of: old)
        if options["only"] != nil { now.entries.merge(old.entries) { new, _ in new } }
    }
    try now.write(to: path)
}

private func noteDifference(
    _ now: Baseline, _ then: Baseline, _ fact: String, unheld: String
) -> Bool {
    let (here, there) = (now.facts[fact] ?? "?", then.facts[fact] ?? "?")
    if here != there {
        print("note  \(fact) is \(here), the baseline's \(there): \(unheld) are not held")
    }
    return here == there
}

/// A line for each scenario of which `difference` finds one, and for those that one side lacks.
func compare(
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

/// A ratio over its limit is measured again while others wait. A neighbour on the same core slows what fills the core with
/// vectors by a tenth or more, and chains of integers not at all, for minutes at a time: how much of the core is left is
/// measured in turns with such work, and it is held to what it would take alone. What is slow stays over its limit in every pass.
private func checkRatios(
    _ chosen: [Scenario], among all: [Scenario], _ path: String
) throws -> [String]? {
    let then = try Baseline(.allocations, path: path)
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    var held = chosen.filter(\.isExternal).compactMap { scenario in
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

    var keepsLimit: Bool { best.bestRoundAlone <= max(most, waived ?? 0) * ratioTolerance }

    var line: String {
        pad(scenario.name, -34) + " \(number(best.bestRound, 3)), bound \(number(most, 2))"
            + (best.bestRoundAlone < best.bestRound * 0.97
                ? ", \(number(best.bestRoundAlone, 3)) with the core to itself" : "")
            + (waived == nil ? "" : ", WAIVED")
    }

    mutating func measure() throws {
        best.keepBest(
            of: try pair(
                try inScenario(scenario) { try scenario.prepare() },
                floor: try inScenario(floor) { try floor.prepare() },
                coreShare: scenario.coreShare))
    }
}
