// Payloads on a terminal are shown with control characters escaped, unless raw bytes are requested.

import Foundation
import Testing

@testable import josectl

@Suite("Payloads on a terminal")
struct TerminalTests {
    private static let payload = "a\n\u{1b}]0;title\u{7}\u{9b}2J\u{202e}b\r\n"
    private static let shown = "a\n\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}b\\u{d}\n"

    private let tool: Tool

    init() throws { tool = try Tool.withKeys() }

    /// Runs the tool with a terminal as standard output. Returns its output and its messages.
    private func onTerminal(_ words: [String]) throws -> (
        code: Int32, output: String, error: String
    ) {
        let seen = try tool.onTerminal(words, .output, ["NO_COLOR": "1"])
        return (seen.code, seen.shown, seen.other)
    }

    private func token(_ command: String, _ payload: [UInt8]) throws -> String {
        let keys =
            command == "verify"
            ? ["sign", "--key", "private.jwks"] : ["encrypt", "--key", "public.jwks"]
        return try tool.run(keys, input: Data(payload)).token
    }

    @Test(
        "Control characters are shown escaped, and a message says so",
        arguments: ["verify", "decrypt"])
    func escaped(_ command: String) throws {
        let token = try token(command, Array(Self.payload.utf8))
        let words = [command, "--key", command == "verify" ? "public.jwks" : "private.jwks", token]
        let seen = try onTerminal(words)
        #expect(seen.code == 0)
        #expect(Array(seen.output.utf8) == Array(Self.shown.utf8))
        #expect(seen.error.contains("--raw") && seen.error.contains("--out"))
        #expect(seen.error.split(separator: "\n").count == 1)
        // On request, and to anything but a terminal, raw bytes are written.
        let raw = try onTerminal(words + ["--raw"])
        #expect(Array(raw.output.utf8) == Array(Self.payload.utf8) && raw.error.isEmpty)
        #expect(try tool.run(words).output == Data(Self.payload.utf8))
        #expect(try tool.run(words + ["--raw"]).output == Data(Self.payload.utf8))
        #expect(try onTerminal(words + ["--out", "file"]).output.isEmpty)
        #expect(try tool.read("file") == Self.payload)
        let json = try onTerminal(words + ["--json"])
        #expect(json.output.hasPrefix("{\"ok\":true,\"payload\":\"") && json.error.isEmpty)
    }

    @Test(
        "This applies to --out with any name of the terminal",
        arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "links", "device", "-"])
    func otherNames(_ name: String) throws {
        let words = try [
            "verify", "--key", "public.jwks", token("verify", Array(Self.payload.utf8)),
        ]
        let terminal = try Terminal()
        try FileManager.default.createSymbolicLink(
            atPath: tool.url("link").path, withDestinationPath: "/dev/stdout")
        try FileManager.default.createSymbolicLink(
            atPath: tool.url("links").path, withDestinationPath: "link")
        let out = name == "device" ? terminal.path : name
        // Opened by its own device, the terminal is not standard output.
        let run = try terminal.start(
            tool, words + ["--out", out], name == "device" ? .error : .output, ["NO_COLOR": "1"])
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 0)
        let other = String(
            decoding: run.other.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let shown = try terminal.close()
        // If standard error is the terminal too, the message comes first.
        #expect(shown.contains(Self.shown), "\(name): \(shown.debugDescription)")
        #expect(!shown.unicodeScalars.contains("\u{9b}") && !shown.utf8.contains(0x1b))
        #expect((name == "device" ? shown : other).contains("--raw"))
        let raw = try onTerminal(words + ["--raw", "--out", name == "device" ? "-" : out])
        #expect(Array(raw.output.utf8) == Array(Self.payload.utf8))
    }

    @Test("Files and pipes get the raw bytes, under any name")
    func otherNamesOfPipes() throws {
        let words = try [
            "verify", "--key", "public.jwks", token("verify", Array(Self.payload.utf8)),
        ]
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"] {
            let response = try tool.run(words + ["--out", name])
            #expect(response.output == Data(Self.payload.utf8) && response.error.isEmpty, "\(name)")
        }
        #expect(try tool.run(words + ["--out", "/dev/null"]).code == 0)
    }

    @Test("Plain text is shown unchanged, other bytes as hexadecimal escapes")
    func others() throws {
        let words = ["verify", "--key", "public.jwks"]
        let text = "it's \"plain\"\n\tGrüße\n"
        let plain = try onTerminal(words + [token("verify", Array(text.utf8))])
        #expect(plain.output == text && plain.error.isEmpty)
        let bytes: [UInt8] = [0x61, 0xff, 0x1b, 0x00]
        let token = try token("verify", bytes)
        #expect(try onTerminal(words + [token]).output == "a\\x{ff}\\x{1b}\\x{0}\n")
        #expect(try tool.run(words + [token]).output == Data(bytes))
    }

    @Test("The same applies to the claims that open prints") func claims() throws {
        let claims = "{\"exp\":1800000300,\"sub\":\"\u{202e}\u{9b}\"}"
        let token = try tool.run(
            ["seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks"],
            input: Data(claims.utf8)
        ).token
        let words = [
            "open", "--verification-keys", "public.jwks", "--decryption-keys", "private.jwks",
            "--at",
            "1800000000", token,
        ]
        let seen = try onTerminal(words)
        #expect(seen.output == "{\"exp\":1800000300,\"sub\":\"\\u{202e}\\u{9b}\"}\n")
        #expect(seen.error.contains("--raw"))
        #expect(try onTerminal(words + ["--raw"]).output == claims + "\n")
        #expect(try tool.run(words).text == claims + "\n")
    }
}
