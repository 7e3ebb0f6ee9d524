// Finds the command of a command line, runs it and reports its error.

import JOSE
import JOSEBytes
import JOSECrypto

enum Dispatcher {
    nonisolated(nonsending) static func run(_ words: [String]) async -> ExitCode {
        Process.reserveStandardStreams()
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
            guard words.count == 1 else {
                throw UsageError("--version takes no options")
            }
            try Descriptor.output.write(Version.report)
            return .accepted
        case "--help", "-h", "help":
            let rest = words.dropFirst()
            guard !rest.isEmpty else {
                try Descriptor.output.write(Help.overview(Command.all))
                return .accepted
            }
            guard let command = Command.find(rest, among: Command.all)?.command else {
                throw Command.unknown(rest, among: Command.all)
            }
            try Descriptor.output.write(Help.of(command))
            return .accepted
        case "__complete":
            try Descriptor.output.write(
                Completion(commands: Command.all).candidates(Array(words.dropFirst())))
            return .accepted
        default:
            guard let (command, rest) = Command.find(words, among: Command.all) else {
                throw Command.unknown(words, among: Command.all)
            }
            return await run(command, rest)
        }
    }

    nonisolated(nonsending) private static func run(
        _ command: Command, _ words: ArraySlice<String>
    ) async -> ExitCode {
        var output = Output(
            command: command.name, options: command.options.map(\.name),
            isJSON: words.contains("--json"))
        do {
            let line = try ParsedCommandLine(words, for: command)
            output = Output(
                command: command.name, options: output.options, isJSON: line.has("json"))
            if line.has("help") {
                try Descriptor.output.write(Help.of(command))
                return .accepted
            }
            // The provider must be chosen before the first use of libcrypto.
            if line.has("fips") { try useFIPSProvider(line["fips"]) }
            let outputs = try OutputFiles(line, of: command)
            return try await command.run(
                Invocation(
                    commands: Command.all, line: line, output: output, outputs: outputs,
                    externalKeys: try ExternalKeys(line, of: command)))
        } catch {
            return fail(output, error)
        }
    }

    /// Opens the configuration file first, so that a failure to open it has the system's reason.
    private static func useFIPSProvider(_ configuration: String?) throws {
        guard let path = configuration ?? FIPSLibrary.defaultConfiguration else {
            throw JOSEError.internalFailure
        }
        try Descriptor(reading: path).close()
        try Rejection.naming(path) { try FIPSProvider.load(configuration: path).useForProcess() }
    }

    private static func fail(_ output: Output, _ error: any Error) -> ExitCode {
        switch error {
        case let error as UsageError:
            return usage(output, .misuse(error.message))
        case let failure as SystemError:
            report(output, failure.message)
            return .system
        default:
            guard let rejection = Rejection(any: error) else {
                report(output, "unexpected error")
                return .rejected
            }
            guard rejection.code != .misuse else { return usage(output, rejection) }
            return reject(output, rejection)
        }
    }

    /// If writing fails, reports that failure and returns its exit code.
    private static func reject(_ output: Output, _ rejection: Rejection) -> ExitCode {
        do {
            try output.rejected(rejection)
        } catch {
            return fail(output, error)
        }
        return rejection.exitCode
    }

    private static func usage(_ output: Output, _ rejection: Rejection) -> ExitCode {
        guard !output.isJSON else { return reject(output, rejection) }
        let hint = output.command.isEmpty ? "" : " (see `josectl help \(output.command)`)"
        report(output, rejection.message + hint)
        return .usage
    }

    private static func report(_ output: Output, _ text: String) {
        let name = output.command.isEmpty ? "josectl" : "josectl \(output.command)"
        try? Descriptor.error.write("\(name): \(text)\n")
    }
}
