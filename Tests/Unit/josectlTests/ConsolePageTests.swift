// Every console block of every page is run: by this test, by a test for its page, or by the named
// script.

import Foundation
import Testing

@Suite("Console blocks of the documentation") struct ConsolePageTests {
    /// Prefixes of commands that no test of the tool runs, and what runs them.
    private static let elsewhere = [
        "./dev ": "each is a check of its own, or starts servers for a person",
        "tools/run ": "each is a check of its own, or makes a release",
        "swift package ": "tools/run first-page",
        "sudo apt-get install ": "tools/run fresh",
        "orders-benchmark ": "tools/run performance-ci",
        "swift run -c release orders-benchmark": "tools/run performance-ci",
        "swift run provider ": "tools/run parties",
        "swift run relying-party ": "tools/run parties",
        "swift build": "tools/run key-service",
        "redis-server ": "the tests of JOSERedis, on ports of their own",
        ".build/debug/": "tools/run key-service",
    ]

    /// Pages whose blocks other tests run, since the test acts between them.
    private static let known = [
        Tool.keysArticle: "PublishRecipeTests", "Examples/Login/README.md": "login",
        "docs/josectl.md": "FirstStepsTests/page, ShellTests/page, TokenKeyTests/page",
        Tool.tokenArticle: "TokenKeyTests/page",
        "Sources/JOSEOpenID/JOSEOpenID.docc/LocalProvider.md": "tools/run parties",
        "Sources/JOSEOpenID/JOSEOpenID.docc/WebFrameworks.md": "tools/run frameworks",
    ]

    private static func commands(of page: String) throws -> [String] {
        try Tool.consoleExamples(of: page).filter { command in
            !elsewhere.keys.contains { command.hasPrefix($0) }
        }
    }

    @Test("every console block of the other pages runs as printed, in order") func run()
        throws
    {
        for page in try Tool.pages() where Self.known[page] == nil {
            let commands = try Self.commands(of: page)
            guard !commands.isEmpty else { continue }
            let tool = try Tool()
            try tool.write("hello\n", to: "payload")
            let response = try tool.runAll(commands)
            #expect(response.code == 0, "\(page): \(response.text)\(response.error)")
        }
    }

    @Test("each page with console blocks exists and has commands") func others() throws {
        let pages = try Tool.pages()
        for page in Self.known.keys {
            #expect(pages.contains(page), "\(page)")
            #expect(try !Self.commands(of: page).isEmpty, "\(page)")
        }
    }

    @Test("the shell commands of Examples/Login run as printed, its programs are started elsewhere")
    func login() throws {
        let tool = try Tool()
        let folder = Tool.root.appending(path: "Examples/Login")
        try FileManager.default.copyItem(
            at: folder.appending(path: "make-keys.sh"),
            to: tool.folder.appending(path: "make-keys.sh"))
        var commands: [String] = []
        // The same keys serve for an own provider and for the example's.
        for command in try Self.commands(of: "Examples/Login/README.md")
        where !commands.contains(command) {
            commands.append(command)
        }
        #expect(commands.count == 6)
        let built = "/path/to/swift-jose/.build/tool/release/josectl"
        #expect(commands[0].contains(built))
        commands[0] = commands[0].replacing(built, with: Tool.path.path)
        let response = try tool.runAll(["SECRET=word"] + commands, shell: "/bin/bash")
        #expect(response.code == 0, "\(response.text)\(response.error)")
        #expect(try tool.read("keys/client-secret") == "word")
        for file in [
            "op/provider.jwks", "op/idp.localhost.tls.key", "op/idp.localhost.tls.pem",
            "op/client-secret", "op/tls-root.pem", "op/keys-root.pem", "rp/relying-party.jwks",
            "rp/rp.localhost.tls.key", "rp/rp.localhost.tls.pem", "rp/client-secret",
        ] { #expect(tool.exists(file), "\(file)") }
    }

    @Test("every shell block is marked as console") func fences() throws {
        #expect(try Tool.otherFences() == [])
    }

    @Test("every command of the keys article is part of a recipe") func recipes() throws {
        let recipes = try ["publish-shell", "trust-shell"].flatMap {
            try Tool.consoleExamples(of: Tool.keysArticle, part: $0)
        }
        #expect(try Self.commands(of: Tool.keysArticle) == recipes)
    }

    @Test("each exempted prefix matches a command of a page") func excused() throws {
        let all = try Tool.pages().flatMap { try Tool.consoleExamples(of: $0) }
        for begin in Self.elsewhere.keys {
            #expect(all.contains { $0.hasPrefix(begin) }, "\(begin)")
        }
    }
}
