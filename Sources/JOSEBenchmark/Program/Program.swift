// The program: its commands and its exit status.

import Foundation

/// A command of the program.
@_spi(Bench) public struct Command {
    let name: String
    let options: KnownOptions
    let help: String
    let run: (Options, Session) throws -> Bool

    /// - Parameters:
    ///   - name: Its name on the command line.
    ///   - options: The arguments that it accepts.
    ///   - help: One line for the list of commands.
    ///   - run: Runs it; returns false if a check failed.
    public init(
        _ name: String, _ options: KnownOptions = KnownOptions(), help: String = "",
        run: @escaping (Options, Session) throws -> Bool
    ) {
        (self.name, self.options, self.help, self.run) = (name, options, help, run)
    }
}

/// Runs the command of the command line, and exits.
///
/// The commands are `run` (the default), `list`, `check`, `report` and `json`; `help` lists their
/// options. The exit status is 0 on success, 1 if `check` found a changed number, and 2 for any
/// other error, with one line on standard error.
///
/// - Parameter scenarios: Makes the scenarios. Make keys, signers and verifiers only in it:
///   libcrypto must not allocate before `run` counts its allocations.
public func run(_ scenarios: @escaping () throws -> [Scenario]) -> Never {
    run(commands: [], scenarios)
}

/// As ``run(_:)``, with additional commands.
///
/// - Parameters:
///   - commands: Additional commands; one with the name of a general command replaces it.
///   - scenarios: Makes the scenarios.
@_spi(Bench) public func run(
    commands: [Command], _ scenarios: @escaping () throws -> [Scenario]
) -> Never {
    do {
        let session = Session(cpuLevel: try Probe.install(), scenarios)
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
            help:
                "prints times, ratios to baselines, bounds and allocations; [--only NAME,NAME]"
        ) {
            try commandRun($0, $1)
        },
        Command("list", help: "prints the names of the scenarios") { _, session in
            for scenario in try session.scenarios() { print(scenario.name) }
            return true
        },
        Command(
            "check",
            KnownOptions(["baseline", "instructions", "only", "parts"], flags: ["update"]),
            help:
                "compares allocations, ratios and instructions with a file: --baseline FILE "
                + "[--update] [--only NAME,NAME] [--instructions FILE] "
                + "[--parts allocations,ratios,instructions]"
        ) { try commandCheck($0, $1) },
        Command(
            "report", KnownOptions(["against", "rounds", "out", "only"]),
            help:
                "compares this program with an older one: --against PROGRAM [--rounds N] "
                + "[--out FILE.md] [--only NAME,NAME]"
        ) { try commandReport($0, $1) },
        Command(
            "json", KnownOptions(["out", "only"]),
            help:
                "writes JSON for github-action-benchmark (customSmallerIsBetter): --out FILE "
                + "[--only NAME,NAME]"
        ) { try commandJSON($0, $1) },

        // Run by `check` and `report` in another process.
        Command("count", KnownOptions(["only"], flags: ["baselines"])) { try commandCount($0, $1) },
        Command("observe", KnownOptions(["out", "only"])) { try commandObserve($0, $1) },
        Command("allocations", KnownOptions(["out", "only"])) { try commandAllocations($0, $1) },
    ]
}
