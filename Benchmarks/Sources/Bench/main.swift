// The benchmark program: what any such program does (`Bench help`), over Google Benchmark where it
// prints the table, and the project's own drawings and peers.

@_spi(Bench) import JOSEBenchmark

JOSEBenchmark.run(commands: ownCommands) { try allScenarios(environment()) }
