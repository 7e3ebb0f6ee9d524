// JSON for github-action-benchmark (`tool: customSmallerIsBetter`): an array of objects with
// `name`, `unit` and `value`, and optional `range` and `extra`.

import Foundation

struct ActionEntry: Codable, Equatable {
    let name: String
    let unit: String
    let value: Double
    var range: String?
    var extra: String?
}

/// Up to three entries of each scenario: time, ratio to the baseline, allocations.
func actionEntries(_ rows: [Measured]) -> [ActionEntry] {
    rows.flatMap { row -> [ActionEntry] in
        let name = row.scenario.name
        var entries = [
            ActionEntry(
                name: name, unit: "ns", value: round(row.nanoseconds),
                range: "± " + number(row.spread, 0))
        ]
        if let ratio = row.ratio {
            let bound = row.scenario.bound.map { "bound \(describe($0))" }
            entries.append(
                ActionEntry(
                    name: name + " (ratio)", unit: "times the baseline", value: round(ratio),
                    extra: bound))
        }
        if let allocations = row.allocations {
            entries.append(
                ActionEntry(
                    name: name + " (allocations)", unit: "calls of malloc",
                    value: round(allocations.ours),
                    extra: "libcrypto's: \(count(allocations.crypto))"))
        }
        return entries
    }
}

func actionJSON(_ entries: [ActionEntry]) throws -> String {
    try require(
        entries.allSatisfy(\.value.isFinite), "a number is not finite: the baseline takes no time")
    try require(
        Set(entries.map(\.name)).count == entries.count, "two entries of the JSON have one name")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(entries), as: UTF8.self) + "\n"
}

/// Rounds to three digits after the point.
private func round(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
