// A command of josectl as data, from which help, completion and the parser read.

import JOSEBytes

struct Command: Sendable {
    /// One or two words, such as `keys new`.
    let name: String
    let summary: String
    /// The arguments in the help, such as `[FILE]`; empty if the command takes none.
    var arguments = ""
    var maxArguments = 0
    /// The values that the first argument may have, if it is not a file.
    var argumentValues: [String] = []
    /// Paragraphs of the help after the summary, one a line.
    var details = ""
    let options: [Option]
    /// Whether the input may name keys by pkcs11: URIs, as requests of `batch` do.
    var readsKeysFromInput = false
    let example: String
    /// Runs on the caller's thread, since most commands wait for nothing.
    let run: nonisolated(nonsending) @Sendable (Invocation) async throws -> ExitCode

    var takesFiles: Bool { arguments.contains("FILE") }

    var allOptions: [Option] { options + Option.everywhere }

    /// Returns the command with the longest name that the words begin with.
    static func find(
        _ words: ArraySlice<String>, among commands: [Command]
    ) -> (command: Command, rest: ArraySlice<String>)? {
        for count in [2, 1] {
            let name = words.prefix(count).joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) {
                return (command, words.dropFirst(count))
            }
        }
        return nil
    }

    static func unknown(_ words: ArraySlice<String>, among commands: [Command]) -> UsageError {
        let first = words.first ?? ""
        let group = commands.filter { $0.name.hasPrefix(first + " ") }.map(\.name)
        guard group.isEmpty else {
            return UsageError("incomplete command; use one of: \(group.joined(separator: ", "))")
        }
        return UsageError(
            "unknown command \(UsageError.shown(first)); `josectl help` lists the commands")
    }
}

struct Invocation: Sendable {
    let commands: [Command]
    let line: ParsedCommandLine
    let output: Output
    let outputs: OutputFiles
    /// Nil without `--module`.
    let externalKeys: ExternalKeys?
}
