// Standard streams that another program set to non-blocking are read and written completely.

import Foundation
import Testing

@Suite("Non-blocking streams") struct NonBlockingTests {
    /// Runs the tool, which starts to read before there is input, and again after each piece.
    private func run(_ arguments: [String], pieces: [String]) throws -> Response {
        let (input, output, error) = (Pipe(), Pipe(), Pipe())
        let end = input.fileHandleForReading.fileDescriptor
        try #require(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0)
        let process = Process()
        process.executableURL = Tool.path
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = error
        // Writing to a process that ended must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        try input.fileHandleForReading.close()
        for piece in pieces {
            while process.isRunning, !isWaiting(process.processIdentifier) { sched_yield() }
            try? input.fileHandleForWriting.write(contentsOf: Data(piece.utf8))
        }
        try input.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let said = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Response(
            code: process.terminationStatus, output: text,
            error: String(decoding: said, as: UTF8.self))
    }

    /// Whether the main thread of a process sleeps in a system call.
    private func isWaiting(_ process: Int32) -> Bool {
        let line = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return line.split(separator: ")").last?.hasPrefix(" S") ?? true
    }

    @Test("batch answers each request, however it is split") func batch() throws {
        let response = try run(
            ["batch"],
            pieces: [
                #"{"id":1,"op":"none"}"# + "\n", #"{"id":2,"op":"#, #""none"}"# + "\n",
                #"{"id":3,"op":"none"}"#,
            ])
        #expect(response.code == 0, "\(response.error)")
        #expect(response.error.isEmpty)
        let ids = try response.objects().compactMap { $0["id"] as? Int }
        #expect(ids.sorted() == [1, 2, 3], "\(response.text)")
    }

    @Test("a file on standard input is read to its end") func file() throws {
        let key = try SharedKeys.key(0, private: true)
        let middle = key.index(key.startIndex, offsetBy: key.count / 2)
        let response = try run(
            ["keys", "public", "-"], pieces: [String(key[..<middle]), String(key[middle...])])
        #expect(response.code == 0, "\(response.error)")
        #expect(try response.objects().first?["kty"] as? String == "RSA")
    }
}
