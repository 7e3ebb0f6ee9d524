// The outputs of a command: found before its work, written after it, the private one first.

import JOSEBytes

/// Where a command writes to, by option; standard output where the option is absent or `-`.
struct Outputs {
    /// What goes to one of the places.
    struct Part {
        let option: String
        let bytes: [UInt8]
        let privacy: PendingFile.Privacy

        init(_ option: String, _ bytes: [UInt8], _ privacy: PendingFile.Privacy) {
            (self.option, self.bytes, self.privacy) = (option, bytes, privacy)
        }
    }
    private let places: [String: (path: String, place: OutputDestination)]
    private let standard: OutputDestination
    /// Whether what exists may be replaced.
    private let replaces: Bool

    /// Finds the places, and rejects those that must not be written to before any work is done.
    ///
    /// Throws `UsageError` where two are one file, `SystemError` where something is there and `--force` is not given.
    init(_ line: ParsedLine, of command: Command) throws {
        replaces = line.has("force")
        standard = try .standardOutput()
        var places: [String: (path: String, place: OutputDestination)] = [:]
        for option in Option.places where command.options.contains(where: { $0.name == option }) {
            let path = line[option] ?? "-"
            let place = path == "-" ? standard : try OutputDestination(path)
            if line[option] != nil {
                for (other, there) in places
                where line[other] != nil && there.place.isSame(as: place) {
                    throw UsageError("--\(other) and --\(option) are the same file")
                }
            }
            if case .name = place.target, place.isSame(as: standard) {
                throw UsageError("--\(option) and standard output are the same file")
            }
            places[option] = (path == "-" ? Descriptor.output.name : path, place)
        }
        self.places = places
        guard !replaces else { return }
        for (path, place) in places.values where place.isTaken { throw PendingFile.exists(path) }
    }

    /// Whether this goes to standard output, under whatever name.
    func isStandardOutput(_ option: String) -> Bool {
        guard let place = places[option]?.place else { return true }
        if case .stream(let stream, _) = place.target, stream.raw == Descriptor.output.raw {
            return true
        }
        return place.isSame(as: standard)
    }

    /// Whether this goes to a terminal, under whatever name.
    func isTerminal(_ option: String) -> Bool { (places[option]?.place ?? standard).isTerminal }

    /// Writes all parts: each whole before any takes its place, the private ones first.
    ///
    /// Where one cannot take its place, those before it stay: a new private file is never taken back.
    func write(_ parts: [Part]) throws {
        let ordered = parts.filter { $0.privacy == .secret } + parts.filter { $0.privacy == .open }
        let targets = ordered.map { places[$0.option] ?? (Descriptor.output.name, standard) }
        // What may wait without limit, or fail, comes before a secret is on disk: to open a pipe waits for its reader.
        let streams = targets.indices.filter { targets[$0].place.isStream }
        let made = targets.indices.filter { !targets[$0].place.isStream }
        var pending: [Int: PendingFile] = [:]
        for index in streams + made.reversed() {
            let (part, (path, place)) = (ordered[index], targets[index])
            pending[index] = try PendingFile(
                part.bytes, at: place, path, part.privacy, replaces: replaces)
        }
        let files = targets.indices.compactMap { index in
            pending[index].map { (targets[index].path, $0) }
        }
        var written: [String] = []
        for (path, file) in files {
            do {
                try file.commit()
            } catch let failure as SystemError where !written.isEmpty {
                let done = written.map { printable($0) }.joined(separator: ", ")
                throw SystemError(
                    failure.action, failure.name, reason: "\(failure.reason); written already: \(done)")
            }
            written.append(path)
        }
    }

    /// Writes the one result of a command to the place of `--out`.
    func write(_ bytes: [UInt8], _ privacy: PendingFile.Privacy) throws {
        try write([Part("out", bytes, privacy)])
    }
}
