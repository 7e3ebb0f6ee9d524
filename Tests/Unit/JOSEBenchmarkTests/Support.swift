// What the tests of the benchmarks share.

import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

/// The sentence with which something fails.
func failure(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}

/// A file of its own with a text, or bytes that are none.
func withFile<Result>(_ bytes: some Sequence<UInt8>, _ body: (String) throws -> Result) throws
    -> Result
{
    try withTemporaryFolder { folder in
        let path = folder + "/file.tsv"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try body(path)
    }
}

/// A work that does nothing to speak of.
func idle(_ name: String, baseline: String? = nil, bound: Bound? = nil) -> Scenario {
    Scenario(name, baseline: baseline, bound: bound) {
        return { iterations, _ in
            for number in 0..<iterations { try JOSEBenchmark.require(number >= 0, "counted") }
        }
    }
}

extension Collection where Element: Equatable {
    /// Whether these stand behind each other in it.
    func contains(_ others: [Element]) -> Bool {
        indices.contains { self[$0...].starts(with: others) }
    }
}

/// The answer of a command, as the program gives it.
@discardableResult
func obey(_ words: String, _ scenarios: [Scenario]) throws -> Bool {
    try obey(words.split(separator: " ").map(String.init), scenarios)
}

/// The same, of words that are apart already.
@discardableResult
func obey(_ words: [String], _ scenarios: [Scenario]) throws -> Bool {
    try obey(words, generalCommands, Session(cpuLevel: "portable") { scenarios })
}
