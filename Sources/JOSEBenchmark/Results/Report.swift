// The report of a comparison: what changed, by how much, and what is noise.

struct Report {
    /// The numbers of one program, by scenario.
    struct Program {
        var times: [String: [Double]] = [:]
        var allocations: [String: [Double]] = [:]
        var instructions: [String: Double] = [:]
    }

    let rows: [Row]
    let rounds: Int
    let notes: [String]

    init(old: Program, new: Program, rounds: Int, notes: [String]) {
        self.rounds = rounds
        self.notes = notes
        rows = Set(old.times.keys).union(new.times.keys).sorted().map { Row($0, old, new) }
    }

    /// The significance level.
    static let level = 0.01

    struct Row {
        let name: String
        let times: (old: Double, new: Double)?
        /// The p-value of the Mann-Whitney test.
        let p: Double
        let allocations: (old: [Double], new: [Double])?
        let instructions: (old: Double, new: Double)?
        /// `new` or `gone` if only one program has the scenario.
        let missing: String?

        init(_ name: String, _ old: Program, _ new: Program) {
            self.name = name
            let (a, b) = (old.times[name], new.times[name])
            missing = a == nil ? "new" : b == nil ? "gone" : nil
            times = both(a?.median, b?.median)
            p = mannWhitney(a ?? [], b ?? [])
            allocations = both(old.allocations[name], new.allocations[name])
            instructions = both(old.instructions[name], new.instructions[name])
        }

        var change: Double { times.map { $0.new / $0.old - 1 } ?? 0 }
        var timeMoved: Bool { times != nil && p < Report.level && change != 0 }
        var allocationsMoved: Bool { allocations.map { $0.old != $0.new } ?? false }
        var instructionsMoved: Bool {
            instructions.map { JOSEBenchmark.instructionsMoved($0.new, $0.old) } ?? false
        }
        var moved: Bool { missing != nil || timeMoved || allocationsMoved || instructionsMoved }
        var direction: String { timeMoved ? (change < 0 ? "faster" : "SLOWER") : "" }
    }

    /// The table for a terminal.
    var plain: [String] {
        let width = max(36, (rows.map(\.name.count).max() ?? 0) + 2)
        var lines = [
            pad("scenario", -width) + pad("old ns", 13) + pad("new ns", 13) + pad("change", 10)
                + pad("p", 9)
        ]
        for row in rows {
            guard let times = row.times else {
                lines.append(pad(row.name, -width) + (row.missing ?? ""))
                continue
            }
            let words = [
                row.direction,
                row.allocationsMoved ? "allocations " + row.allocationsText : "",
                row.instructionsMoved ? "instructions " + row.instructionsText : "",
            ].filter { !$0.isEmpty }
            lines.append(
                pad(row.name, -width) + pad(number(times.old, 1), 13)
                    + pad(number(times.new, 1), 13)
                    + pad(percent(row.change), 10) + pad(number(row.p, 4), 9)
                    + (words.isEmpty ? "" : "  " + words.joined(separator: "; ")))
        }
        return lines + ["p: two-sided Mann-Whitney over \(rounds) runs each, alternately"] + notes
    }

    /// The table in Markdown, for a pull request.
    var markdown: String {
        let moved = rows.filter(\.moved)
        let noise = rows.filter { !$0.moved }
        var text = "## Benchmarks\n\n"
        text +=
            moved.isEmpty
            ? "Nothing moved in \(rows.count) scenarios.\n"
            : "\(moved.count) of \(rows.count) scenarios moved.\n\n" + Self.table(moved)
        if !noise.isEmpty {
            text += "\n<details><summary>Within noise: \(noise.count)</summary>\n\n"
            text += Self.table(noise) + "\n</details>\n"
        }
        text +=
            "\nBold changed: a time with p below \(number(Self.level, 2)) "
        text += "(Mann-Whitney over \(rounds) runs each, alternately), any allocation, "
        text += "instructions by more than 1 % and 32.\n"
        for note in notes { text += "\n\(escaped(note))\n" }
        return text
    }

    private static func table(_ rows: [Row]) -> String {
        var text =
            "| scenario | time, ns | change | p | allocations | libcrypto's | instructions |\n"
        text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        for row in rows { text += "| " + row.cells.joined(separator: " | ") + " |\n" }
        return text
    }
}

extension Report.Row {
    fileprivate var cells: [String] {
        let title = escaped(name) + (missing.map { " (\($0))" } ?? "")
        guard let times else { return [title, "", "", "", "", "", ""] }
        let direction = direction.isEmpty ? "" : ", " + direction.lowercased()
        let counts = (0..<2).map { column in
            allocations.map { arrow($0.old[column], $0.new[column]) } ?? ""
        }
        return [
            title, "\(number(times.old, 1)) → \(number(times.new, 1))",
            bold(percent(change) + direction, timeMoved), number(p, 4), counts[0], counts[1],
            bold(instructionsText, instructionsMoved),
        ]
    }

    var allocationsText: String {
        guard let (old, new) = allocations else { return "" }
        return zip(old, new).map { "\(count($0)) -> \(count($1))" }.joined(
            separator: ", libcrypto's ")
    }

    var instructionsText: String {
        guard let (old, new) = instructions else { return "" }
        return old == new
            ? count(new) : "\(count(old)) → \(count(new)) (\(percent(new / max(1, old) - 1)))"
    }
}

private func both<Value>(_ old: Value?, _ new: Value?) -> (old: Value, new: Value)? {
    guard let old, let new else { return nil }
    return (old, new)
}

/// Escapes a text for a cell of Markdown.
private func escaped(_ text: String) -> String {
    // By scalars: a character followed by a combining mark is another `Character`.
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if #"\`*_{}[]<>|#!&"#.unicodeScalars.contains(scalar) { out.append("\\") }
        out.append(scalar)
    }
    return String(out)
}

private func arrow(_ old: Double, _ new: Double) -> String {
    bold(old == new ? count(new) : "\(count(old)) → \(count(new))", old != new)
}

private func bold(_ text: String, _ isBold: Bool) -> String { isBold ? "**\(text)**" : text }
