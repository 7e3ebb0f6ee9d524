// Help, options and exit codes of the tool.

import Foundation
import Testing

@testable import josectl

@Suite struct FrameTests {
    @Test("Every command has a help text with an example", arguments: Command.all.map(\.name))
    func help(name: String) throws {
        let response = try Tool().run(name.split(separator: " ").map(String.init) + ["--help"])
        #expect(response.code == 0)
        #expect(response.text.hasPrefix("usage: josectl \(name)"))
        #expect(response.text.contains("Example:\n  $ "))
        #expect(response.text.contains("--json"))
        #expect(response.error.isEmpty)
    }

    @Test func overview() throws {
        let tool = try Tool()
        let none = try tool.run()
        #expect(none.code == 2)
        #expect(none.output.isEmpty)
        let help = try tool.run("--help")
        #expect(help.code == 0)
        for command in Command.all { #expect(help.text.contains("  \(command.name) ")) }
        #expect(try tool.run("--version").text.hasPrefix("josectl "))
    }

    @Test(
        "an unknown command with --json is one JSON object, and exit code 2",
        arguments: [["nonsense", "--json"], ["keys", "--json"], ["--json", "verify"]])
    func unknownInJSON(words: [String]) throws {
        let response = try Tool().run(words)
        #expect(response.code == 2)
        #expect(response.error.isEmpty)
        let object = try #require(try response.objects().first)
        #expect((object["error"] as? [String: Any])?["code"] as? String == "misuse")
    }

    @Test(
        "Wrong usage: one line on standard error, nothing on standard output, exit code 2",
        arguments: [
            ["nonsense"], ["keys"], ["verify"], ["verify", "--nonsense"], ["verify", "--key"],
            ["verify", "-k", "x"], ["verify", "--key", "a", "--key", "b"], ["verify", "a", "b"],
            ["keys", "new", "--out", "x", "--force=yes"],
            ["keys", "new", "--out", "x", "--bits", "1024"],
            ["keys", "new", "--out", "x", "--bits", "2049"],
            ["keys", "new", "--out", "x", "--use", "all"],
            ["keys", "new", "--out", "x", "--alg", "none"],
            ["keys", "new", "--out", "x", "--use", "enc", "--alg", "RS256"],
            ["keys", "new", "--out", "x", "--kid", "one"], ["keys", "new", "--out", "-"],
            ["keys", "thumbprint", "--hash", "md5"], ["batch", "--jobs", "0"],
            ["batch", "--max-bytes", "x"],
            ["sign", "--key", "private.jwks", "--alg", "none"],
            ["sign", "--key", "private.jwks", "--header", "{"],
            ["sign", "--key", "private.jwks", "--header", #"{"alg":"none"}"#],
            ["sign", "--key", "private.jwks", "--header", #"{"crit":["x"],"x":1}"#],
            ["encrypt", "--key", "private.jwks"],
            ["open", "--layers", "signed,encrypted"], ["open", "--at", "tomorrow"],
            ["open", "--leeway", "301"], ["selftest", "--vectors", "."], ["help", "nonsense"],
        ])
    func usage(arguments: [String]) throws {
        let tool = try Tool.withKeys()
        let before = try tool.names()
        let response = try tool.run(arguments)
        #expect(response.code == 2)
        #expect(response.output.isEmpty)
        #expect(response.error.hasPrefix("josectl"))
        #expect(response.error.split(separator: "\n").count == 1, "\(response.error)")
        #expect(try tool.names() == before)
    }

    @Test(
        "An I/O error: one line on standard error, exit code 3, no file left",
        arguments: [
            ["verify", "--key", "absent"], ["verify", "--key", "."],
            ["sign", "--key", "private.jwks", "absent"],
            ["sign", "--key", "private.jwks", "--out", "absent/token", "payload"],
            ["sign", "--key", "private.jwks", "--out", ".", "payload"],
            ["keys", "new", "--out", "absent/x", "--public", "public"],
            ["keys", "new", "--out", "x", "--public", "absent/public"],
            ["keys", "new", "--out", "x", "--public", "public.jwks"],
            ["keys", "new", "--out", "private.jwks"],
        ])
    func system(arguments: [String]) throws {
        let tool = try Tool.withKeys()
        try tool.write("payload", to: "payload")
        let before = try tool.names()
        let response = try tool.run(arguments)
        #expect(response.code == 3)
        #expect(response.output.isEmpty)
        #expect(response.error.split(separator: "\n").count == 1, "\(response.error)")
        #expect(response.error.contains("cannot "))
        #expect(try tool.names() == before)
        #expect(try tool.read("private.jwks") == SharedKeys.sets.private)
    }

    @Test(
        "Broken JSON is rejected with the name of its file", arguments: ["", "{", "[1]", "{} {}"])
    func brokenJSON(text: String) throws {
        let tool = try Tool.withKeys()
        try tool.write(text, to: "broken")
        for command in [["keys", "public"], ["keys", "thumbprint"], ["keys", "lint"]] {
            let response = try tool.run(command + ["broken"])
            #expect(response.code == 1)
            #expect(response.output.isEmpty)
            #expect(response.error.contains("rejected: malformed"), "\(response.error)")
            #expect(response.error.contains("broken: "))
        }
    }

    @Test("keys lint names a malformed JSON entry, and the defects of the others")
    func brokenEntry() throws {
        let tool = try Tool()
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        for (value, word) in [(#""\ud800""#, "surrogate"), (deep, "deeper than 32 levels")] {
            try tool.write(
                "{\"keys\":[{\"kid\":\"odd\",\"a\":\(value)},{\"kid\":\"bare\",\"kty\":\"XYZ\"}]}",
                to: "set")
            let response = try tool.run("keys", "lint", "set")
            #expect(response.code == 1, "\(response.text)")
            for word in [word, "odd", "bare", "kty"] {
                #expect(response.text.contains(word), "\(response.text)")
            }
        }
    }

    @Test func standardOutputThatIsClosed() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let process = Process()
        process.executableURL = Tool.path
        process.arguments = ["--help"]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 3)
    }
}

@Suite struct OptionTests {
    private func parse(_ words: String...) throws -> ParsedCommandLine {
        try ParsedCommandLine(words[...], for: .verify)
    }

    @Test func forms() throws {
        let line = try parse("--key=a", "--alg", "RS256,PS256", "-", "--json")
        #expect(line["key"] == "a")
        #expect(line.list("alg") == ["RS256", "PS256"])
        #expect(line.arguments == ["-"])
        #expect(line.has("json"))
        #expect(try parse("--keys", "a")["key"] == "a")
        #expect(try parse("--key=", "x")["key"]?.isEmpty == true)
        #expect(try parse("--", "--key").arguments == ["--key"])
        #expect(try parse("--key", "--json")["key"] == "--json")
    }

    @Test(arguments: ["--ke", "-x", "---key", "--json=1", "--alg"])
    func rejected(word: String) {
        #expect(throws: UsageError.self) { try parse(word) }
    }
}

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696),
        ("2026-11-20T17:18:32Z", 1_795_195_112), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2026-11-20t19:18:32.999+02:00", 1_795_195_112),
        ("1999-12-31T23:59:59-00:30", 946_686_599),
        ("1700000000", 1_700_000_000),
    ])
    func read(text: String, seconds: Int64) throws {
        let date = try #require(Timestamp.read(text))
        #expect(date.seconds == seconds)
        if text.hasSuffix("Z") { #expect(Timestamp.write(date) == text) }
    }

    @Test(arguments: [
        "", "now", "-1", "1969-12-31T23:59:59Z", "2026-02-29T00:00:00Z", "2026-1-1T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+2:00", "2026-01-01T00:00:00+0200",
        "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z",
    ])
    func rejected(text: String) { #expect(Timestamp.read(text) == nil) }

    @Test("Every day of four centuries round-trips")
    func everyDay() throws {
        for day in stride(from: Int64(0), to: 146_097, by: 1) {
            let seconds = day * 86_400 + day % 86_400
            let text = Timestamp.write(try #require(.init(exactly: seconds)))
            #expect(Timestamp.read(text)?.seconds == seconds)
        }
    }
}
