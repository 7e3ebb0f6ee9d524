// The help, generated from the table of commands.

enum Help {
    static let purpose =
        "Creates, checks and explains JOSE keys and tokens (JWK, JWS, JWE, JWT)."

    static let exitCodes: [(code: ExitCode, meaning: String)] = [
        (.accepted, "success; if something was checked, it was accepted"),
        (.rejected, "rejected, or a check failed"), (.usage, "wrong usage"),
        (.system, "not checked: a file, stream, PKCS#11 token or service is unavailable"),
    ]

    static func overview(_ commands: [Command]) -> String {
        var text = "usage: josectl COMMAND [OPTIONS] [FILE]\n\n\(purpose)\n\n"
        let width = commands.map(\.name.count).max() ?? 0
        for command in commands {
            text += "  \(padded(command.name, width))  \(command.summary)\n"
        }
        text += """

            `josectl help COMMAND` shows options and an example.
            FILE `-` is standard input or output.

            Exit codes:

            """
        for (code, meaning) in exitCodes { text += "  \(code.rawValue)  \(meaning)\n" }
        return text
    }

    static func of(_ command: Command) -> String {
        let arguments = command.arguments.isEmpty ? "" : " " + command.arguments
        var text = "usage: josectl \(command.name) [OPTIONS]\(arguments)\n\n"
        text += sentence(command.summary) + "\n"
        for paragraph in command.details.split(separator: "\n") {
            text += wrapped(String(paragraph), indent: 0) + "\n"
        }
        text += "\n"
        let width = command.allOptions.map(\.spelling.count).max() ?? 0
        for option in command.allOptions {
            text += "  \(padded(option.spelling, width))  "
            text += wrapped(option.description, indent: width + 4) + "\n"
        }
        return text + "\nExample:\n" + prompted(command.example) + "\n"
    }

    /// Breaks a text into lines of at most 90 columns; those after the first are indented.
    private static func wrapped(_ text: String, indent: Int) -> String {
        var (lines, column) = ("", indent)
        for word in text.split(separator: " ") {
            if column + word.count >= 90, column > indent {
                lines += "\n" + String(repeating: " ", count: indent)
                column = indent
            } else if column > indent {
                lines += " "
                column += 1
            }
            lines += word
            column += word.count
        }
        return lines
    }

    /// Puts a prompt before each command of an example and indents its other lines.
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
