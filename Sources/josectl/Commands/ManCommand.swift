// josectl man: writes manual pages in roff.

extension Command {
    static let manual = Command(
        name: "man",
        summary: "write a manual page in roff",
        arguments: "[COMMAND]", maxArguments: 2,
        details: "Without COMMAND, the page is the overview of the tool.",
        options: [.flag("list", "list the names of all pages, each with its command")],
        example: "josectl man keys new | man -l -"
    ) { invocation in
        let name = invocation.line.arguments.joined(separator: " ")
        if invocation.line.has("list") {
            guard name.isEmpty else { throw UsageError("--list takes no COMMAND") }
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
