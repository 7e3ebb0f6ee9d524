// `report`: runs an older program and this one alternately, and tests whether they differ.

import Foundation

func commandReport(_ options: Options, _ session: Session) throws -> Bool {
    let old = try options.needed("against")
    let rounds = try options.count("rounds", or: 8, least: leastRounds)
    let only = options["only"]
    // Fails before minutes are spent if the list or `--only` is wrong.
    let checked = try options.chosen(try session.scenarios()).filter(\.isChecked)
    try require(!checked.isEmpty, "no scenario to check")
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
        return Report(
            old: sides[0].numbers, new: sides[1].numbers, rounds: rounds, notes: notes(sides))
    }
    for line in report.plain { print(line) }
    if let path = options["out"] {
        try writeText(report.markdown, to: path)
        print("wrote \(path)")
    }
    return true
}

/// With fewer rounds, no difference is significant.
private let leastRounds = 6

/// What is missing, and the machine of the numbers.
private func notes(_ sides: [Side]) -> [String] {
    Set(sides.flatMap(\.missing)).sorted() + [
        "\(Machine.processor), libcrypto \(Probe.libcrypto), \(Machine.toolchain)"
    ]
}

/// One of the two programs and its numbers.
private struct Side {
    let program: String
    let words: [String]
    let only: String?
    var numbers = Report.Program()
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
            "\(program) exits with \(ended.status): "
                + (ended.errorOutput.split(separator: "\n").last ?? "no error output"))
        for (name, times) in try readColumns(path, 1) {
            numbers.times[name, default: []] += times
        }
    }

    mutating func count(_ folder: String) throws {
        let path = "\(folder)/allocations-\(UUID().uuidString).tsv"
        let ended = try runProgram(program, ["allocations", "--out", path] + words)
        if ended.status == 0 {
            numbers.allocations = try readColumns(path, 2)
        } else {
            missing.append(
                "allocations are not compared: "
                    + "\(URL(fileURLWithPath: program).lastPathComponent) does not count them")
        }
        switch try countInstructions(program, only: only) {
        case .counted(let found): numbers.instructions = found.mapValues(Double.init)
        case .unavailable(let why), .failed(let why):
            missing.append("instructions are not compared: \(why)")
        }
    }
}
