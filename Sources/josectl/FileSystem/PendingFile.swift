// Files that appear complete or not at all: written under a temporary name, then renamed.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An output that is written but not yet in place.
///
/// A file has a temporary name in the same directory until `commit` renames it; without `commit` it
/// is removed. A terminal, pipe or device is opened here and written to by `commit`.
final class PendingFile {
    /// Who may read the file.
    enum Privacy {
        /// Only the owner: mode 0600.
        case secret
        /// All users whom the umask allows. The mode gives group and others no permission that the
        /// replaced file did not give.
        case open
    }

    private enum State {
        case file(temporary: String, final: String, directory: String)
        case stream(Descriptor, [UInt8], closes: Bool)
        case done
    }
    private var state: State
    private let path: String
    private let replaces: Bool

    /// Writes a temporary file, or opens the stream of the destination.
    ///
    /// - Parameter replaces: Whether an existing file may be replaced.
    init(
        _ bytes: [UInt8], at destination: OutputDestination, _ privacy: Privacy, replaces: Bool
    ) throws {
        path = destination.path
        self.replaces = replaces
        guard replaces || !destination.isTaken else { throw PendingFile.exists(path) }
        switch destination.target {
        case .stream(let stream, _):
            state = .stream(stream, bytes, closes: false)
        case .device:
            let stream = try PendingFile.open(destination, privacy, replaces: replaces)
            state = .stream(stream, bytes, closes: true)
        case .file(let directory, let name):
            let temporary = try PendingFile.write(
                bytes, in: directory, path, privacy, over: destination.status)
            state = .file(
                temporary: temporary, final: "\(directory)/\(name)", directory: directory)
        }
    }

    /// Renames the file, or writes to the stream.
    func commit() throws {
        switch state {
        case .done: return
        case .stream(let stream, let bytes, _): try stream.write(bytes)
        case .file(let temporary, let final, let directory):
            // Safe: the texts outlive the calls, here and below. Without --force, a file that was
            // created meanwhile is never replaced.
            guard unsafe (replaces ? rename(temporary, final) : link(temporary, final)) == 0 else {
                throw errno == EEXIST ? PendingFile.exists(path) : SystemError(.write, path)
            }
            if !replaces { _ = unsafe unlink(temporary) }
            state = .done
            try PendingFile.synchronize(directory, path)
        }
    }

    deinit {
        switch state {
        case .file(let temporary, _, _): _ = unsafe unlink(temporary)
        case .stream(let stream, _, closes: true): stream.close()
        case .stream, .done: break
        }
    }

    static func exists(_ path: String) -> SystemError {
        SystemError(.write, path, reason: "it already exists (--force replaces it)")
    }

    /// Opens a pipe or device whose status was checked before.
    private static func open(
        _ destination: OutputDestination, _ privacy: Privacy, replaces: Bool
    ) throws -> Descriptor {
        let (path, expected) = (destination.path, destination.status)
        // The owner of a pipe may be its reader.
        let isForeign = expected?.kind == .pipe && expected?.owner != geteuid()
        guard privacy == .open || replaces || !isForeign else {
            throw SystemError(
                .write, path, reason: "the pipe belongs to another user (--force writes to it)")
        }
        let file = openDescriptor(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(.write, path) }
        guard FileStatus(of: file)?.identity == expected?.identity else {
            closeDescriptor(file)
            throw SystemError(.write, path, reason: "it was replaced by another file")
        }
        return Descriptor(raw: file, name: path)
    }

    /// Writes the bytes to a new file, waits until they are on disk and returns its path.
    private static func write(
        _ bytes: [UInt8], in directory: String, _ path: String, _ privacy: Privacy,
        over old: FileStatus?
    ) throws -> String {
        // No permission for group and others that the replaced file did not give.
        let mode = privacy == .secret ? 0o600 : 0o666 & ((old?.mode ?? 0o666) | 0o600)
        let temporary = "\(directory)/.josectl-\(UInt64.random(in: 0 ... .max))~"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let raw = openDescriptor(temporary, flags, mode)
        guard raw >= 0 else { throw SystemError(.write, path) }
        let file = Descriptor(raw: raw, name: path)
        defer { file.close() }
        do {
            try fill(file, bytes, path, privacy)
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        return temporary
    }

    /// Waits until the entries of a directory are on disk.
    private static func synchronize(_ directory: String, _ path: String) throws {
        let list = openDescriptor(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard list >= 0 else {
            // Without the permission to list, waiting is impossible; the entries exist anyway.
            guard errno == EACCES else { throw SystemError(.write, path) }
            return
        }
        defer { closeDescriptor(list) }
        // Some file systems do not support this.
        guard fsync(list) == 0 || errno == EINVAL || errno == EROFS else {
            throw SystemError(.write, path)
        }
    }

    /// Writes the bytes and waits until they are on disk. An error of `close` has no meaning after
    /// that.
    private static func fill(
        _ file: Descriptor, _ bytes: [UInt8], _ path: String, _ privacy: Privacy
    ) throws {
        if privacy == .secret { try keepToOwner(file, path) }
        try file.write(bytes)
        guard fsync(file.raw) == 0 else { throw SystemError(.write, path) }
    }

    /// Sets mode 0600, whatever the umask removes or the file system adds.
    private static func keepToOwner(_ file: Descriptor, _ path: String) throws {
        guard let made = FileStatus(of: file.raw) else { throw SystemError(.write, path) }
        guard made.mode != 0o600 else { return }
        guard fchmod(file.raw, 0o600) == 0 else { throw SystemError(.write, path) }
        guard FileStatus(of: file.raw)?.mode == 0o600 else {
            throw SystemError(
                .write, path, reason: "its file system cannot restrict it to its owner")
        }
    }
}
