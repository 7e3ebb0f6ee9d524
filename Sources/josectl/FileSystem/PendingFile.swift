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
        /// All users whom the umask allows. A user who could not read the replaced file cannot read
        /// the new one.
        case open
    }

    private enum State {
        case file(Directory, temporary: String, name: String, isReplacement: Bool)
        case stream(Descriptor, [UInt8], closes: Bool)
        case done
    }
    private var state: State
    private let path: String

    /// Writes a temporary file, or opens the stream of the destination.
    ///
    /// - Parameters:
    ///   - path: The path for messages.
    ///   - replaces: Whether an existing file may be replaced.
    init(
        _ bytes: [UInt8], at destination: OutputDestination, _ path: String, _ privacy: Privacy,
        replaces: Bool
    ) throws {
        self.path = path
        guard replaces || !destination.isTaken else { throw PendingFile.exists(path) }
        switch destination.target {
        case .stream(let stream, _):
            state = .stream(stream, bytes, closes: false)
        case .name(let directory, let name, let status?) where status.kind != .regular:
            // The owner of a pipe may be its reader.
            let isForeign = status.kind == .pipe && status.owner != geteuid()
            guard privacy == .open || replaces || !isForeign else {
                throw SystemError(
                    .write, path, reason: "the pipe belongs to another user (--force writes to it)")
            }
            state = .stream(try directory.stream(name, status), bytes, closes: true)
        case .name(let directory, let name, let status):
            let temporary = try PendingFile.write(bytes, in: directory, path, privacy, over: status)
            state = .file(
                directory, temporary: temporary, name: name, isReplacement: status != nil)
        }
    }

    /// Renames the file, or writes to the stream.
    func commit() throws {
        switch state {
        case .done: return
        case .stream(let stream, let bytes, _): try stream.write(bytes)
        case .file(let directory, let temporary, let name, let isReplacement):
            if isReplacement {
                try directory.rename(temporary, to: name)
            } else {
                // A new file never replaces one that was created meanwhile.
                guard try directory.link(temporary, as: name) else {
                    throw PendingFile.exists(path)
                }
                directory.remove(temporary)
            }
            state = .done
            try directory.synchronize()
        }
    }

    deinit {
        switch state {
        case .file(let directory, let temporary, _, _): directory.remove(temporary)
        case .stream(let stream, _, closes: true): stream.close()
        case .stream, .done: break
        }
    }

    static func exists(_ path: String) -> SystemError {
        SystemError(.write, path, reason: "it already exists (--force replaces it)")
    }

    /// Writes the bytes to a new file, waits until they are on disk and returns its name.
    private static func write(
        _ bytes: [UInt8], in directory: Directory, _ path: String, _ privacy: Privacy,
        over old: FileStatus?
    ) throws -> String {
        // A file that replaces another is never readable by more users.
        let open = 0o666 & ((old?.mode ?? 0o666) | 0o600)
        for _ in 0..<16 {
            let name = ".josectl-\(UInt64.random(in: 0 ... .max))~"
            guard let file = try directory.create(name, privacy == .secret ? 0o600 : open) else {
                continue
            }
            defer { file.close() }
            do {
                try fill(file, bytes, path, privacy)
            } catch {
                directory.remove(name)
                throw error
            }
            return name
        }
        throw SystemError(.write, path, error: EEXIST)
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
