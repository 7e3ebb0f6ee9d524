// Output files: existing files are kept, outputs are different files, permissions never widen.

import Foundation
import Testing

@Suite("Output files") struct OutputTests {
    /// A directory with keys, tokens and payloads for all commands.
    private func withEverything() throws -> Tool {
        let tool = try Tool()
        try tool.write("hello", to: "payload")
        try tool.write(#"{"iss":"a","aud":"b"}"#, to: "claims")
        for words in [
            "keys new --curve Ed25519 --out sig.jwks --public sig.pub",
            "keys new --curve X25519 --out enc.jwks --public enc.pub",
            "keys export sig.jwks --private --out key.pem", "keys export sig.jwks --out pub.pem",
            "sign --key sig.jwks --out token.jws payload",
            "encrypt --key enc.pub --out token.jwe payload",
            "seal --lifetime 300 --signing-key sig.jwks --encryption-key enc.pub --out token.jwt claims",
        ] {
            let response = try tool.run(words.split(separator: " ").map(String.init))
            try #require(response.code == 0, "\(words): \(response.error)")
        }
        return tool
    }

    /// Every command that writes, without `--out`, and whether its output is private.
    static let writers: [(words: String, isPrivate: Bool)] = [
        ("keys new --curve Ed25519", true), ("keys new --type oct --use sig", true),
        ("keys certify sig.jwks --self-signed", true), ("keys certify sig.jwks --csr", false),
        ("keys import key.pem", true), ("keys import pub.pem", false),
        ("keys export sig.jwks", false), ("keys export sig.jwks --private", true),
        ("keys public sig.jwks", false), ("sign --key sig.jwks payload", false),
        ("verify --key sig.pub token.jws", false), ("encrypt --key enc.pub payload", false),
        ("decrypt --key enc.jwks token.jwe", true),
        ("seal --lifetime 300 --signing-key sig.jwks --encryption-key enc.pub claims", false),
        (
            "open --decryption-keys enc.jwks --verification-keys sig.pub --issuer a --audience b "
                + "token.jwt", true
        ),
    ]

    @Test("Replacing a file needs --force and never widens its read permissions")
    func kept() throws {
        let tool = try withEverything()
        for (text, isPrivate) in Self.writers {
            let words = text.split(separator: " ").map(String.init)
            for old in [0o600, 0o640, 0o644, 0o444] {
                try tool.write("precious", to: "there")
                try tool.mode(old, of: "there")
                let names = try tool.names()
                let rejected = try tool.run(words + ["--out", "there"])
                #expect(rejected.code == 3 && rejected.error.contains("already exists"), "\(text)")
                #expect(try tool.read("there") == "precious", "\(text)")
                #expect(try tool.mode("there") == old)
                let forced = try tool.run(words + ["--out", "there", "--force"])
                #expect(forced.code == 0, "\(text): \(forced.error)")
                #expect(try tool.read("there") != "precious", "\(text)")
                let mode = isPrivate ? 0o600 : 0o644 & (old | 0o600)
                #expect(try tool.mode("there") == mode, "\(text) over \(String(old, radix: 8))")
                #expect(try tool.names() == names)
                try FileManager.default.removeItem(at: tool.url("there"))
            }
        }
    }

    @Test("The tested list of output options matches the help")
    func listed() throws {
        let tool = try Tool()
        var names: Set<String> = []
        let commands = try tool.run("--help").text.components(separatedBy: "Exit codes:")[0]
        for line in commands.split(separator: "\n") where line.hasPrefix("  ") {
            let columns = line.dropFirst(2).components(separatedBy: "  ")
            let name = columns[0].split(separator: " ").map(String.init)
            let help = try tool.run(name + ["--help"])
            #expect(help.code == 0, "\(line)")
            guard help.text.contains("--out FILE") else { continue }
            #expect(help.text.contains("--force"), "\(name)")
            names.insert(columns[0])
        }
        for name in names {
            #expect(Self.writers.contains { $0.words.hasPrefix(name + " ") }, "\(name)")
        }
        #expect(names.count >= 11)
    }

    @Test("A private set never becomes a public one of that name without --force")
    func weakened() throws {
        let tool = try withEverything()
        let own = try tool.read("sig.jwks")
        for words in [
            ["keys", "import", "pub.pem"], ["keys", "public", "sig.jwks"],
            ["keys", "certify", "sig.pub", "--chain", "none.pem"],
        ] {
            #expect(try tool.run(words + ["--out", "sig.jwks"]).code == 3)
            #expect(try tool.read("sig.jwks") == own)
            #expect(try tool.mode("sig.jwks") == 0o600)
        }
        #expect(
            try tool.run("keys", "public", "sig.jwks", "--out", "sig.jwks", "--force").code == 0)
        #expect(try tool.read("sig.jwks") == tool.read("sig.pub"))
        #expect(try tool.mode("sig.jwks") == 0o600)
    }

