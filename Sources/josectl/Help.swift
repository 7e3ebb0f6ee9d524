// The help, made from the same tables that the parser reads.

enum Help {
    static let version = "0.1.0"

    /// All commands.
    static var overview: String {
        var text = """
            usage: josectl COMMAND [OPTIONS] [FILE]

            Keys, tokens and answers of JOSE (RFC 7515 to 7519): made, opened, and refused with a reason.


            """
        let width = Command.all.map(\.name.count).max() ?? 0
        for command in Command.all {
            text += "  \(padded(command.name, width))  \(command.summary)\n"
        }
        return text + """

            `josectl COMMAND --help` shows options and an example. FILE `-` is standard input or output.
            Exit code: 0 accepted, 1 refused, 2 wrong usage, 3 nothing judged: cannot read or write, or unavailable.

            """
    }

    /// One command.
    static func of(_ command: Command) -> String {
        let arguments = command.arguments.isEmpty ? "" : " " + command.arguments
        var text = "usage: josectl \(command.name) [OPTIONS]\(arguments)\n\n"
        text += sentence(command.summary) + "\n"
        if !command.details.isEmpty { text += command.details + "\n" }
        text += "\n"
        let options = command.options + Option.everywhere
        let width = options.map(\.spelling.count).max() ?? 0
        for option in options {
            let alias = option.alias.map { "; --\($0) is the same" } ?? ""
            text += "  \(padded(option.spelling, width))  \(option.help)\(alias)\n"
        }
        return text + "\nExample:\n" + prompted(command.example) + "\n"
    }

    /// The lines to copy, each command behind a prompt, and what continues one below it.
    private static func prompted(_ example: String) -> String {
        var isContinued = false
        let lines = example.split(separator: "\n").map { line in
            defer { isContinued = line.hasSuffix("\\") }
            return isContinued ? "    " + line : "  $ " + line
        }
        return lines.joined(separator: "\n")
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }
}
