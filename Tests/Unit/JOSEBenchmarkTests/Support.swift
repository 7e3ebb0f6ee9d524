// Helpers of the benchmark tests.

import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

/// The message of the failure.
func failure(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}

/// A temporary file with this text, or with bytes that are not text.
func withFile<Result>(_ bytes: some Sequence<UInt8>, _ body: (String) throws -> Result) throws
    -> Result
{
    try withTemporaryFolder { folder in
        let path = folder + "/file.tsv"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try body(path)
    }
}

/// A workload that does almost nothing.
func idle(_ name: String, baseline: String? = nil, bound: Bound? = nil) -> Scenario {
    Scenario(name, baseline: baseline, bound: bound) {
        return { iterations, _ in
            for number in 0..<iterations { try JOSEBenchmark.require(number >= 0, "counted") }
        }
    }
}

extension Collection where Element: Equatable {
    /// Whether these occur in it in this order.
    func contains(_ others: [Element]) -> Bool {
        indices.contains { self[$0...].starts(with: others) }
    }
}

/// The output of a command line.
@discardableResult
func obey(_ words: String, _ scenarios: [Scenario]) throws -> Bool {
    try obey(words.split(separator: " ").map(String.init), scenarios)
}

/// The same for split arguments.
@discardableResult
func obey(_ words: [String], _ scenarios: [Scenario]) throws -> Bool {
    try obey(words, generalCommands, Session(cpuLevel: "portable") { scenarios })
}