    @Test("Two outputs to the same file are wrong usage, under any name")
    func same() throws {
        let tool = try Tool()
        try FileManager.default.createDirectory(
            at: tool.url("folder"), withIntermediateDirectories: false)
        for (name, target) in [
            ("link", "X"), ("chain", "folder/../link"), ("here", "."),
            ("absolute", tool.url("X").path),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: tool.url(name).path, withDestinationPath: target)
        }
        let spellings = [
            "X", "./X", ".//X", "folder/../X", "here/X", "here/./here/X", tool.url("X").path,
            "/proc/self/cwd/X",
        ]
        let links = ["link", "here/link", "chain", "absolute", "hard"]
        let nothing = try tool.names()
        for exists in [false, true] {
            if exists {
                try tool.write("precious", to: "X")
                try FileManager.default.linkItem(at: tool.url("X"), to: tool.url("hard"))
            }
            let names = try tool.names()
            for other in spellings + (exists ? links : []) {
                for pair in [("X", other), (other, "X"), (other, other)] {
                    let response = try tool.run(
                        "keys", "new", "--curve", "Ed25519", "--force", "--out", pair.0, "--public",
                        pair.1)
                    #expect(response.code == 2 && response.error.contains("same file"), "\(pair)")
                    #expect(try tool.names() == names, "\(pair)")
                }
            }
            if exists { #expect(try tool.read("X") == "precious") }
        }
        #expect(nothing.count == 5)
    }

    @Test("Standard output counts as an output, under any name")
    func streams() throws {
        let tool = try Tool()
        let new = "josectl keys new --curve Ed25519"
        for line in [
            "\(new) --out -", "\(new) --out - --public -", "\(new) --out /dev/stdout",
            "\(new) --out - --public /dev/stdout", "\(new) --out /dev/fd/1 --public -",
            "\(new) --out /proc/self/fd/1 --public /dev/stdout", "\(new) --out /dev/fd/3 3>&1",
            "\(new) --out X --force > X", "\(new) --out X --public Y --force > Y",
            "mkfifo p; \(new) --out p --public p", "\(new) --out p --public ./p",
        ] {
            let response = try tool.shell(line)
            #expect(response.code == 2, "\(line): \(response.code) \(response.error)")
            #expect(!response.text.contains("\"d\""), "\(line)")
        }
        // The shell created them, and nothing was written.
        #expect(try tool.read("X").isEmpty && tool.read("Y").isEmpty)
        // Writing to the null device loses nothing.
        #expect(try tool.shell("\(new) --out /dev/null --public /dev/null").code == 0)
        #expect(try tool.shell("\(new) --out /dev/null > /dev/null").code == 0)
        // File names are bytes: two Unicode spellings of one letter are two files.
        let twins = try tool.run(
            "keys", "new", "--curve", "Ed25519", "--out", "\u{e9}", "--public", "e\u{301}")
        #expect(twins.code == 0, "\(twins.error)")
        #expect(try tool.keys("\u{e9}")[0]["d"] is String)
    }

    @Test("Streams that the user opened are written: substitution, /dev/fd, /dev/stdout")
    func given() throws {
        let tool = try Tool()
        let new = "josectl keys new --curve Ed25519"
        for (index, line) in [
            "\(new) --out >(cat > a) --public b && while [ ! -s a ]; do :; done",
            "\(new) --out /dev/stdout --public b > a",
            "\(new) --out /dev/stdout --public b | cat > a",
            "\(new) --out /dev/fd/7 --public b 7> a",
            "\(new) --out /proc/self/fd/7 --public b 7> a",
            "\(new) --out - --public b > a",
            "\(new) --out a --public >(cat > b) && while [ ! -s b ]; do :; done",
            "\(new) --out a --public - > b", "\(new) --out a --public /dev/stdout > b",
            ": > a; \(new) --out /dev/fd/7 --public b 7>> a",
            "mkfifo p; cat p > a & \(new) --out p --public b; wait; rm p",
        ].enumerated() {
            let response = try tool.shell(line)
            #expect(response.code == 0, "\(index): \(line): \(response.error)")
            #expect(try tool.keys("a")[0]["d"] is String, "\(line)")
            #expect(try tool.keys("b")[0]["x"] as? String == tool.keys("a")[0]["x"] as? String)
            #expect(try tool.names() == ["a", "b"], "\(line)")
            for name in ["a", "b"] { try FileManager.default.removeItem(at: tool.url(name)) }
        }
    }

