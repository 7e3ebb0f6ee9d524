// The program: its commands, and how it ends.

import Foundation

/// One word that the program understands.
@_spi(Bench) public struct Command {
    let name: String
    let options: KnownOptions
    let help: String
    let run: (Options, Session) throws -> Bool

    /// - Parameters:
    ///   - name: The word.
    ///   - options: What may stand behind it.
    ///   - help: One line for the list of commands.
    ///   - run: Does it; false where a number moved.
    public init(
        _ name: String, _ options: KnownOptions = KnownOptions(), help: String = "",
        run: @escaping (Options, Session) throws -> Bool
    ) {
        (self.name, self.options, self.help, self.run) = (name, options, help, run)
    }
}

/// Runs a benchmark program on its command line, and ends it.
///
/// The commands are `run` (which is what none means), `list`, `check`, `report` and `json`; `help`
/// tells their options. The status is 0, or 1 where `check` found a number that moved, or 2 with
/// one line on standard error for everything else.
///
/// - Parameter scenarios: Makes the scenarios. It is called after libcrypto's memory is counted: make keys and engines in it, not
///   before.
public func run(_ scenarios: @escaping () throws -> [Scenario]) -> Never {
    run(commands: [], scenarios)
}

/// As ``run(_:)``, with commands of its own before those of every program.
///
/// - Parameters:
///   - commands: The program's own; one of the same name takes the place of the general one.
///   - scenarios: Makes the scenarios.
@_spi(Bench) public func run(
    commands: [Command], _ scenarios: @escaping () throws -> [Scenario]
) -> Never {
    do {
        let session = Session(way: try Probe.install(), scenarios)
        let words = CommandLine.arguments.dropFirst()
        let done = try obey(Array(words), commands + generalCommands, session)
        exit(done ? 0 : 1)
    } catch {
        FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
        exit(2)
    }
}

func obey(_ words: [String], _ commands: [Command], _ session: Session) throws -> Bool {
    let name = words.first ?? "run"
    if ["help", "--help", "-h"].contains(name) {
        for line in helpLines(commands) { print(line) }
        return true
    }
    guard let command = commands.first(where: { $0.name == name }) else {
        throw BenchmarkFailure("no command '\(name)'; help lists them")
    }
    return try command.run(Options(words.dropFirst(), known: command.options), session)
}

private func helpLines(_ commands: [Command]) -> [String] {
    var seen: Set<String> = []
    return commands.filter { !$0.help.isEmpty && seen.insert($0.name).inserted }
        .map { pad("  " + $0.name, -12) + $0.help }
}

var generalCommands: [Command] {
    [
        Command(
            "run", KnownOptions(["only"]),
            help: "the table: time, ratio to the floor, bound, allocations; [--only NAME,NAME]"
        ) {
            try commandRun($0, $1)
        },
        Command("list", help: "the names of the scenarios") { _, session in
            for scenario in try session.scenarios() { print(scenario.name) }
            return true
        },
        Command(
            "check",
            KnownOptions(["baseline", "instructions", "only", "parts"], flags: ["update"]),
            help:
                "holds allocations, ratios and instructions: --baseline FILE [--update] [--only NAME,NAME] "
                + "[--instructions FILE] [--parts allocations,ratios,instructions]"
        ) { try commandCheck($0, $1) },
        Command(
            "report", KnownOptions(["against", "rounds", "out", "only"]),
            help:
                "an older program and this one in turns: --against PROGRAM [--rounds N] [--out FILE.md] [--only NAME,NAME]"
        ) { try commandReport($0, $1) },
        Command(
            "json", KnownOptions(["out", "only"]),
            help:
                "for github-action-benchmark, tool customSmallerIsBetter: --out FILE [--only NAME,NAME]"
        ) { try commandJSON($0, $1) },

        // What `check` and `report` have this program, or another, do.
        Command("count", KnownOptions(["only"], flags: ["floors"])) { try commandCount($0, $1) },
        Command("observe", KnownOptions(["out", "only"])) { try commandObserve($0, $1) },
        Command("allocations", KnownOptions(["out", "only"])) { try commandAllocations($0, $1) },
    ]
}
