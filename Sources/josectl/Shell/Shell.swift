// The shells whose completion the tool writes from its own table.

/// A shell that completes command lines.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that teaches the shell these commands, with their options and values.
    func completion(_ commands: [Command]) -> String {
        switch self {
        case .bash: BashCompletion(commands: commands).script
        case .zsh: ZshCompletion(commands: commands).script
        case .fish: FishCompletion(commands: commands).script
        }
    }

    /// The first lines of a script.
    func heading(behind first: String = "") -> String {
        first + "# Completion of josectl \(Version.number) for \(self), "
            + "written by `josectl completion \(self)`.\n\n"
    }
}

/// The commands by their first words.
struct CommandWord {
    let word: String
    let summary: String
    /// The second words, where the first is the name of a group.
    var seconds: [(word: String, summary: String)] = []

    /// All first words, in the order of the table.
    static func all(_ commands: [Command]) -> [CommandWord] {
        var words: [CommandWord] = []
        for command in commands {
            let parts = command.name.split(separator: " ").map(String.init)
            guard parts.count > 1 else {
                words.append(CommandWord(word: parts[0], summary: command.summary))
                continue
            }
            let index = words.firstIndex { $0.word == parts[0] } ?? words.endIndex
            if index == words.endIndex {
                words.append(CommandWord(word: parts[0], summary: ""))
            }
            words[index].seconds.append((parts[1], command.summary))
        }
        return words.map { word in
            guard !word.seconds.isEmpty else { return word }
            let names = word.seconds.map(\.word).joined(separator: ", ")
            return CommandWord(word: word.word, summary: names, seconds: word.seconds)
        }
    }
}

extension Command {
    /// Its own options and those of every command.
    var allOptions: [Option] { options + Option.everywhere }
}

extension Option {
    /// Its names with their dashes.
    var flags: [String] { ["--" + name] + (alias.map { ["--" + $0] } ?? []) }
}

/// A text between single quotes of a POSIX shell.
func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
}
