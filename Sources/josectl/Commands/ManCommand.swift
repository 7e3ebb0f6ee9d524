// josectl man: the pages of the manual, as man reads them.

extension Command {
    static let manual = Command(
        name: "man",
        summary: "write a page of the manual, as roff",
        arguments: "[COMMAND]", argumentCount: 2,
        details: """
            Without COMMAND it is the page of the tool, with --list the names of all pages, each with its
            command behind it.
            """,
        options: [.flag("list", "the names of all pages")],
        example: "josectl man keys new | man -l -"
    ) { invocation in
        let name = invocation.line.arguments.joined(separator: " ")
        if invocation.line.has("list") {
            guard name.isEmpty else { throw UsageError("--list is of all commands") }
            let lines =
                ["josectl\n"] + invocation.commands.map { "\(Manual.name($0)) \($0.name)\n" }
            try invocation.print(lines.joined(), as: "pages")
            return .accepted
        }
        guard !name.isEmpty else {
            try invocation.print(Manual.overview(invocation.commands), as: "page")
            return .accepted
        }
        guard let command = invocation.commands.first(where: { $0.name == name }) else {
            throw unknown(invocation.line.arguments[...], among: invocation.commands)
        }
        try invocation.print(Manual.page(command), as: "page")
        return .accepted
    }
}
