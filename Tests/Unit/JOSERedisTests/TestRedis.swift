// A real redis-server in a temporary directory, on a free loopback port. It ends with the test,
// however that ends.

import Foundation
import Glibc
import JOSE
import JOSERedis
import JOSEBytes
import Synchronization
import Testing

/// A server that can be stopped and started again with its data.
final class TestRedis: Sendable {
    let port: Int
    private let directory: URL
    private let arguments: [String]
    private let running = Lock<(Process, FileHandle)?>(nil)

    convenience init(_ arguments: String..., password: String? = nil) throws {
        try self.init(arguments + (password.map { ["--requirepass", $0] } ?? []))
    }

    init(_ arguments: [String]) throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "jose-redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.arguments = arguments
        for _ in 0..<20 {
            let port = try freePort()
            if let started = try TestRedis.launch(port, directory, self.arguments) {
                self.port = port
                running.withLock { $0 = started }
                return
            }
        }
        throw Failure("redis-server did not start")
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    var socketPath: String { directory.appending(path: "s").path }

    /// Stops it like a crash, without saving.
    func stop() {
        let ended = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let (process, input) = ended else { return }
        try? input.close()
        process.waitUntilExit()
    }

    func start() throws {
        let started = try TestRedis.launch(port, directory, arguments)
        let pair = try #require(started, "redis-server did not start again")
        running.withLock { $0 = pair }
    }

    /// Runs redis-cli.
    @discardableResult
    func tell(_ words: String...) throws -> String { try tell(words) }

    @discardableResult
    func tell(_ words: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["redis-cli", "-p", "\(port)"] + words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Nil if the port is in use, or too high for a cluster.
    private static func launch(
        _ port: Int, _ directory: URL, _ arguments: [String]
    ) throws -> (Process, FileHandle)? {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell waits for the end of its input, which is also the end of the tests. It closes
        // its output, so that a server that fails to start ends it.
        let script =
            "redis-server \"$@\" & server=$!; exec >/dev/null 2>&1; cat; kill -9 $server; wait"
        process.arguments =
            [
                "-c", script, "sh", "--port", "\(port)", "--bind", "127.0.0.1",
                "--dir", directory.path, "--save", "", "--unixsocket",
                directory.appending(path: "s").path,
            ] + arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        var log = ""
        while !log.contains("Ready to accept connections") {
            let piece = output.fileHandleForReading.availableData
            log += String(decoding: piece, as: UTF8.self)
            if piece.isEmpty {
                try? input.fileHandleForWriting.close()
                process.waitUntilExit()
                return nil
            }
        }
        return (process, input.fileHandleForWriting)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A port that is currently unused.
func freePort() throws -> Int {
    let (socket, port) = try listeningSocket()
    close(socket)
    return port
}

/// A listening loopback socket.
func listeningSocket() throws -> (Int32, Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                && getsockname(listener, $0, &size) == 0
        }
    }
    guard isBound else { throw Failure("no port on loopback") }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}
