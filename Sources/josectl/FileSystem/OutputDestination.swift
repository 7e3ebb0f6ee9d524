// Resolves the path of an output once, link by link, so that later changes of the path have no
// effect.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where a command writes: a stream that was open at the start, or a name in a directory that is
/// found once and kept open.
struct OutputDestination {
    enum Target {
        /// A name in a directory, and its current status.
        case name(Directory, String, FileStatus?)
        /// A stream that was open when the tool started; `isNamed` if a path led to it.
        case stream(Descriptor, isNamed: Bool)
    }
    let target: Target
    /// The current status; nil if nothing exists there.
    let status: FileStatus?

    /// The maximum number of links on a path, as in the kernel.
    private static let maxLinks = 40

    static func standardOutput() throws -> OutputDestination {
        try OutputDestination(stream: .output, isNamed: false)
    }

    private init(stream: Descriptor, isNamed: Bool) throws {
        guard let status = FileStatus(of: stream.raw) else {
            throw SystemError(.write, stream.name)
        }
        (target, self.status) = (.stream(stream, isNamed: isNamed), status)
    }

    /// Resolves a path.
    ///
    /// - Throws: `SystemError` if that fails, or if an entry is not trusted: see
    ///   `Directory.trusts`.
    init(_ path: String) throws {
        guard !path.isEmpty else { throw SystemError(.write, path, error: ENOENT) }
        var directory = try Directory(path.utf8.first == UInt8(ascii: "/") ? "/" : ".", for: path)
        var rest = OutputDestination.parts(path)
        var links = 0
        while let name = rest.popLast() {
            if rest.isEmpty, let number = Int32(name), try directory.isOfDescriptors {
                self = try OutputDestination(descriptor: number, path)
                return
            }
            let found = try directory.entry(name)
            if let found, !directory.trusts(found.status) {
                throw SystemError(
                    .write, path,
                    reason: "another user owns '\(printable(name))' in a shared directory")
            }
            if let link = found?.link {
                links += 1
                guard links <= OutputDestination.maxLinks else {
                    throw SystemError(.write, path, error: ELOOP)
                }
                if link.utf8.first == UInt8(ascii: "/") {
                    directory = try Directory("/", for: path)
                }
                rest += OutputDestination.parts(link)
            } else if found?.status.kind == .directory {
                directory = try directory.directory(name)
            } else {
                guard rest.isEmpty else {
                    throw SystemError(.write, path, error: found == nil ? ENOENT : ENOTDIR)
                }
                (target, status) = (.name(directory, name, found?.status), found?.status)
                return
            }
        }
        throw SystemError(.write, path, error: EISDIR)
    }

    /// A descriptor that the tool was started with, as in `/dev/stdout` or `/dev/fd/3`.
    private init(descriptor raw: Int32, _ path: String) throws {
        // The tool's own descriptors are close-on-exec, so this accepts only inherited ones.
        guard fcntl(raw, F_GETFD) == 0 else { throw SystemError(.write, path, error: EBADF) }
        try self.init(stream: Descriptor(raw: raw, name: path), isNamed: true)
    }

    /// The names of a path, last one first; a trailing slash adds `.`, so that the path must lead
    /// to a directory.
    private static func parts(_ path: String) -> [String] {
        let names = path.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
        return (path.utf8.last == UInt8(ascii: "/") ? names + ["."] : names).reversed()
    }

    /// Whether both are the same file: by identity, or by directory and name if nothing exists.
    func isSame(as other: OutputDestination) -> Bool {
        if let status, let other = other.status {
            return status.identity == other.identity && !status.isNull
        }
        guard case .name(let directory, let name, _) = target,
            case .name(let otherDirectory, let otherName, _) = other.target
        else { return false }
        // Names are bytes to the kernel: two encodings of one letter are two files.
        return directory.status.identity == otherDirectory.status.identity
            && name.utf8.elementsEqual(otherName.utf8)
    }

    /// Whether it is a pipe, device or open stream, where writing may block.
    var isStream: Bool {
        switch target {
        case .stream: true
        case .name(_, _, let status): status.map { $0.kind != .regular } ?? false
        }
    }

    /// Whether it is a terminal, by any path, link or descriptor.
    ///
    /// A character device that is not open yet counts as a terminal, since it may be one.
    var isTerminal: Bool {
        switch target {
        case .stream(let stream, _): stream.isTerminal
        case .name(_, _, let status):
            status.map { $0.isCharacterDevice && !$0.isNull } ?? false
        }
    }

    /// Whether writing would destroy data.
    var isTaken: Bool {
        switch target {
        case .name(_, _, let status): return status?.kind == .regular || status?.kind == .disk
        case .stream(let stream, let isNamed):
            // A file that the shell truncated or opened to append loses nothing.
            guard isNamed, let status, status.kind == .regular else { return false }
            return fcntl(stream.raw, F_GETFL) & O_APPEND == 0
                && lseek(stream.raw, 0, SEEK_CUR) < status.size
        }
    }
}
