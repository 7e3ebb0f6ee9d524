// The HTTPS server in its own process, and its CA.

import Foundation
import JOSE
import JOSERemote
import JOSEBytes
import Synchronization
import Testing

/// Certificates, made once for all tests.
enum TestAuthority {
    static let directory: Result<URL, any Error> = Result {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "jose-remote-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            TestServer.folder.appending(path: "authority.sh").path, directory.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl could not make the certificates")
        // Requests of these tests must ignore these proxies, which do not exist.
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            setenv(name, "http://127.0.0.1:1", 1)
        }
        atexit { try? FileManager.default.removeItem(at: TestAuthority.directory.get()) }
        return directory
    }

    static func path(_ name: String) throws -> String {
        try directory.get().appending(path: name).path
    }
}

/// A server, stopped when released.
final class TestServer: Sendable {
    struct Counts: Decodable {
        let requests, revalidations, strange: Int
    }
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Server")

    let port: Int
    private let process: Process
    private let input: FileHandle
    private let output: Lock<FileHandle>

    init(certificate: String = "good", newestTLS: String? = nil) throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            try [
                "python3", TestServer.folder.appending(path: "server.py").path,
                TestAuthority.path("\(certificate).pem"), TestAuthority.path("server.key"),
            ] + (newestTLS.map { [$0] } ?? [])
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.input = input.fileHandleForWriting
        port = try #require(Int(TestServer.line(output.fileHandleForReading)))
        self.output = Lock(output.fileHandleForReading)
    }

    deinit {
        try? input.close()
        process.waitUntilExit()
    }

    /// Changes the server's state, and returns what it has seen.
    @discardableResult
    func tell(_ change: [String: String] = [:]) throws -> Counts {
        let text = try JSONEncoder().encode(change) + [0x0a]
        return try output.withLock { output in
            try input.write(contentsOf: text)
            return try JSONDecoder().decode(Counts.self, from: Data(TestServer.line(output).utf8))
        }
    }

    private static func line(_ handle: FileHandle) -> String {
        var line = Data()
        while let byte = try? handle.read(upToCount: 1), byte.count == 1, byte != Data([0x0a]) {
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// A set on a server, with the real transport and a simulated clock.
struct RemoteFixture {
    let server: TestServer
    let clock = TestClock()
    let log = EventLog()
    let set: RemoteJWKSet

    init(
        _ server: TestServer, authority: String? = "root.pem", requestTime: Duration = .seconds(5)
    ) throws {
        self.server = server
        var settings = RemoteJWKSetSettings()
        settings.requestTime = requestTime
        set = try RemoteJWKSet(
            url: "https://127.0.0.1:\(server.port)/jwks", settings: settings,
            transport: CurlTransport(
                certificateAuthorities: authority.map { try TestAuthority.path($0) }),
            observe: { [log] in log.note($0) }, clock: { [clock] in clock.now })
    }

    /// The code of the rejection, or nil if the set was served.
    func rejection(_ keyID: String?) async -> String? {
        await code { () throws(JOSEError) in _ = try await set.keys(keyID: keyID) }
    }
}
