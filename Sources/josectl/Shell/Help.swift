// The help, made from the same tables that the parser reads.

enum Help {
    static let purpose = """
        Keys, tokens and answers of JOSE (RFC 7515 to 7519): made, opened, and rejected with a reason.
        """

    /// What the exit codes mean.
    static let exitCodes: [(code: ExitCode, meaning: String)] = [
        (.accepted, "accepted"), (.rejected, "rejected"), (.usage, "wrong usage"),
        (.system, "nothing judged: cannot read or write, or unavailable"),
    ]

    /// All commands.
    static func overview(_ commands: [Command]) -> String {
        var text = "usage: josectl COMMAND [OPTIONS] [FILE]\n\n\(purpose)\n\n"
        let width = commands.map(\.name.count).max() ?? 0
        for command in commands {
            text += "  \(padded(command.name, width))  \(command.summary)\n"
        }
        let codes = exitCodes.map { "\($0.code.rawValue) \($0.meaning)" }
        return text + """

            `josectl COMMAND --help` shows options and an example. FILE `-` is standard input or output.
            Exit code: \(codes.joined(separator: ", ")).

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
            text += "  \(padded(option.spelling, width))  \(option.sentence)\n"
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

    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }
}
