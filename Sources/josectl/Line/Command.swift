// A command of the tool, as data: the table lists them, the help prints them, the parser reads their options.

import JOSEBytes

/// One command.
struct Command: Sendable {
    /// One or two words, such as `keys new`.
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The arguments behind the options, such as `[FILE]`; empty where there are none.
    var arguments = ""
    /// How many of them there may be.
    var argumentCount = 0
    /// What the first of them may be, where it is no file.
    var argumentWords: [String] = []
    /// What the summary leaves open, if anything.
    var details = ""
    let options: [Option]
    /// Whether its lines name keys, and not the command line alone.
    var isFedWithKeys = false
    /// A line or more to copy.
    let example: String
    /// On the caller's thread; most commands wait for nothing.
    let run: nonisolated(nonsending) @Sendable (Invocation) async throws -> ExitCode
}

extension Command {
    /// Whether an argument may be the name of a file.
    var takesFiles: Bool { arguments.contains("FILE") }
}

/// A command with what the user gave it.
struct Invocation: Sendable {
    /// All commands, for those that tell of them.
    let commands: [Command]
    let line: ParsedLine
    let output: Output
    let outputs: Outputs
    /// The keys of the module that the line names; nil where it names none.
    let held: ExternalKeys?
}

extension Command {
    /// What to say of words that begin no command, or several.
    static func unknown(_ words: ArraySlice<String>, among commands: [Command]) -> UsageError {
        let first = words.first ?? ""
        let group = commands.filter { $0.name.hasPrefix(first + " ") }.map(\.name)
        guard group.isEmpty else {
            return UsageError("say which: \(group.joined(separator: ", "))")
        }
        return UsageError(
            "unknown command \(UsageError.shown(first)); `josectl --help` lists them")
    }
}
