// `run`: the table that a person reads. `json`: numbers in a file that another tool reads.

func commandRun(_ options: Options, _ session: Session) throws -> Bool {
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all), among: all)
    for line in table(rows) { print(line) }
    if !Probe.countsMalloc { print("allocations are not counted here") }
    return true
}

func table(_ rows: [Measured]) -> [String] {
    let names = rows.map(\.scenario.name.count).max() ?? 0
    let width = max(10, names + 2)
    var lines = [
        pad("scenario", -width) + pad("ns", 13) + pad("ratio", 9) + pad("bound", 11)
            + pad("alloc", 8) + pad("libcrypto", 11)
    ]
    for row in rows {
        lines.append(
            pad(row.scenario.name, -width)
                + pad(number(row.nanoseconds, row.nanoseconds < 100 ? 1 : 0), 13)
                + pad(row.ratio.map { number($0, 3) } ?? "", 9)
                + pad(row.scenario.bound.map(describe) ?? "", 11)
                + pad(row.allocations.map { count($0.ours) } ?? "", 8)
                + pad(row.allocations.map { count($0.crypto) } ?? "", 11)
                + (row.keepsBound == false ? "  <-- bound" : ""))
    }
    return lines
}

func commandJSON(_ options: Options, _ session: Session) throws -> Bool {
    let path = try options.needed("out")
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all), among: all)
    try writeText(try actionJSON(actionEntries(rows)), to: path)
    if !Probe.countsMalloc { print("note  allocations are not counted here") }
    print("wrote \(path)")
    return true
}