    @Test("A descriptor inside a file, a closed one and one that was not passed are rejected")
    func descriptors() throws {
        let tool = try Tool()
        let new = "josectl keys new --curve Ed25519"
        try tool.write(String(repeating: "precious", count: 100), to: "file")
        let before = try tool.read("file")
        for line in [
            "\(new) --out /dev/fd/7 --public b 7<> file",
            "\(new) --out /dev/stdout --public b 1<> file",
            "\(new) --out /dev/fd/7 --public b", "\(new) --out /dev/fd/3 --public b",
            "\(new) --out /dev/fd/5 --public b", "\(new) --out /dev/fd/7 --public b 7< file",
            "\(new) --out /dev/fd/x --public b", "\(new) --out /dev/fd/-1 --public b",
        ] {
            #expect(try tool.shell(line).code == 3, "\(line)")
            #expect(try tool.read("file") == before, "\(line)")
            #expect(try tool.names() == ["file"], "\(line)")
        }
        // The numbers of closed streams are not reused for our files.
        for (line, code) in [
            ("\(new) --out a >&-", 3), ("\(new) --out a --public b >&-", 3),
            ("\(new) --out a --public b <&- 2>&-", 0),
            ("\(new) --out a --public b <&- >&- 2>&-", 3),
        ] as [(String, Int32)] {
            #expect(try tool.shell(line).code == code, "\(line)")
            // The padding has the length of a set with one key, so a message does not follow it.
            #expect(try tool.keys("a")[0]["d"] is String, "\(line)")
            for name in ["a", "b"] { try? FileManager.default.removeItem(at: tool.url(name)) }
        }
    }

    @Test("A private file has mode 0600 under any umask, a public one follows the umask")
    func modes() throws {
        let tool = try Tool()
        for (mask, open) in [(0, 0o666), (0o22, 0o644), (0o77, 0o600), (0o277, 0o400), (0o777, 0)] {
            let line =
                "umask \(String(mask, radix: 8)); josectl keys new --curve Ed25519 --out a "
                + "--public b"
            #expect(try tool.shell(line).code == 0)
            #expect(try tool.mode("a") == 0o600)
            #expect(try tool.mode("b") == open)
            #expect(try tool.keys("a").count == 1)
            for name in ["a", "b"] { try FileManager.default.removeItem(at: tool.url(name)) }
        }
    }

    @Test("A link to a file is kept, one to nothing is taken; a loop and a directory are errors")
    func links() throws {
        let tool = try Tool()
        try FileManager.default.createDirectory(
            at: tool.url("folder"), withIntermediateDirectories: false)
        try tool.write("precious", to: "folder/key")
        for (name, target) in [("link", "folder/key"), ("a", "b"), ("b", "a"), ("away", "none")] {
            try FileManager.default.createSymbolicLink(
                atPath: tool.url(name).path, withDestinationPath: target)
        }
        let names = try tool.names()
        let new = ["keys", "new", "--type", "oct", "--use", "sig", "--out"]
        for bad in [
            "a", "folder", "folder/", "none/", "none/key", "link/", "link/key", "", "/", ".", "..",
            "folder/..",
        ] {
            let response = try tool.run(new + [bad, "--force"])
            #expect(response.code == 3, "\(bad): \(response.error)")
        }
        #expect(try tool.run(new + ["away"]).code == 3)
        #expect(try tool.run(new + ["link"]).code == 3)
        #expect(try tool.read("folder/key") == "precious" && tool.names() == names)
        #expect(try tool.run(new + ["link", "--force"]).code == 0)
        #expect(try tool.mode("folder/key") == 0o600)
        let target = try FileManager.default.destinationOfSymbolicLink(
            atPath: tool.url("link").path)
        #expect(target == "folder/key")
        let inside = try FileManager.default.contentsOfDirectory(atPath: tool.url("folder").path)
        #expect(inside == ["key"])
        #expect(try tool.run(new + ["away", "--force"]).code == 0)
        #expect(try tool.keys("away").count == 1)
    }
}

extension Tool {
    /// Runs a line of bash in the tool's directory, with `josectl` on its path.
    func shell(_ line: String) throws -> Response {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment["PATH"] = Tool.path.deletingLastPathComponent().path + ":" + path
        defer { environment["PATH"] = nil }
        return try run(["-c", line], program: URL(fileURLWithPath: "/bin/bash"))
    }
}
