// Colour and progress: on a terminal, where they are wanted, and nowhere else.

import Foundation
import Testing

@testable import josectl

@Suite("Colour and progress")
struct PaintTests {
    private static let escape: Character = "\u{1b}"

    /// What is told in colour: commands whose answer is for people, of keys that have something to
    /// remark.
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

    @Test("On a terminal there is colour, and without its marks the same text", arguments: painted)
    func colour(words: [String]) throws {
        let plain = try tool.run(words)
        #expect(!plain.text.contains(Self.escape))
        let seen = try tool.onTerminal(words)
        #expect(seen.shown.contains(Self.escape) && seen.code == plain.code)
        let bare = seen.shown.replacing(try Regex("\u{1b}\\[[0-9;]*m"), with: "")
        #expect(bare == plain.text)
    }

    @Test(
        "NO_COLOR, whatever it says, and a dumb terminal: not one byte differs",
        arguments: painted,
        [["NO_COLOR": "1"], ["NO_COLOR": "0"], ["TERM": "dumb"]])
    func none(words: [String], environment: [String: String]) throws {
        #expect(try tool.onTerminal(words, .output, environment).shown == tool.run(words).text)
    }

    @Test("An empty NO_COLOR is as none (no-color.org)") func empty() throws {
        let seen = try tool.onTerminal(Self.painted[0], .output, ["NO_COLOR": ""])
        #expect(seen.shown.contains(Self.escape))
        #expect(try seen.shown == tool.onTerminal(Self.painted[0]).shown)
    }

    @Test(
        "A rejection is in colour where the terminal is standard error, whatever standard output is"
    )
    func rejection() throws {
        let words = ["verify", "--key", "public.jwks", "--alg", "ES256", "token"]
        let plain = try tool.run(words)
        #expect(plain.code == 1 && !plain.error.contains(Self.escape))
        let seen = try tool.onTerminal(words, .error)
        #expect(seen.shown.contains("\u{1b}[31mrejected: ") && seen.other.isEmpty)
        #expect(seen.shown.replacing(try Regex("\u{1b}\\[[0-9;]*m"), with: "") == plain.error)
        #expect(try tool.onTerminal(words, .error, ["NO_COLOR": "1"]).shown == plain.error)
        // The answer for programs is the same everywhere.
        let json = ["--json"]
        #expect(try tool.onTerminal(words + json).shown == tool.run(words + json).text)
        #expect(try !tool.onTerminal(words, .output).other.contains(Self.escape))
    }

    @Test("Lines that come for longer than a second are counted, and the count is taken away")
    func batch() throws {
        let terminal = try Terminal()
        let run = try terminal.start(tool, ["batch"], .error, ["NO_COLOR": "1"])
        // The run lasts until its progress was seen.
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
        // Written over with spaces; nothing of it stays on the line.
        #expect(shown.hasPrefix("\r") && shown.hasSuffix(" \r") && !shown.contains("\n"))
    }

    @Test("Nothing of it on a dumb terminal, nor where the answers are read on the terminal")
    func quiet() throws {
        #expect(try tool.onTerminal(["selftest"], .error, ["TERM": "dumb"]).shown.isEmpty)
        let large = ["keys", "new", "--bits", "4096", "--out", "large", "--force"]
        #expect(try tool.onTerminal(large, .error, ["TERM": "dumb"]).shown.isEmpty)
        #expect(try tool.onTerminal(large, .output).other.isEmpty)
        #expect(try tool.run(large).error.isEmpty)
    }

    @Test("A key that takes longer than a second is told of") func largeKey() throws {
        let words = ["keys", "new", "--use", "sig", "--bits", "4096", "--out", "large", "--force"]
        // How long a key takes is chance: some take less than a second.
        var seen = try tool.onTerminal(words, .error)
        while seen.shown.isEmpty { seen = try tool.onTerminal(words, .error) }
        #expect(seen.code == 0)
        #expect(seen.shown.hasPrefix("\rjosectl keys new: generating key 1 of 1, "))
        #expect(seen.shown.hasSuffix(" \r") && !seen.shown.contains("\n"))
        #expect(seen.other.hasPrefix("{\"keys\":["))
    }
}
