// `report`: an older program and this one in turns, and whether they differ by more than chance.

import Foundation

func commandReport(_ options: Options, _ session: Session) throws -> Bool {
    let old = try options.needed("against")
    let rounds = try options.count("rounds", or: 8, least: leastRounds)
    let only = options["only"]
    // Says at once what is wrong with the list or with `--only`.
    let held = try options.chosen(try session.scenarios()).filter(\.isExternal)
    try require(!held.isEmpty, "no scenario that the gate holds")
    try require(
        FileManager.default.isExecutableFile(atPath: old), "\(old): no program that can be started")
    let report = try withTemporaryFolder { folder in
        var sides = [try Side(program: old, only), try Side(program: try ownProgram(), only)]
        for round in 1...rounds {
            for index in sides.indices {
                try sides[index].observe("\(folder)/\(index)-\(round).tsv")
            }
        }
        for index in sides.indices { try sides[index].count(folder) }
        return Report(old: sides[0].side, new: sides[1].side, rounds: rounds, notes: notes(sides))
    }
    for line in report.plain { print(line) }
    if let path = options["out"] {
        try writeText(report.markdown, to: path)
        print("wrote \(path)")
    }
    return true
}

/// With fewer, no difference is more than chance.
private let leastRounds = 6

/// What could not be had, and what the numbers hold for.
private func notes(_ sides: [Side]) -> [String] {
    Set(sides.flatMap(\.missing)).sorted() + [
        "\(Machine.processor), libcrypto \(Probe.libcrypto), \(Machine.toolchain)"
    ]
}

/// One of the two programs, asked for its numbers.
private struct Side {
    let program: String
    let words: [String]
    let only: String?
    var side = Report.Side()
    var missing: [String] = []

    init(program: String, _ only: String?) throws {
        self.program = program
        self.only = only
        words = only.map { ["--only", $0] } ?? []
    }

    mutating func observe(_ path: String) throws {
        let ended = try runProgram(program, ["observe", "--out", path] + words)
        try require(
            ended.status == 0,
            "\(program) ends with \(ended.status): "
                + (ended.complaint.split(separator: "\n").last ?? "no word"))
        for (name, numbers) in try readColumns(path, 1) {
            side.times[name, default: []] += numbers
        }
    }

    mutating func count(_ folder: String) throws {
        let path = "\(folder)/allocations-\(UUID().uuidString).tsv"
        let ended = try runProgram(program, ["allocations", "--out", path] + words)
        if ended.status == 0 {
            side.allocations = try readColumns(path, 2)
        } else {
            missing.append(
                "allocations are not compared: \(URL(fileURLWithPath: program).lastPathComponent) does not count them"
            )
        }
        switch try countInstructions(program, only: only) {
        case .counted(let found): side.instructions = found.mapValues(Double.init)
        case .unavailable(let why), .failed(let why):
            missing.append("instructions are not compared: \(why)")
        }
    }
}
