// A PKCS#11 token for runs of the tool: the small test module of JOSEPKCS11Tests, which keeps its
// token in a file between runs, or the module named by the environment (`tools/run tokens`).

import Foundation
import Testing

/// A directory with its own token, which has no keys yet.
final class TokenTool {
    let tool: Tool
    private let module, label, pin: String

    private struct Foreign {
        let module, label, pin: String
    }
    private static let foreign: Foreign? = {
        let environment = ProcessInfo.processInfo.environment
        guard let module = environment["JOSE_TEST_TOKEN_MODULE"],
            let label = environment["JOSE_TEST_TOKEN_LABEL"],
            let pin = environment["JOSE_TEST_TOKEN_PIN"]
        else { return nil }
        return Foreign(module: module, label: label, pin: pin)
    }()
    /// Whether the tests may damage the token.
    static var isOwn: Bool { foreign == nil }
    static let onlyOwn: Comment = "only the tests' own module misbehaves, counts and goes away"

    init() throws {
        tool = try Tool()
        if let foreign = TokenTool.foreign {
            (module, label, pin) = (foreign.module, foreign.label, foreign.pin)
        } else {
            (module, label, pin) = (try TokenTool.compiled.get(), "jose tests", "123456")
            tool.environment["JOSE_TEST_TOKEN_FILE"] = tool.url("token").path
        }
        try secret(pin + "\n", to: "pin")
    }

    /// The test module, compiled once per test run.
    private static let compiled = Result {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "josectl-token-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "JOSEPKCS11Tests/Module")
        let names = try FileManager.default.contentsOfDirectory(atPath: sources.path)
        let library = folder.appending(path: "token.so").path
        let compiled = try Tool().run(
            ["clang", "-std=gnu17", "-O1", "-shared", "-fPIC", "-Wl,-Bsymbolic"]
                + names.filter { $0.hasSuffix(".c") }.map { sources.appending(path: $0).path }
                + ["-o", library, "-lcrypto"], program: Tool.env)
        try #require(compiled.code == 0, "\(compiled.error)")
        return library
    }

    /// The URI of the token, and of a key in it.
    func uri(_ object: String? = nil) -> String {
        let token = "pkcs11:token=" + TokenTool.encoded(label)
        return object.map { "\(token);object=\(TokenTool.encoded($0))" } ?? token
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { String(format: "%%%02x", $0) }.joined()
    }

    /// Runs the tool with the module and the PIN.
    @discardableResult
    func run(
        _ arguments: String..., pinFile: String? = "pin", input: String = ""
    ) throws -> Response {
        try run(arguments, pinFile: pinFile, input: input)
    }

    func run(
        _ arguments: [String], pinFile: String? = "pin", input: String = ""
    ) throws -> Response {
        var pin = pinFile.map { ["--pin-file", $0] } ?? []
        if arguments.first == "batch", !pin.isEmpty, !arguments.contains("--token") {
            pin += ["--token", uri()]
        }
        let response = try tool.run(
            arguments + ["--module", module] + pin, input: Data(input.utf8))
        #expect(!(response.text + response.error).contains(self.pin), "the PIN")
        return response
    }

    /// Runs a shell script in which "$@" is the tool with these arguments and the module.
    func run(script: String, _ arguments: String...) throws -> Response {
        try tool.run(
            ["-c", script, "bash", Tool.path.path] + arguments + ["--module", module],
            program: URL(filePath: "/bin/bash"))
    }

    /// Runs the demo, which creates its keys in the token.
    func runDemo(_ arguments: String...) throws -> Response {
        try tool.run(
            arguments + ["--module", module, "--token", uri(), "--pin-file", "pin"],
            program: Tool.demo)
    }

    /// Creates a key. Returns its URI, and the name of the file with its public set.
    func makeKey(_ options: String...) throws -> (uri: String, published: String) {
        let name = "key \(UUID().uuidString)"
        let response = try run(
            ["keys", "new", "--token", uri(name), "--public", name] + options)
        try #require(response.code == 0, "\(response.error)")
        return (uri(name), name)
    }

    /// Writes a file that only the owner can read.
    func secret(_ text: String, to name: String, mode: Int = 0o600) throws {
        try tool.write(text, to: name)
        try tool.mode(mode, of: name)
    }

    // MARK: our own module

    /// The number of times a PIN was tried.
    func logins() throws -> Int {
        let kept = try Data(contentsOf: tool.url("token"))
        return kept.dropFirst(8).prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func remove(_ isRemoved: Bool) throws {
        let mark = tool.url("token.removed")
        if isRemoved {
            try Data().write(to: mark)
        } else {
            try FileManager.default.removeItem(at: mark)
        }
    }

    /// Sets the module's result of the next logins.
    func responseLogins(_ response: Int) {
        tool.environment["JOSE_TEST_TOKEN_LOGIN"] = String(response)
    }

    func misbehave(_ number: Int?) {
        tool.environment["JOSE_TEST_TOKEN_MISBEHAVIOUR"] = number.map { String($0) }
    }
}
