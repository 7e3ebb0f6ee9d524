// Manual pages in roff: one for the tool, one for each command.

enum Manual {
    /// The name of a page, such as `josectl-keys-new`; `josectl` for the overview.
    static func name(_ command: Command?) -> String {
        (["josectl"] + (command?.name.split(separator: " ").map(String.init) ?? []))
            .joined(separator: "-")
    }

    static func overview(_ commands: [Command]) -> String {
        var page = heading(nil, "create, check, sign, encrypt and explain JOSE keys and tokens")
        page += ".SH SYNOPSIS\n.B josectl\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n"
        page += ".SH DESCRIPTION\n" + paragraph(Help.purpose)
        page += paragraph(
            "A FILE of `-` is standard input or output. Results go to standard output, messages to "
                + "standard error."
        )
        page += ".SH COMMANDS\n"
        for command in commands {
            page += ".TP\n.B josectl \(escaped(command.name))\n"
            page += paragraph(Help.sentence(command.summary))
        }
        page += exitStatus
        page += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n"
        page += paragraph(
            "If it is set and not empty, output has no colour. TERM=dumb has the same effect."
        )
        let others = commands.map { ".BR \(escaped(name($0))) (1)" }
        return page + ".SH SEE ALSO\n" + others.joined(separator: ",\n") + "\n"
    }

    static func page(_ command: Command) -> String {
        var page = heading(command, command.summary)
        page += ".SH SYNOPSIS\n.B josectl \(escaped(command.name))\n[\\fIOPTIONS\\fR]"
        page += command.arguments.isEmpty ? "\n" : " \(escaped(command.arguments))\n"
        page += ".SH DESCRIPTION\n" + paragraph(Help.sentence(command.summary))
        for paragraph in command.details.split(separator: "\n") {
            page += ".PP\n" + text(String(paragraph))
        }
        page += ".SH OPTIONS\n"
        for option in command.allOptions {
            let form = option.value.map { "\\fI\(escaped($0))\\fR" } ?? ""
            let value = option.isValueOptional ? "[=\(form)]" : form.isEmpty ? "" : " " + form
            page += ".TP\n\\fB\(escaped("--" + option.name))\\fR\(value)\n"
            page += paragraph(option.description + ".")
        }
        page += ".SH EXAMPLE\n.nf\n"
        for line in command.example.split(separator: "\n") { page += text(String(line)) }
        return page + ".fi\n" + exitStatus + ".SH SEE ALSO\n.BR josectl (1)\n"
    }

    private static func heading(_ command: Command?, _ summary: String) -> String {
        let title = escaped(name(command).uppercased())
        return ".TH \(title) 1 \"\" \"josectl \(escaped(Version.number))\" \"josectl\"\n"
            + ".SH NAME\n\(escaped(name(command))) \\- \(escaped(summary))\n"
    }

    private static let exitStatus = {
        ".SH EXIT STATUS\n"
            + Help.exitCodes.map { code, meaning in
                ".TP\n.B \(code.rawValue)\n" + paragraph(Help.sentence(meaning))
            }.joined()
    }()

    private static func paragraph(_ words: String) -> String {
        words.split(separator: "\n").map { text(String($0)) }.joined()
    }

    /// Prevents roff from reading the line as a request.
    private static func text(_ line: String) -> String {
        let isRequest = line.hasPrefix(".") || line.hasPrefix("'")
        return (isRequest ? "\\&" : "") + escaped(line) + "\n"
    }

    /// Escapes the characters that roff interprets, and all beyond ASCII.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "`": "\\(ga"
            case "'": "\\(aq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(String(scalar.value, radix: 16, uppercase: true).paddedToFour)]"
            }
        }.joined()
    }
}

extension String {
    /// Pads to at least four digits, as roff names characters.
    fileprivate var paddedToFour: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
