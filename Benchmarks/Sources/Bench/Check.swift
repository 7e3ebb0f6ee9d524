// `check`, the gate: allocations exactly, our instructions within one per cent, ratios within their
// bound and five per cent. Says what moved, from what, to what.

import CBenchFloors
import CBenchProbe
import Foundation

extension Scenario {
    /// Held by the gate: its own numbers repeat, and it is no floor.
    var isHeld: Bool { gated && threads == 1 && !name.hasSuffix("floor") }
}

/// Instructions may differ by so much without anyone having changed the code.
private let instructionTolerance = 0.01
private let ratioTolerance = 1.05

func commandCheck(_ options: Options) throws -> Bool {
    let path = try options.needed("baseline")
    let facts = [
        "toolchain": try options.needed("toolchain"), "architecture": try options.needed("arch"),
        "libcrypto": String(cString: floor_crypto_version()),
        "processor": probe_has_ifma() ? "with AVX-512 IFMA" : "without AVX-512 IFMA",
    ]
    let profiles = try readProfiles(
        try options.needed("profiles"), program: try options.needed("program"))
    let world = try World()
    let scenarios = options.chosen(try allScenarios(world))
    var now = Baseline(facts: facts)
    for (scenario, _, allocations) in try prepare(scenarios.filter(\.isHeld)) {
        guard let allocations, let instructions = profiles[scenario.name] else {
            throw BenchmarkFailure("\(scenario.name): callgrind gave no profile")
        }
        now.entries[scenario.name] = Baseline.Entry(
            allocations: allocations.ours, crypto: allocations.crypto, instructions: instructions)
    }
    if options.has("update") {
        if let old = try? Baseline(path: path) { now.keepWaivers(of: old) }
        try now.write(to: path)
        print("wrote \(now.entries.count) lines to \(path)")
        return true
    }
    let then = try Baseline(path: path)
    let complaints =
        compare(now, with: then, partly: options["only"] != nil)
        + (try checkRatios(scenarios, then))
    for complaint in complaints { print("FAIL  " + complaint) }
    print(
        complaints.isEmpty
            ? "bench-check: \(now.entries.count) scenarios as in the baseline"
            : "bench-check: \(complaints.count) numbers moved; if that is meant: "
                + "./dev bench-check --update")
    return complaints.isEmpty
}

/// Everything in which the two differ more than they may.
private func compare(_ now: Baseline, with then: Baseline, partly: Bool) -> [String] {
    var complaints: [String] = []
    let sameMachine = ["toolchain", "architecture"].allSatisfy { now.facts[$0] == then.facts[$0] }
    // With IFMA, RSA public operations are our own and ask libcrypto for nothing.
    let sameCrypto = ["libcrypto", "processor"].allSatisfy { now.facts[$0] == then.facts[$0] }
    for fact in now.facts.keys.sorted() where now.facts[fact] != then.facts[fact] {
        print(
            "note  \(fact) is \(now.facts[fact] ?? "?"), the baseline's \(then.facts[fact] ?? "?"): "
                + "\(fact == "libcrypto" ? "libcrypto's allocations" : "instructions") are not held"
        )
    }
    for (name, new) in now.entries.sorted(by: { $0.key < $1.key }) {
        guard let old = then.entries[name] else {
            complaints.append("\(name): not in the baseline")
            continue
        }
        if new.allocations != old.allocations {
            complaints.append(
                "\(name): our allocations \(count(old.allocations)) -> \(count(new.allocations))")
        }
        if sameCrypto, new.crypto != old.crypto {
            complaints.append(
                "\(name): libcrypto's allocations \(count(old.crypto)) -> \(count(new.crypto))")
        }
        let change = Double(new.instructions) / Double(max(1, old.instructions)) - 1
        if sameMachine, abs(change) > instructionTolerance,
            abs(new.instructions - old.instructions) > 8
        {
            complaints.append(
                "\(name): our instructions \(old.instructions) -> \(new.instructions) "
                    + "(\(change > 0 ? "+" : "")\(number(change * 100, 1)) %)")
        }
    }
    for name in then.entries.keys.sorted() where !partly && now.entries[name] == nil {
        complaints.append("\(name): in the baseline, but not measured")
    }
    return complaints
}

private func isOfCrypto(_ fact: String) -> Bool { fact == "libcrypto" || fact == "processor" }

private func checkRatios(_ scenarios: [Scenario], _ then: Baseline) throws -> [String] {
    var complaints: [String] = []
    let byName = Dictionary(scenarios.map { ($0.name, $0) }) { first, _ in first }
    for scenario in scenarios where scenario.isHeld {
        guard let floor = scenario.floor.flatMap({ byName[$0] }) else { continue }
        guard case .ratio(let most) = scenario.bound else { continue }
        let paired = try pair(try scenario.prepare(), floor: try floor.prepare())
        let waived = then.waived(scenario.name)
        let limit = max(most, waived ?? 0) * ratioTolerance
        let measured = "\(number(paired.bestRound, 3)), bound \(number(most, 2))"
        if paired.bestRound > limit {
            complaints.append(
                "\(scenario.name): \(measured) and 5 % "
                    + "(\(number(paired.ours, 0)) over \(number(paired.floor, 0)) ns)")
        } else {
            print(
                "ratio \(pad(scenario.name, -34)) \(measured)" + (waived == nil ? "" : ", WAIVED"))
        }
    }
    return complaints
}
