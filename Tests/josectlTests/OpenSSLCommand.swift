// The openssl command, as the other side of round trips.

import Foundation
import Testing

extension Tool {
    /// Runs `openssl` in the tool's folder and expects that it succeeds.
    @discardableResult
    func openssl(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> String
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let out = Pipe()
        process.standardOutput = out
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = out.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "openssl \(words)", sourceLocation: sourceLocation)
        return String(decoding: data, as: UTF8.self)
    }

    /// The members of the only key of a set.
    func onlyKey(_ name: String) throws -> [String: Any] {
        let set = try JSONSerialization.jsonObject(with: Data(contentsOf: url(name)))
        let keys = try #require((set as? [String: Any])?["keys"] as? [[String: Any]])
        try #require(keys.count == 1)
        return keys[0]
    }
}
