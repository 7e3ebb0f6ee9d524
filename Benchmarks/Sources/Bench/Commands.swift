// The commands that are the project's own.

@_spi(Bench) import JOSEBenchmark

var ownCommands: [Command] {
    [
        Command(
            "run",
            KnownOptions(["only", "json", "entries", "repetitions", "seconds", "token-module"]),
            help: "the table that docs/performance.md explains"
        ) { options, session in
            try commandRun(options, cpuLevel: session.cpuLevel)
            return true
        },
        Command(
            "cpu-levels", KnownOptions(words: 1),
            help: "ratios at one CPU level, for the drawing: FILE"
        ) {
            options, _ in
            try commandCPULevels(options)
            return true
        },
        Command(
            "draw", KnownOptions(["cpu-levels", "only", "repetitions", "seconds"], words: 1),
            help: "the drawings of docs/plots: FOLDER --cpu-levels FOLDER"
        ) { options, _ in
            try commandDraw(options)
            return true
        },
        Command(
            "history", KnownOptions(["file", "revision", "only"]),
            help: "adds a revision's lines to a file: --file FILE.tsv --revision NAME"
        ) { options, session in
            try commandHistory(options, session)
            return true
        },
        Command(
            "plot", KnownOptions(["file", "out", "only"]),
            help: "draws such a file: --file FILE.tsv --out FILE.svg"
        ) { options, _ in
            try commandPlot(options)
            return true
        },
        Command(
            "server", KnownOptions(words: 1),
            help: "the latency of an overloaded server on one processor: SECONDS"
        ) { options, _ in
            try commandServer(options)
            return true
        },
        Command("fixtures", KnownOptions(words: 1)) { options, _ in
            try commandFixtures(options)
            return true
        },
        Command("peer", KnownOptions(words: 1)) { options, _ in
            try commandPeer(options)
            return true
        },
    ]
}

extension Options {
    /// What the table and the drawings have without `--only`: all but the rows of the registry, of
    /// which there are more than a minute holds.
    func tabled(_ all: [Scenario]) -> [Scenario] {
        let wanted = all.filter { wants($0.name) }
        let baselines = Set(wanted.compactMap(\.baseline))
        let names = Set(wanted.map(\.name)).union(baselines)
        return has("only") ? all.filter { names.contains($0.name) } : wanted
    }

    func wants(_ name: String) -> Bool {
        guard let only = self["only"] else { return !name.hasPrefix("row-") }
        return only.split(separator: ",").contains { name.hasPrefix($0) }
    }

    /// Whether the table of keys in tokens is wanted, and there is a module to ask.
    var wantsKeysElsewhere: Bool {
        guard has("token-module") else { return false }
        guard let only = self["only"] else { return true }
        return only.split(separator: ",").contains { $0.hasPrefix("keys-elsewhere") }
    }
}
