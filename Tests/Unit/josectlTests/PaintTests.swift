// Colour and progress appear only on a terminal that wants them.

import Foundation
import Testing

@testable import josectl

@Suite("Colour and progress")
struct PaintTests {
    private static let escape: Character = "\u{1b}"

    /// Commands with coloured output: those with results for people, on keys with findings.
    private static let painted: [[String]] = [
        ["keys", "lint", "private.jwks"], ["inspect", "token"],
        [
            "explain", "--layers", "signed", "--verification-keys", "public.jwks", "--required",
            "sub", "token",
        ],
    ]

    private let tool: Tool

    init() throws {
        tool = try Tool.withKeys()
        let token = try tool.run("sign", "--key", "private.jwks", "-", input: Data("{}".utf8))
        try tool.write(token.text, to: "token")
    }

    @Test("A terminal gets colour, and the text without escapes is the same", arguments: painted)
    func colour(words: [String]) throws {
        let plain = try tool.run(words)
        #expect(!plain.text.contains(Self.escape))
        let seen = try tool.onTerminal(words)
        #expect(seen.shown.contains(Self.escape) && seen.code == plain.code)
        let bare = seen.shown.replacing(try Regex("\u{1b}\\[[0-9;]*m"), with: "")
        #expect(bare == plain.text)
    }

    @Test(
        "Any NO_COLOR value and a dumb terminal switch off every escape",
        arguments: painted,
        [["NO_COLOR": "1"], ["NO_COLOR": "0"], ["TERM": "dumb"]])
    func none(words: [String], environment: [String: String]) throws {
        #expect(try tool.onTerminal(words, .output, environment).shown == tool.run(words).text)
    }

    @Test("An empty NO_COLOR counts as unset (no-color.org)") func empty() throws {
        let seen = try tool.onTerminal(Self.painted[0], .output, ["NO_COLOR": ""])
        #expect(seen.shown.contains(Self.escape))
        #expect(try seen.shown == tool.onTerminal(Self.painted[0]).shown)
    }

    @Test("A rejection is coloured if standard error is a terminal, whatever standard output is")
    func rejection() throws {
        let words = ["verify", "--key", "public.jwks", "--alg", "ES256", "token"]
        let plain = try tool.run(words)
        #expect(plain.code == 1 && !plain.error.contains(Self.escape))
        let seen = try tool.onTerminal(words, .error)
        #expect(seen.shown.contains("\u{1b}[31mrejected: ") && seen.other.isEmpty)
        #expect(seen.shown.replacing(try Regex("\u{1b}\\[[0-9;]*m"), with: "") == plain.error)
        #expect(try tool.onTerminal(words, .error, ["NO_COLOR": "1"]).shown == plain.error)
        // The output for programs is the same everywhere.
        let json = ["--json"]
        #expect(try tool.onTerminal(words + json).shown == tool.run(words + json).text)
        #expect(try !tool.onTerminal(words, .output).other.contains(Self.escape))
    }

    @Test("After a second processed lines are counted, and the count is erased at the end")
    func batch() throws {
        let terminal = try Terminal()
        let run = try terminal.start(tool, ["batch"], .error, ["NO_COLOR": "1"])
        // Runs until its progress was seen.
        try run.input.fileHandleForWriting.write(contentsOf: Data("{\"id\":1}\n".utf8))
        var shown = ""
        while !shown.contains("josectl batch: 1 lines, ") {
            shown += try #require(terminal.next())
        }
        try run.input.fileHandleForWriting.close()
        let response = run.other.fileHandleForReading.readDataToEndOfFile()
        run.process.waitUntilExit()
        shown += try terminal.close()
        #expect(run.process.terminationStatus == 0)
        #expect(String(decoding: response, as: UTF8.self).hasPrefix(#"{"id":1,"ok":false"#))
        // Progress is overwritten with spaces and leaves nothing on the line.
        #expect(shown.hasPrefix("\r") && shown.hasSuffix(" \r") && !shown.contains("\n"))
    }

    @Test("A dumb terminal shows no progress, nor does a terminal that shows the responses")
    func quiet() throws {
        #expect(try tool.onTerminal(["selftest"], .error, ["TERM": "dumb"]).shown.isEmpty)
        let large = ["keys", "new", "--bits", "4096", "--out", "large", "--force"]
        #expect(try tool.onTerminal(large, .error, ["TERM": "dumb"]).shown.isEmpty)
        #expect(try tool.onTerminal(large, .output).other.isEmpty)
        #expect(try tool.run(large).error.isEmpty)
    }

    @Test("Key generation of more than a second shows progress") func largeKey() throws {
        let words = ["keys", "new", "--use", "sig", "--bits", "4096", "--out", "large", "--force"]
        // The time to generate a key is random: some take less than a second.
        var seen = try tool.onTerminal(words, .error)
        while seen.shown.isEmpty { seen = try tool.onTerminal(words, .error) }
        #expect(seen.code == 0)
        #expect(seen.shown.hasPrefix("\rjosectl keys new: generating key 1 of 1, "))
        #expect(seen.shown.hasSuffix(" \r") && !seen.shown.contains("\n"))
        #expect(seen.other.hasPrefix("{\"keys\":["))
    }
}
