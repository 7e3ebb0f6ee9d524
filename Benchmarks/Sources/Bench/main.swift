// The benchmark program: `Bench run|count|check|check-instructions|observe|compare|ways|plot|fixtures|peer|list`.

import CBenchProbe
import Foundation

// Before anything can allocate through libcrypto.
let countsApart = probe_install()
// Before the library asks what the processor can.
let wayTaken = probe_way().map { String(cString: $0) }
probe_keep_heap(true)

func command() throws -> Bool {
    try require(
        countsApart, "libcrypto was in use before main: its allocations cannot be told apart")
    guard let way = wayTaken else {
        throw BenchmarkFailure("JOSE_TEST_WAY: this processor has no such way of computing")
    }
    let arguments = CommandLine.arguments
    let name = arguments.count > 1 ? arguments[1] : "run"
    let options = try Options(arguments.dropFirst(2))
    switch name {
    case "run": try commandRun(options)
    case "count": try commandCount(options)
    case "check": return try commandCheck(options, way: way)
    case "check-instructions": return try commandCheckInstructions(options)
    case "observe": try commandObserve(options)
    case "compare": try commandCompare(options)
    case "ways": try commandWays(options)
    case "plot": try commandPlot(options)
    case "fixtures": try commandFixtures(options)
    case "peer": try commandPeer()
    case "list": try allScenarios(try World()).forEach { print($0.name) }
    default: throw BenchmarkFailure("no command \(name)")
    }
    return true
}

do {
    exit(try command() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(2)
}
