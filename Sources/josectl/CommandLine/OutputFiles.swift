// Finds the destinations of a command's outputs, and writes the outputs in a safe order.

import JOSEBytes

/// The destinations of a command's outputs, by option.
struct OutputFiles {
    struct Part {
        let option: String
        let bytes: [UInt8]
        let privacy: PendingFile.Privacy

        init(_ option: String, _ bytes: [UInt8], _ privacy: PendingFile.Privacy) {
            (self.option, self.bytes, self.privacy) = (option, bytes, privacy)
        }
    }
    private let outputs: [String: OutputDestination]
    private let standard: OutputDestination
    /// Whether existing files may be replaced (`--force`).
    private let replaces: Bool

    /// Finds the destinations and rejects unsafe ones before any work is done.
    ///
    /// An option that is absent or `-` means standard output.
    ///
    /// - Throws: `UsageError` if two outputs are the same file; `SystemError` if a file exists and
    ///   `--force` is not given.
    init(_ line: ParsedCommandLine, of command: Command) throws {
        replaces = line.has("force")
        standard = try .standardOutput()
        var outputs: [String: OutputDestination] = [:]
        for option in Option.outputNames
        where command.options.contains(where: { $0.name == option }) {
            let path = line[option] ?? "-"
            let output = path == "-" ? standard : try OutputDestination(path)
            for (other, existing) in outputs where line[option] != nil && line[other] != nil {
                if existing.isSame(as: output) {
                    throw UsageError("--\(other) and --\(option) are the same file")
                }
            }
            if case .file = output.target, output.isSame(as: standard) {
                throw UsageError("--\(option) and standard output are the same file")
            }
            outputs[option] = output
        }
        self.outputs = outputs
        guard !replaces else { return }
        for destination in outputs.values where destination.isTaken {
            throw PendingFile.exists(destination.path)
        }
    }

    /// Whether the output is standard output, by any path or descriptor.
    func isStandardOutput(_ option: String) -> Bool {
        guard let destination = outputs[option] else { return true }
        if case .stream(let stream, _) = destination.target, stream.raw == Descriptor.output.raw {
            return true
        }
        return destination.isSame(as: standard)
    }

    /// Whether the output is a terminal, by any path or descriptor.
    func isTerminal(_ option: String) -> Bool {
        (outputs[option] ?? standard).isTerminal
    }

    /// Writes all parts: prepares each one, then moves them into place, private ones first.
    ///
    /// If moving one fails, those moved earlier stay: a new private file is never removed.
    func write(_ parts: [Part]) throws {
        let ordered = parts.filter { $0.privacy == .secret } + parts.filter { $0.privacy == .open }
        let targets = ordered.map { outputs[$0.option] ?? standard }
        // The order of preparation: streams, public files, private files. Opening a pipe may fail,
        // or wait for its reader without limit, and a secret must not be on disk meanwhile.
        let streams = targets.indices.filter { targets[$0].isStream }
        let files = targets.indices.filter { !targets[$0].isStream }
        var pending: [Int: PendingFile] = [:]
        for index in streams + files.reversed() {
            pending[index] = try PendingFile(
                ordered[index].bytes, at: targets[index], ordered[index].privacy,
                replaces: replaces)
        }
        var written: [String] = []
        for index in targets.indices {
            do {
                try pending[index]?.commit()
            } catch let failure as SystemError where !written.isEmpty {
                let done = written.map { printable($0) }.joined(separator: ", ")
                throw SystemError(
                    failure.action, failure.name,
                    reason: "\(failure.reason); already written: \(done)")
            }
            written.append(targets[index].path)
        }
    }

    /// Writes the only result of a command to the output of `--out`.
    func write(_ bytes: [UInt8], _ privacy: PendingFile.Privacy) throws {
        try write([Part("out", bytes, privacy)])
    }
}
