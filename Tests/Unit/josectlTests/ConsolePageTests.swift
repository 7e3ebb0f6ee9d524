// Every console block of every page is run: here, by a test that knows its page, or by what is named.

import Testing

@Suite("console blocks of the pages") struct ConsolePageTests {
    /// Commands that no test of the tool runs, by how they begin, and what runs them.
    private static let elsewhere = [
        "./dev ": "each is a gate of its own, or starts servers for a person",
        "swift package ": "./dev first-page",
        "swift run ": "./dev first-page",
        "orders-benchmark ": "./dev performance-ci",
    ]

    /// Pages whose blocks other tests run, since something happens between them.
    private static let known = [
        Tool.keysArticle: "PublishRecipeTests", "docs/josectl.md": "FirstStepsTests/page",
        Tool.tokenArticle: "TokenKeyTests/page",
    ]

    private static func commands(of page: String) throws -> [String] {
        try Tool.consoleExamples(of: page).filter { command in
            !elsewhere.keys.contains { command.hasPrefix($0) }
        }
    }

    @Test("the blocks of each other page run as they stand, one behind the other") func run()
        throws
    {
        for page in try Tool.pages() where Self.known[page] == nil {
            let commands = try Self.commands(of: page)
            guard !commands.isEmpty else { continue }
            let tool = try Tool()
            try tool.write("hello\n", to: "payload")
            let answer = try tool.runAll(commands)
            #expect(answer.code == 0, "\(page): \(answer.text)\(answer.error)")
        }
    }

    @Test("each page that another test runs is there, with commands") func others() throws {
        let pages = try Tool.pages()
        for page in Self.known.keys {
            #expect(pages.contains(page), "\(page)")
            #expect(try !Self.commands(of: page).isEmpty, "\(page)")
        }
    }

    @Test("every command of the article on keys is one of a recipe") func recipes() throws {
        let recipes = try ["publish-shell", "trust-shell"].flatMap {
            try Tool.consoleExamples(of: Tool.keysArticle, part: $0)
        }
        #expect(try Self.commands(of: Tool.keysArticle) == recipes)
    }

    @Test("each beginning that is excused is one of a page's commands") func excused() throws {
        let all = try Tool.pages().flatMap { try Tool.consoleExamples(of: $0) }
        for begin in Self.elsewhere.keys {
            #expect(all.contains { $0.hasPrefix(begin) }, "\(begin)")
        }
    }
}
