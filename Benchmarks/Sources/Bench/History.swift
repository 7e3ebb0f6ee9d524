// A history: a text file with a line for each revision and scenario, which stands beside the code
// or in a cache.

@_spi(Bench) import JOSEBenchmark
import Foundation

struct History: Equatable {
    struct Line: Equatable {
        var nanoseconds: Double
        var ratio: Double?
        var ours: Double?
        var crypto: Double?
    }

    struct Revision: Equatable {
        let name: String
        var lines: [String: Line]
    }

    /// In the order of the file.
    private(set) var revisions: [Revision] = []

    init() {}

    private static let head =
        "# history of benchmarks, tab-separated: revision, scenario, nanoseconds, ratio to the baseline, our allocations, libcrypto's"

    /// - Throws: `BenchmarkFailure` with the number of the line that is none of a history.
    init(_ text: String, path: String) throws {
        for (index, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            func fail(_ why: String) -> BenchmarkFailure {
                BenchmarkFailure("\(path):\(index + 1): \(why): \(line.prefix(80))")
            }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            guard fields.count == 6, isRevision(fields[0]), !fields[1].isEmpty else {
                throw fail("not a line of a history")
            }
            let numbers = fields[2...].map { $0 == "-" ? nil : Self.number($0) }
            guard let nanoseconds = numbers[0],
                zip(fields[2...], numbers).allSatisfy({ $0 == "-" || $1 != nil })
            else { throw fail("not a number") }
            if revisions.last?.name != fields[0] {
                guard !revisions.contains(where: { $0.name == fields[0] }) else {
                    throw fail("this revision stands in two places")
                }
                revisions.append(Revision(name: fields[0], lines: [:]))
            }
            let fresh = Line(
                nanoseconds: nanoseconds, ratio: numbers[1], ours: numbers[2], crypto: numbers[3])
            let last = revisions.count - 1
            guard revisions[last].lines.updateValue(fresh, forKey: fields[1]) == nil else {
                throw fail("this scenario stands there twice")
            }
        }
    }

    private static func number(_ text: String) -> Double? {
        guard let value = Double(text), value.isFinite, value >= 0 else { return nil }
        return value
    }

    /// Adds a revision at the end, or in the place that it has: then all its lines are new.
    mutating func add(_ revision: Revision) {
        if let index = revisions.firstIndex(where: { $0.name == revision.name }) {
            revisions[index] = revision
        } else {
            revisions.append(revision)
        }
    }

    var text: String {
        var text = Self.head + "\n"
        for revision in revisions {
            for (name, line) in revision.lines.sorted(by: { $0.key < $1.key }) {
                let fields = [
                    revision.name, name, JOSEBenchmark.number(line.nanoseconds, 1),
                    line.ratio.map { JOSEBenchmark.number($0, 3) } ?? "-",
                    line.ours.map(count) ?? "-", line.crypto.map(count) ?? "-",
                ]
                text += fields.joined(separator: "\t") + "\n"
            }
        }
        return text
    }
}

/// A name without blanks, such as a commit's.
func isRevision(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100 && !text.hasPrefix("#")
        && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
}

func commandHistory(_ options: Options, _ session: Session) throws {
    let path = try options.needed("file")
    let name = try options.needed("revision")
    try require(isRevision(name), "--revision: a name without blanks, of 100 bytes at most")
    // What is broken is said before minutes are spent.
    var history = History()
    if FileManager.default.fileExists(atPath: path) {
        history = try History(try String(contentsOfFile: path, encoding: .utf8), path: path)
    }
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all).filter(\.isChecked), among: all)
    for row in rows {
        // A file would say what no reader takes for a number: a baseline that takes no time makes
        // such ratios.
        try require(
            row.nanoseconds.isFinite && row.ratio?.isFinite != false,
            "\(row.scenario.name): the time of it or its baseline is none")
    }
    let lines = rows.map { row in
        (
            row.scenario.name,
            History.Line(
                nanoseconds: row.nanoseconds, ratio: row.ratio, ours: row.allocations?.ours,
                crypto: row.allocations?.crypto)
        )
    }
    history.add(
        History.Revision(name: name, lines: Dictionary(lines) { first, _ in first }))
    try history.text.write(toFile: path, atomically: true, encoding: .utf8)
    print("wrote \(rows.count) lines of \(name) to \(path), \(history.revisions.count) revisions")
}

func commandPlot(_ options: Options) throws {
    let path = try options.needed("file")
    let out = try options.needed("out")
    let starts = options["only"]?.split(separator: ",")
    let drawing = try historyPlot(
        try History(try String(contentsOfFile: path, encoding: .utf8), path: path)
    ) { name in
        starts?.contains { name.hasPrefix($0) } ?? true
    }
    try drawing.write(toFile: out, atomically: true, encoding: .utf8)
    print("wrote \(out)")
}
