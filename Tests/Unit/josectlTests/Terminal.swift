// A pseudo-terminal for runs of the tool, with its output byte for byte.

import Foundation
import Glibc
import Testing

/// A pseudo-terminal.
struct Terminal {
    /// The side that reads what was written to the terminal.
    private let control: Int32
    private let place: FileHandle
    /// The name of its device.
    let path: String

    init() throws {
        control = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(control >= 0)
        // TIOCSPTLCK and TIOCGPTN of asm/ioctls.h: unlock it, and get its number.
        var number: CInt = 0
        try #require(ioctl(control, 0x4004_5431, &number) == 0)
        try #require(ioctl(control, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        let terminal = open(path, O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        // Raw output: the terminal driver adds no carriage returns.
        var settings = termios()
        try #require(tcgetattr(terminal, &settings) == 0)
        cfmakeraw(&settings)
        try #require(tcsetattr(terminal, TCSANOW, &settings) == 0)
        place = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    }

    /// Returns the available output after waiting for the first byte. Nil after an hour without
    /// output.
    func next() -> String? {
        var request = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 3_600_000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(control, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Returns the remaining output, which fits the terminal's buffer, after all writers have
    /// ended.
    func close() throws -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        try #require(fcntl(control, F_SETFL, O_NONBLOCK) == 0)
        while case let count = read(control, &part, part.count), count > 0 {
            bytes += part[..<count]
        }
        Glibc.close(control)
        try place.close()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The streams of a process that are connected to the terminal.
    enum Streams { case output, error }

    /// A run of the tool with the terminal as one of its streams.
    struct Run {
        let process: Process
        let input: Pipe
        /// The other one of standard output and standard error.
        let other: Pipe
    }

    func start(
        _ tool: Tool, _ words: [String], _ streams: Streams, _ environment: [String: String]
    ) throws -> Run {
        let run = Run(process: Process(), input: Pipe(), other: Pipe())
        run.process.executableURL = Tool.path
        run.process.arguments = words
        run.process.currentDirectoryURL = tool.folder
        var variables = ProcessInfo.processInfo.environment
        variables["NO_COLOR"] = nil
        variables["TERM"] = "xterm"
        run.process.environment = variables.merging(environment) { $1 }
        run.process.standardInput = run.input
        run.process.standardOutput = streams == .output ? place : run.other
        run.process.standardError = streams == .error ? place : run.other
        try run.process.run()
        return run
    }
}

/// The result of a run on a terminal.
struct Seen {
    let code: Int32
    /// The output on the terminal.
    let shown: String
    /// The output on the other stream.
    let other: String
}

extension Tool {
    /// Runs the tool with a terminal as one of its streams, without input.
    func onTerminal(
        _ words: [String], _ streams: Terminal.Streams = .output,
        _ environment: [String: String] = [:]
    ) throws -> Seen {
        let terminal = try Terminal()
        let run = try terminal.start(self, words, streams, environment)
        try run.input.fileHandleForWriting.close()
        let other = run.other.fileHandleForReading.readDataToEndOfFile()
        run.process.waitUntilExit()
        return Seen(
            code: run.process.terminationStatus, shown: try terminal.close(),
            other: String(decoding: other, as: UTF8.self))
    }
}
