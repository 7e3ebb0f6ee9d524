// Where a command writes: finds the file, pipe, device or open stream of a path.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The destination of an output, found before the command works.
struct OutputDestination {
    enum Target {
        /// A regular file that exists or will be created: its directory without links, and its
        /// name.
        case file(directory: String, name: String)
        /// A pipe or device, opened when the output is written.
        case device
        /// A stream that was open when the tool started; `isNamed` if a path led to it.
        case stream(Descriptor, isNamed: Bool)
    }
    let target: Target
    /// The current status; nil if nothing exists there.
    let status: FileStatus?
    /// The path as the caller gave it, or the name of standard output.
    let path: String

    static func standardOutput() throws -> OutputDestination {
        try OutputDestination(stream: .output, isNamed: false)
    }

    private init(stream: Descriptor, isNamed: Bool) throws {
        guard let status = FileStatus(of: stream.raw) else {
            throw SystemError(.write, stream.name)
        }
        (target, self.status, path) = (.stream(stream, isNamed: isNamed), status, stream.name)
    }

    /// Finds the destination of a path. Links are followed if they lead to something.
    ///
    /// - Throws: `SystemError` if the path is empty or a directory, or if its directory does not
    ///   exist.
    init(_ path: String) throws {
        if let raw = OutputDestination.descriptor(path) {
            // The tool's own descriptors are close-on-exec, so this accepts only inherited ones.
            guard fcntl(raw, F_GETFD) == 0 else { throw SystemError(.write, path, error: EBADF) }
            self = try OutputDestination(stream: Descriptor(raw: raw, name: path), isNamed: true)
            return
        }
        status = FileStatus(at: path)
        guard status != nil || errno == ENOENT else { throw SystemError(.write, path) }
        guard status?.kind != .directory else { throw SystemError(.write, path, error: EISDIR) }
        self.path = path
        guard status == nil || status?.kind == .regular else {
            target = .device
            return
        }
        // A link to an existing file stays, and the file is replaced.
        let full = status == nil ? path : try OutputDestination.resolved(path, path)
        let slash = full.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = String(slash.map { full[full.utf8.index(after: $0)...] } ?? full[...])
        guard !name.isEmpty else {
            throw SystemError(.write, path, error: full.isEmpty ? ENOENT : EISDIR)
        }
        let parent = slash.map { String(full[...$0]) } ?? "."
        target = .file(directory: try OutputDestination.resolved(parent, path), name: name)
    }

    /// The number in `/dev/stdout`, `/dev/stderr`, `/dev/fd/N` or `/proc/self/fd/N`.
    private static func descriptor(_ path: String) -> Int32? {
        if path == "/dev/stdout" { return STDOUT_FILENO }
        if path == "/dev/stderr" { return STDERR_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.begins(with: folder) {
            return Int32(path.dropFirst(folder.count)) ?? -1
        }
        return nil
    }

    /// Returns the absolute path without links, `.` and `..`.
    private static func resolved(_ path: String, _ given: String) throws -> String {
        // Safe: `realpath` allocates its result, which is copied and freed here.
        guard let text = unsafe realpath(path, nil) else { throw SystemError(.write, given) }
        defer { unsafe free(text) }
        guard let full = unsafe String(validatingCString: text) else {
            throw SystemError(.write, given, error: EILSEQ)
        }
        return full
    }

    /// Whether both are one file: by identity, or by directory and name if nothing exists. False
    /// for the null device.
    func isSame(as other: OutputDestination) -> Bool {
        if let status, let other = other.status {
            return status.identity == other.identity && !status.isNullDevice
        }
        guard case .file(let directory, let name) = target,
            case .file(let otherDirectory, let otherName) = other.target
        else { return false }
        // Names are bytes to the kernel: two encodings of one letter are two files.
        return directory.utf8.elementsEqual(otherDirectory.utf8)
            && name.utf8.elementsEqual(otherName.utf8)
    }

    /// Whether it is a pipe, device or open stream, where writing may block.
    var isStream: Bool {
        if case .file = target { false } else { true }
    }

    /// Whether it is a terminal, by any path, link or descriptor.
    ///
    /// A character device that is not open yet counts as a terminal, since it may be one.
    var isTerminal: Bool {
        if case .stream(let stream, _) = target { return stream.isTerminal }
        return status.map { $0.isCharacterDevice && !$0.isNullDevice } ?? false
    }

    /// Whether writing would destroy data.
    var isTaken: Bool {
        guard case .stream(let stream, let isNamed) = target else {
            return status?.kind == .regular || status?.kind == .disk
        }
        // A file that the shell truncated or opened to append loses nothing.
        guard isNamed, let status, status.kind == .regular else { return false }
        return fcntl(stream.raw, F_GETFL) & O_APPEND == 0
            && lseek(stream.raw, 0, SEEK_CUR) < status.size
    }
}
