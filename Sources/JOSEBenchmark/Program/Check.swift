// `check`: compares allocations (exactly), ratios (bound and 5 %) and our instructions (1 %) with
// the baseline files. Prints what changed and what could not be checked.

import Foundation

private let ratioTolerance = 1.05

/// What is checked: `--parts`, or everything.
private enum Part: String, CaseIterable {
    case allocations, ratios, instructions

    static func chosen(_ text: String?) throws -> Set<Part> {
        guard let text else { return Set(allCases) }
        // An empty list, as of an unset variable, would check nothing.
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
    // A name that no longer exists, or that of a baseline, would check nothing.
    for start in options["only"]?.split(separator: ",") ?? [] {
        try require(
            all.contains { $0.isChecked && $0.name.hasPrefix(start) },
            "no checked scenario's name starts with '\(start)'")
    }
    let chosen = try options.chosen(all)
    try require(chosen.contains(where: \.isChecked), "no scenario to check")
    // Reads the files now, to fail before minutes are spent.
    if !options.has("update"), parts != [.instructions] {
        _ = try BaselineFile(.allocations, path: path)
    }
    // Without the option the file may be missing, since it is for one kind of machine.
    if !options.has("update"), parts.contains(.instructions), let named = options["instructions"] {
        _ = try BaselineFile(.instructions, path: named)
    }
    // The checked parts and their changes. `complaints` is nil if a part could not be checked.
    var (checked, moved): ([Part], [String]) = ([], [])
    func take(_ part: Part, _ complaints: [String]?) {
        guard let complaints else { return }
        checked.append(part)
        moved += complaints
    }
    if parts.contains(.instructions) {
        let file =
            try options["instructions"]
            ?? instructionsPath(beside: try options.needed("baseline"))
        take(.instructions, try checkInstructions(file, options))
    }
    if parts.contains(.allocations) {
        take(.allocations, try checkAllocations(chosen, path, options, cpuLevel: session.cpuLevel))
    }
    if options.has("update") { return true }
    if parts.contains(.ratios) {
        take(.ratios, try checkRatios(chosen, among: all, path))
    }
    for complaint in moved { print("FAIL  " + complaint) }
    let what =
        "check: \(chosen.count(where: \.isChecked)) scenarios, CPU level \(session.cpuLevel): "
    let named = checked.map(\.rawValue).joined(separator: " and ")
    print(
        checked.isEmpty
            ? what + "nothing could be checked"
            : moved.isEmpty
                ? what + named + " as in the baseline"
                : what + "\(moved.count) numbers moved; if intended, use --update")
    return moved.isEmpty
}

/// The file of instructions next to `baseline.tsv`: `baseline-instructions.tsv`.
func instructionsPath(beside path: String) -> String {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent + "-instructions"
    let ending = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
    return url.deletingLastPathComponent().appending(path: name + ending).path
}

private func checkAllocations(
    _ chosen: [Scenario], _ path: String, _ options: Options, cpuLevel: String
) throws -> [String]? {
    guard Probe.countsMalloc else {
        print("note  calls of malloc are not counted in this program: allocations are not checked")
        return nil
    }
    var now = BaselineFile(
        .allocations,
        facts: [
            "architecture": Machine.architecture, "cpu-level": cpuLevel,
            "libcrypto": Probe.libcrypto,
        ])
    for scenario in chosen where scenario.isChecked {
        let counted = try inScenario(scenario) { try countAllocations(of: try scenario.prepare()) }
        now.entries[scenario.name] = [counted.ours, counted.crypto]
    }
    if options.has("update") {
        try update(&now, path, options)
        return []
    }
    let then = try BaselineFile(.allocations, path: path)
    var sameCrypto = true
    for fact in ["libcrypto", "cpu-level"] {
        let same = noteDifference(now, then, fact, skipped: "libcrypto's allocations")
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
        print("note  \(why): instructions are not checked")
        return nil
    // A check that skipped this would pass forever.
    case .failed(let why): throw BenchmarkFailure(why)
    case .counted(let found): counted = found
    }
    var now = BaselineFile(
        .instructions,
        facts: [
            "architecture": Machine.architecture, "toolchain": Machine.toolchain,
            "libcrypto": Probe.libcrypto,
        ])
    now.entries = counted.mapValues { [Double($0)] }
    if options.has("update") {
        try update(&now, path, options)
        return []
    }
    guard FileManager.default.fileExists(atPath: path) else {
        print("note  there is no \(path), which --update writes here: instructions are not checked")
        return nil
    }
    let then = try BaselineFile(.instructions, path: path)
    for fact in ["architecture", "toolchain"] {
        guard noteDifference(now, then, fact, skipped: "instructions") else { return nil }
    }
    // Error queues differ between versions of libcrypto, and so does the way to them.
    let sameCrypto = noteDifference(now, then, "libcrypto", skipped: "fewer instructions")
    return compare(now, with: then, partly: options["only"] != nil) { new, old in
        guard instructionsMoved(new[0], old[0]), sameCrypto || new[0] > old[0] else { return nil }
        return "our instructions \(count(old[0])) -> \(count(new[0])) "
            + "(\(percent(new[0] / max(1, old[0]) - 1)))"
    }
}

/// Writes the file; with `--only` the other lines stay.
private func update(_ now: inout BaselineFile, _ path: String, _ options: Options) throws {
    if FileManager.default.fileExists(atPath: path) {
        let old = try BaselineFile(now.kind, path: path)
        now.keepWaivers(of: old)
        if options["only"] != nil { now.entries.merge(old.entries) { new, _ in new } }
    }
    try now.write(to: path)
}

private func noteDifference(
    _ now: BaselineFile, _ then: BaselineFile, _ fact: String, skipped: String
) -> Bool {
    let (here, there) = (now.facts[fact] ?? "?", then.facts[fact] ?? "?")
    if here != there {
        print("note  \(fact) is \(here), the baseline's \(there): \(skipped) are not checked")
    }
    return here == there
}

/// A line for each scenario with a difference, or that is only in one of the files.
func compare(
    _ now: BaselineFile, with then: BaselineFile, partly: Bool,
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

/// Measures ratios, those over their limit again in up to eight passes.
///
/// A neighbour on the same core slows vector code by a tenth or more for minutes, but not chains of
/// integer operations. So `coreShare` is measured between the slices and corrects the ratio. Slow
/// code stays over its limit in every pass.
private func checkRatios(
    _ chosen: [Scenario], among all: [Scenario], _ path: String
) throws -> [String]? {
    let then = try BaselineFile(.allocations, path: path)
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    var ratios = chosen.filter(\.isChecked).compactMap { scenario in
        Ratio(of: scenario, over: scenario.baseline.flatMap { byName[$0] }, then)
    }
    for pass in 0..<passes {
        let over = ratios.indices.filter { !ratios[$0].keepsLimit }
        if over.isEmpty { break }
        if pass > 0 { Thread.sleep(forTimeInterval: secondsBetweenPasses) }
        for index in over { try ratios[index].measure() }
    }
    for ratio in ratios where ratio.keepsLimit { print("ratio " + ratio.line) }
    return ratios.filter { !$0.keepsLimit }.map {
        $0.line + " and 5 % "
            + "(\(number($0.best.ours, 0)) over \(number($0.best.baseline, 0)) ns, "
            + "best of \(passes) passes)"
    }
}

private let passes = 8
private let secondsBetweenPasses = 4.0

/// A scenario with a bound on its ratio, and the best ratio that was measured.
private struct Ratio {
    let scenario: Scenario
    let baseline: Scenario
    let bound: Double
    let waived: Double?
    var best = Paired()

    init?(of scenario: Scenario, over baseline: Scenario?, _ then: BaselineFile) {
        guard let baseline, case .ratio(let bound) = scenario.bound else { return nil }
        (self.scenario, self.baseline, self.bound) = (scenario, baseline, bound)
        waived = then.waived(scenario.name)
    }

    var keepsLimit: Bool { best.bestRoundAlone <= max(bound, waived ?? 0) * ratioTolerance }

    var line: String {
        pad(scenario.name, -34) + " \(number(best.bestRound, 3)), bound \(number(bound, 2))"
            + (best.bestRoundAlone < best.bestRound * 0.97
                ? ", \(number(best.bestRoundAlone, 3)) with the core to itself" : "")
            + (waived == nil ? "" : ", WAIVED")
    }

    mutating func measure() throws {
        best.keepBest(
            of: try pair(
                try inScenario(scenario) { try scenario.prepare() },
                baseline: try inScenario(baseline) { try baseline.prepare() },
                coreShare: scenario.coreShare))
    }
}
