// Password files: an ineffective or ambiguous password encrypts no key.

import Foundation
import Testing

@Suite("Password files") struct PasswordFileTests {
    private static let ways = [["--private"], ["--private", "--der"], ["--pkcs12"]]

    @Test(
        "An empty, blank or ambiguous password is rejected, and nothing is written",
        arguments: [
            ([], "empty"), ([0x0a], "empty"), ([0x0d, 0x0a], "empty"), ([0x20], "empty"),
            (Array("  \n".utf8), "empty"), (Array("\u{a0}\u{3000}".utf8), "empty"),
            ([0x0d], "control"), (Array("\n\n".utf8), "control"), (Array("a\n\n".utf8), "control"),
            (Array("a\nb".utf8), "control"), (Array("a\tb".utf8), "control"), ([0], "control"),
            (Array("a\0b".utf8), "control"), ([0x61, 0], "control"), ([0x61, 0x0d], "control"),
            (Array("a\u{85}b".utf8), "control"), (Array("a\u{2028}b".utf8), "control"),
            ([0x70, 0xe9], "UTF-8"), ([0xff, 0xfe, 0x61, 0x00], "UTF-8"),
            (Array("\u{feff}pass".utf8), "byte order"), (Array("\u{feff}".utf8), "byte order"),
        ] as [([UInt8], String)])
    func rejected(_ password: [UInt8], _ word: String) throws {
        let tool = try Tool.withKeys()
        try tool.write(secret: password, to: "password")
        let kid = try SharedKeys.kid(0)
        for way in Self.ways {
            let response = try tool.run(
                ["keys", "export", "private.jwks", "--kid", kid] + way
                    + ["--password-file", "password", "--out", "key"])
            #expect(
                response.code == 2 && response.error.contains(word),
                "\(way): \(response.code) \(response.error)")
            #expect(!tool.exists("key"))
        }
    }

    @Test(
        "Any other string protects a file, with or without one line end",
        arguments: [
            ("a", ""), ("correct horse ", "\n"), ("pässwörd €", "\r\n"), (" \u{301}", "\n"),
        ])
    func accepted(_ password: String, _ end: String) throws {
        let tool = try Tool.withKeys()
        try tool.write(secret: password + end, to: "password")
        try tool.write(secret: password, to: "bare")
        let kid = try SharedKeys.kid(0)
        for way in Self.ways {
            let export = try tool.run(
                ["keys", "export", "private.jwks", "--kid", kid] + way
                    + ["--password-file", "password", "--out", "key", "--force"])
            #expect(export.code == 0, "\(export.error)")
            let back = try tool.run(
                "keys", "import", "key", "--password-file", "bare", "--out", "back", "--force")
            #expect(back.code == 0, "\(way): \(back.error)")
            if way == ["--private"] {
                let text = try tool.openssl("pkey -in key -passin file:bare -noout -text")
                #expect(text.contains("Private-Key"))
            }
        }
    }

    @Test("A password file with public read or write permission encrypts no key")
    func modes() throws {
        let tool = try Tool.withKeys()
        let kid = try SharedKeys.kid(0)
        for (number, way) in Self.ways.enumerated() {
            for mode in [0o604, 0o602, 0o606, 0o644, 0o666, 0o444, 0o004, 0o777] {
                try tool.write(secret: "sesame\n", to: "password")
                try tool.mode(mode, of: "password")
                let response = try tool.run(
                    ["keys", "export", "private.jwks", "--kid", kid] + way
                        + ["--password-file", "password", "--out", "key\(number)"])
                #expect(
                    response.code != 0 && response.error.contains("chmod 600"), "\(response.error)")
                #expect(!response.error.contains("sesame") && !tool.exists("key\(number)"))
            }
            for mode in [0o600, 0o640, 0o660, 0o400] {
                try tool.write(secret: "sesame\n", to: "password")
                try tool.mode(mode, of: "password")
                let response = try tool.run(
                    ["keys", "export", "private.jwks", "--kid", kid] + way
                        + ["--password-file", "password", "--out", "key\(number)", "--force"])
                #expect(response.code == 0 && response.error.isEmpty, "\(response.error)")
            }
        }
    }

    @Test("For decryption a world-readable password file is a warning, a writable one an error")
    func modesOfReading() throws {
        let tool = try Tool.withKeys()
        let kid = try SharedKeys.kid(0)
        try tool.write(secret: "sesame\n", to: "password")
        try tool.run(
            "keys", "export", "private.jwks", "--kid", kid, "--pkcs12", "--password-file",
            "password", "--out", "key.p12")
        let words = [
            "keys", "import", "key.p12", "--password-file", "password", "--out", "own", "--force",
        ]
        for (mode, isRead, isWarned) in [
            (0o600, true, false), (0o640, true, false), (0o604, true, true), (0o444, true, true),
            (0o602, false, false), (0o666, false, false),
        ] {
            try tool.write(secret: "sesame\n", to: "password")
            try tool.mode(mode, of: "password")
            let response = try tool.run(words)
            #expect((response.code == 0) == isRead, "\(String(mode, radix: 8)): \(response.error)")
            #expect(response.error.contains("warning") == isWarned, "\(response.error)")
            #expect(response.error.contains("chmod 600") == (isWarned || !isRead))
        }
        // A pipe and standard input have no file mode.
        try tool.mode(0o600, of: "password")
        let piped = try tool.run(
            ["keys", "import", "key.p12", "--password-file", "-", "--out", "own", "--force"],
            input: Data("sesame\n".utf8))
        #expect(piped.code == 0 && piped.error.isEmpty, "\(piped.error)")
    }

    @Test("A password has at most 1,024 bytes and one line end")
    func sizes() throws {
        let tool = try Tool.withKeys()
        let kid = try SharedKeys.kid(0)
        for (text, isRight) in [
            (String(repeating: "a", count: 1_024), true),
            (String(repeating: "a", count: 1_024) + "\r\n", true),
            (String(repeating: "a", count: 1_025), false),
            (String(repeating: "a", count: 1_026) + "\n", false),
            (String(repeating: "a", count: 100_000), false),
        ] {
            try tool.write(secret: text, to: "password")
            let response = try tool.run(
                "keys", "export", "private.jwks", "--kid", kid, "--private", "--password-file",
                "password", "--out", "key", "--force")
            #expect((response.code == 0) == isRight, "\(text.utf8.count): \(response.error)")
            #expect(isRight || response.error.contains("1024"))
        }
    }

    @Test("A file that others encrypted with an empty password is read")
    func read() throws {
        let tool = try Tool.withKeys()
        let kid = try SharedKeys.kid(0)
        try tool.run(
            "keys", "export", "private.jwks", "--kid", kid, "--private", "--out", "key.pem")
        try tool.openssl("pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout pass: -out sealed.pem")
        try tool.write(secret: "\n", to: "password")
        let response = try tool.run(
            "keys", "import", "sealed.pem", "--password-file", "password", "--out", "own.jwks")
        #expect(response.code == 0, "\(response.error)")
    }
}
