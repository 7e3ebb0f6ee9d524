// `json`: numbers in a file that another tool reads.

func commandJSON(_ options: Options, _ session: Session) throws -> Bool {
    let path = try options.needed("out")
    let all = try session.scenarios()
    let rows = try measured(try options.chosen(all), among: all)
    try writeText(try actionJSON(actionEntries(rows)), to: path)
    if !Probe.countsMalloc { print("note  allocations are not counted here") }
    print("wrote \(path)")
    return true
}
