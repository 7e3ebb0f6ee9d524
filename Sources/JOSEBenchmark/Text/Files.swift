// Text files, with errors that name the path.

import Foundation

func readText(_ path: String) throws -> String {
    do {
        return try String(contentsOfFile: path, encoding: .utf8)
    } catch {
        let isThere = FileManager.default.fileExists(atPath: path)
        throw BenchmarkFailure("\(path): " + (isThere ? "cannot be read as UTF-8" : "no such file"))
    }
}

func writeText(_ text: String, to path: String) throws {
    do {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
        throw BenchmarkFailure("\(path): cannot be written")
    }
}

/// The lines of a text. CRLF is one `Character` in Swift, not equal to a line feed.
func lines(of text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
}

/// Runs the body with the path of a temporary folder, which is removed afterwards.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(
        path: "jose-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}
