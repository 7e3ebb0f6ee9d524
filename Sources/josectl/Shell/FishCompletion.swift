// The completion for fish.

struct FishCompletion {
    let commands: [Command]

    var script: String {
        Shell.fish.heading() + """
            # Whether the words so far are just these.
            function __josectl_at
                set -l words (commandline -opc)
                set -e words[1]
                test "$words" = "$argv"
            end

            # Whether the command is this one.
            function __josectl_in
                set -l words (commandline -opc)
                set -e words[1]
                set -l count (count $argv)
                test (count $words) -ge $count; and test "$words[1..$count]" = "$argv"
            end

            complete -c josectl -f
            complete -c josectl -n __josectl_at -l help -d 'all commands'
            complete -c josectl -n __josectl_at -l version -d 'the versions'
            \(names)
            \(options)

            """
    }

    /// The names of the commands, at the beginning and behind `man` and `help`.
    private var names: String {
        ["", "man", "help"].flatMap { before in
            CommandWord.all(commands).flatMap { first in
                [line(before, first.word, first.summary)]
                    + first.seconds.map { second in
                        let words = [before, first.word].filter { !$0.isEmpty }
                        return line(words.joined(separator: " "), second.word, second.summary)
                    }
            }
        }.joined(separator: "\n")
    }

    private func line(_ before: String, _ word: String, _ summary: String) -> String {
        let condition = before.isEmpty ? "__josectl_at" : quoted("__josectl_at \(before)")
        return "complete -c josectl -n \(condition) -a \(word) -d \(quoted(summary))"
    }

    private var options: String {
        commands.flatMap { command in
            let condition = "complete -c josectl -n " + quoted("__josectl_in \(command.name)")
            var lines: [String] = []
            if command.argumentWords.isEmpty, command.takesFiles { lines.append("\(condition) -F") }
            if !command.argumentWords.isEmpty, command.argumentCount == 1 {
                let words = quoted(command.argumentWords.joined(separator: " "))
                let first = quoted("__josectl_at \(command.name)")
                lines.append("complete -c josectl -n \(first) -a \(words)")
            }
            for option in command.allOptions {
                let names = option.flags.map { "-l \($0.dropFirst(2))" }.joined(separator: " ")
                lines.append("\(condition) \(names)\(value(option)) -d \(quoted(option.help))")
            }
            return lines
        }.joined(separator: "\n")
    }

    private func value(_ option: Option) -> String {
        guard option.value != nil else { return "" }
        let words = option.words.all.joined(separator: " ")
        return switch option.words {
        case .closed, .open: " -x -a \(quoted(words))"
        case .several: " -x -a \(quoted("(__fish_append , \(words))"))"
        case .unknown where option.takesFile: " -r -F"
        case .unknown where option.takesFolder: " -x -a \(quoted("(__fish_complete_directories)"))"
        case .unknown: " -x"
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}
