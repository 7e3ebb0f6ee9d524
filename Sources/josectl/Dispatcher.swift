// From the words of the command line to a command and its exit code.

import JOSE
import JOSEBytes
import JOSECrypto

enum Dispatcher {
    /// Runs what the words ask for; says on standard error why it fails.
    nonisolated(nonsending) static func run(_ words: [String]) async -> ExitCode {
        Process.holdStandardStreams()
        Process.ignoreClosedPipes()
        do {
            try ExternalKeys.rejectPINs(in: words)
            try HostProcess.ignoreConfiguration()
            return try await dispatch(words[...])
        } catch {
            return fail(Output(command: "", isJSON: words.contains("--json")), error)
        }
    }

    nonisolated(nonsending) private static func dispatch(
        _ words: ArraySlice<String>
    ) async throws -> ExitCode {
        guard let first = words.first else {
            try Descriptor.error.write(Help.overview(Command.all))
            return .usage
        }
        switch first {
        case "--version":
            try Descriptor.output.write(Version.report)
            return .accepted
        case "--help", "-h", "help":
            if let command = find(words.dropFirst())?.command {
                try Descriptor.output.write(Help.of(command))
            } else {
                try Descriptor.output.write(Help.overview(Command.all))
            }
            return .accepted
        default: break
        }
        guard let (command, rest) = find(words) else {
            throw Command.unknown(words, among: Command.all)
        }
        return await run(command, rest)
    }

    /// Runs a command with what stands behind its name.
    nonisolated(nonsending) static func run(
        _ command: Command, _ words: ArraySlice<String>
    ) async -> ExitCode {
        var output = Output(
            command: command.name, options: command.options.map(\.name),
            isJSON: words.contains("--json"))
        do {
            let line = try ParsedLine(words, for: command)
            output = Output(
                command: command.name, options: output.options, isJSON: line.has("json"))
            if line.has("help") {
                try Descriptor.output.write(Help.of(command))
                return .accepted
            }
            let outputs = try Outputs(line, of: command)
            return try await command.run(
                Invocation(
                    commands: Command.all, line: line, output: output, outputs: outputs,
                    held: try ExternalKeys(line, of: command)))
        } catch {
            return fail(output, error)
        }
    }

    /// The command with the longest name that the words begin with.
    private static func find(
        _ words: ArraySlice<String>
    ) -> (command: Command, rest: ArraySlice<String>)? {
        for count in [2, 1] {
            let name = words.prefix(count).joined(separator: " ")
            if let command = Command.all.first(where: { $0.name == name }) {
                return (command, words.dropFirst(count))
            }
        }
        return nil
    }

    private static func fail(_ output: Output, _ error: any Error) -> ExitCode {
        switch error {
        case let error as UsageError:
            return usage(output, .misuse(error.message))
        case let failure as SystemError:
            say(output, failure.message)
            return .system
        default:
            guard let rejection = Rejection(any: error) else {
                say(output, "an unforeseen error")
                return .rejected
            }
            guard rejection.code != .misuse else { return usage(output, rejection) }
            return response(output, rejection)
        }
    }

    /// A rejection as the answer; what cannot be written ends as that.
    private static func response(_ output: Output, _ rejection: Rejection) -> ExitCode {
        do {
            try output.rejected(rejection)
        } catch {
            return fail(output, error)
        }
        return rejection.exitCode
    }

    /// Wrong usage: an answer in JSON, or a message with the way to the help.
    private static func usage(_ output: Output, _ rejection: Rejection) -> ExitCode {
        guard !output.isJSON else { return response(output, rejection) }
        let hint = output.command.isEmpty ? "" : " (see `josectl \(output.command) --help`)"
        say(output, rejection.message + hint)
        return .usage
    }

    private static func say(_ output: Output, _ text: String) {
        let name = output.command.isEmpty ? "josectl" : "josectl \(output.command)"
        try? Descriptor.error.write("\(name): \(text)\n")
    }
}
