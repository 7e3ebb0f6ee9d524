// Files that appear whole or not at all: written beside their place, then moved there.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An output that is ready but not yet in its place.
///
/// A file is on disk under another name until `commit` renames it; one that is never committed is
/// removed. What is no regular file (a terminal, a pipe, `/dev/null`) is opened here and written to
/// by `commit`.
final class PendingFile {
    /// Who may read the file.
    enum Privacy {
        /// The owner alone: mode 0600.
        case secret
        /// Whoever the umask admits, but nobody who could not read the file that it replaces.
        case open
    }

    private enum State {
        case file(Folder, temporary: String, name: String, isReplacement: Bool)
        case stream(Descriptor, [UInt8], isOurs: Bool)
        case done
    }
    private var state: State
    private let path: String

    /// Writes the bytes beside their place, or opens the stream that is there.
    ///
    /// - Parameters:
    ///   - path: What messages call it.
    ///   - replaces: Whether what is there already may be replaced.
    init(
        _ bytes: [UInt8], at place: OutputDestination, _ path: String, _ privacy: Privacy, replaces: Bool
    ) throws {
        self.path = path
        guard replaces || !place.isTaken else { throw PendingFile.exists(path) }
        switch place.target {
        case .stream(let stream, _):
            state = .stream(stream, bytes, isOurs: false)
        case .name(let folder, let name, let entry?) where entry.kind != .regular:
            // Its owner may be the one who reads.
            let isStrange = entry.kind == .pipe && entry.owner != geteuid()
            guard privacy == .open || replaces || !isStrange else {
                throw SystemError(
                    .write, path, reason: "the pipe is another user's (--force writes to it)")
            }
            state = .stream(try folder.stream(name, entry), bytes, isOurs: true)
        case .name(let folder, let name, let entry):
            let temporary = try PendingFile.write(bytes, in: folder, path, privacy, over: entry)
            state = .file(folder, temporary: temporary, name: name, isReplacement: entry != nil)
        }
    }

    /// Moves the file to its place, or writes to the stream.
    func commit() throws {
        switch state {
        case .done: return
        case .stream(let stream, let bytes, _): try stream.write(bytes)
        case .file(let folder, let temporary, let name, let isReplacement):
            if isReplacement {
                try folder.rename(temporary, to: name)
            } else {
                // A new name never takes the place of what came meanwhile.
                guard try folder.link(temporary, as: name) else { throw PendingFile.exists(path) }
                folder.remove(temporary)
            }
            state = .done
            try folder.synchronize()
        }
    }

    deinit {
        switch state {
        case .file(let folder, let temporary, _, _): folder.remove(temporary)
        case .stream(let stream, _, isOurs: true): stream.close()
        case .stream, .done: break
        }
    }

    static func exists(_ path: String) -> SystemError {
        SystemError(.write, path, reason: "it exists already (--force replaces it)")
    }

    /// The name of a new file in the folder that holds the bytes, on disk.
    private static func write(
        _ bytes: [UInt8], in folder: Folder, _ path: String, _ privacy: Privacy, over old: Entry?
    ) throws -> String {
        // What was closed to others stays closed under the same name.
        let open = 0o666 & ((old?.mode ?? 0o666) | 0o600)
        for _ in 0..<16 {
            let name = ".josectl-\(UInt64.random(in: 0 ... .max))~"
            guard let file = try folder.create(name, privacy == .secret ? 0o600 : open) else {
                continue
            }
            defer { file.close() }
            do {
                try fill(file, bytes, path, privacy)
            } catch {
                folder.remove(name)
                throw error
            }
            return name
        }
        throw SystemError(.write, path, error: EEXIST)
    }

    /// Writes, and waits until it is on disk: what closing says after that is of no account.
    private static func fill(
        _ file: Descriptor, _ bytes: [UInt8], _ path: String, _ privacy: Privacy
    ) throws {
        if privacy == .secret { try keepToOwner(file, path) }
        try file.write(bytes)
        guard fsync(file.raw) == 0 else { throw SystemError(.write, path) }
    }

    /// Lets the owner alone read and write the file, whatever the umask takes away or the file system adds.
    private static func keepToOwner(_ file: Descriptor, _ path: String) throws {
        guard let made = Entry(of: file.raw) else { throw SystemError(.write, path) }
        guard made.mode != 0o600 else { return }
        guard fchmod(file.raw, 0o600) == 0 else { throw SystemError(.write, path) }
        guard Entry(of: file.raw)?.mode == 0o600 else {
            throw SystemError(.write, path, reason: "its file system keeps no file to its owner")
        }
    }
}
