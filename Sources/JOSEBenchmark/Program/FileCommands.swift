// `json`, `history` and `plot`: numbers in files that other tools, later runs and eyes read.

import Foundation

func commandJSON(_ options: Options, _ session: Session) throws -> Bool {
    let path = try options.needed("out")
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all), among: all)
    try writeText(try actionJSON(actionEntries(rows)), to: path)
    if !Probe.countsMalloc { print("note  allocations are not counted here") }
    print("wrote \(path)")
    return true
}

func commandHistory(_ options: Options, _ session: Session) throws -> Bool {
    let path = try options.needed("file")
    let name = try options.needed("revision")
    try require(isRevision(name), "--revision: a name without blanks, of 100 bytes at most")
    // What is broken is said before minutes are spent.
    var history = History()
    if FileManager.default.fileExists(atPath: path) {
        history = try History(try readText(path), path: path)
    }
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all).filter(\.isHeld), among: all)
    try requireNumbers(rows)
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
    try writeText(history.text, to: path)
    print("wrote \(rows.count) lines of \(name) to \(path), \(history.revisions.count) revisions")
    return true
}

func commandPlot(_ options: Options) throws -> Bool {
    let path = try options.needed("file")
    let out = try options.needed("out")
    let starts = options["only"]?.split(separator: ",")
    let drawing = try historyPlot(try History(try readText(path), path: path)) { name in
        starts?.contains { name.hasPrefix($0) } ?? true
    }
    try writeText(drawing, to: out)
    print("wrote \(out)")
    return true
}
