// A history: a text file with a line for each revision and scenario, which stands beside the code or in a cache.

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
        "# history of benchmarks, tab-separated: revision, scenario, nanoseconds, ratio to the floor, our allocations, libcrypto's"

    /// - Throws: `BenchmarkFailure` with the number of the line that is none of a history.
    init(_ text: String, path: String) throws {
        for (index, line) in lines(of: text).enumerated() {
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
