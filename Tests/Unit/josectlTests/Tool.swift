// Runs the built tool as a process, in its own directory.

import Foundation
import Testing

/// The result of a run of the tool.
struct Response {
    let code: Int32
    let output: Data
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
    /// The output without its line end.
    var token: String { text.last == "\n" ? String(text.dropLast()) : text }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The output as JSON objects, one per line.
    func objects() throws -> [[String: Any]] {
        try lines.map { try jsonObject(Data($0.utf8)) }
    }
}

func jsonObject(_ text: Data) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
}

/// A temporary directory in which the tool runs. Removed at the end.
final class Tool {
    let folder: URL
    /// Additional environment variables of the process.
    var environment: [String: String] = [:]

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("josectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The debug tool, built next to the test program.
    static let built: URL = {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return program.deletingLastPathComponent().appendingPathComponent("josectl")
    }()

    /// The demo, built into the same directory.
    static let demo = built.deletingLastPathComponent().appendingPathComponent("demo")

    /// The tool that `./dev test` names (the release build), or else the debug tool.
    static let path =
        ProcessInfo.processInfo.environment["JOSE_TEST_TOOL"].map { URL(fileURLWithPath: $0) }
        ?? built

    /// Runs the program named by its first argument.
    static let env = URL(fileURLWithPath: "/usr/bin/env")

    @discardableResult
    func run(_ arguments: String..., input: Data = Data()) throws -> Response {
        try run(arguments, input: input)
    }

    /// Input and output are files, so that neither side waits for the other.
    ///
    /// - Parameter program: Another program that runs the tool.
    func run(
        _ arguments: [String], input: Data = Data(), program: URL = Tool.path
    ) throws -> Response {
        let names = (0..<3).map { _ in
            FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        }
        defer { for name in names { try? FileManager.default.removeItem(at: name) } }
        try input.write(to: names[0])
        for name in names[1...] { try Data().write(to: name) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: names[0])
        process.standardOutput = try FileHandle(forWritingTo: names[1])
        process.standardError = try FileHandle(forWritingTo: names[2])
        try process.run()
        process.waitUntilExit()
        return Response(
            code: process.terminationStatus, output: try Tool.contents(of: names[1]),
            error: String(decoding: try Tool.contents(of: names[2]), as: UTF8.self))
    }

    /// The file's bytes. Foundation's reader leaks its buffer for an empty file.
    private static func contents(of file: URL) throws -> Data {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return size == 0 ? Data() : try Data(contentsOf: file)
    }

    // MARK: files

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url(name))
    }

    /// Writes a file that only its owner can read, like a password file.
    func write(secret text: String, to name: String) throws {
        try write(secret: Array(text.utf8), to: name)
    }

    func write(secret bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: url(name))
        try mode(0o600, of: name)
    }

    func mode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: url(name).path)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// All file names in the directory, hidden ones too.
    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }
}

/// Keys that all tests share, as generating them takes most time.
enum SharedKeys {
    /// The private set and the public set of a signing and an encryption key.
    static let sets: (private: String, public: String) = {
        do {
            let tool = try Tool()
            try tool.run("keys", "new", "--out", "private", "--public", "public")
            return (try tool.read("private"), try tool.read("public"))
        } catch {
            Issue.record(error)
            return ("", "")
        }
    }()

    /// A key of one of the sets as JSON text: 0 signs, 1 decrypts.
    static func key(_ index: Int, private isPrivate: Bool) throws -> String {
        let text = isPrivate ? sets.private : sets.public
        let keys = try #require(jsonObject(Data(text.utf8))["keys"] as? [[String: Any]])
        let data = try JSONSerialization.data(withJSONObject: keys[index], options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }
}

extension Tool {
    /// A directory with `private.jwks` and `public.jwks`.
    static func withKeys() throws -> Tool {
        let tool = try Tool()
        try tool.write(SharedKeys.sets.private, to: "private.jwks")
        try tool.write(SharedKeys.sets.public, to: "public.jwks")
        return tool
    }
}

/// The token with one character of a part replaced by another of the alphabet.
func tampered(_ token: String, part: Int) -> String {
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var characters = Array(parts[part])
    characters[5] = characters[5] == "A" ? "B" : "A"
    parts[part] = String(characters)
    return parts.joined(separator: ".")
}
