// `observe` and `compare`: two revisions in turns, and whether they differ by more than chance.

import Foundation

/// Writes one observation a scenario: its name and the median time, tab-separated.
func commandObserve(_ options: Options) throws {
    let world = try World()
    var text = ""
    for scenario in options.chosen(try allScenarios(world)).filter(\.isHeld) {
        let nanoseconds = try observation(try scenario.prepare())
        text += "\(scenario.name)\t\(number(nanoseconds, 2))\n"
    }
    try text.write(toFile: try options.needed("out"), atomically: true, encoding: .utf8)
}

private func observations(_ folder: String) throws -> [String: [Double]] {
    var found: [String: [Double]] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t")
            guard fields.count == 2, let time = Double(fields[1]) else { continue }
            found[String(fields[0]), default: []].append(time)
        }
    }
    return found
}

/// Prints what changed from the files of one folder to those of another.
func commandCompare(_ options: Options) throws {
    let old = try observations(try options.needed("old"))
    let new = try observations(try options.needed("new"))
    print(
        pad("scenario", -36) + pad("old ns", 13) + pad("new ns", 13) + pad("change", 10)
            + pad("p", 9))
    for name in old.keys.sorted() {
        guard let a = old[name], let b = new[name] else { continue }
        let p = mannWhitney(a, b)
        let change = b.median / a.median - 1
        let verdict = p < 0.01 ? (change < 0 ? "  faster" : "  SLOWER") : ""
        print(
            pad(name, -36) + pad(number(a.median, 1), 13) + pad(number(b.median, 1), 13)
                + pad((change > 0 ? "+" : "") + number(change * 100, 1) + " %", 10)
                + pad(number(p, 4), 9) + verdict)
    }
    print("p: two-sided Mann-Whitney over \(old.values.first?.count ?? 0) runs each, in turns")
}
