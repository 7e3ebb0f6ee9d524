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
/// A file is on disk without a name, or under another one where the file system knows no such files, until `commit` puts
/// it in its place; one that is never committed leaves nothing behind.
/// What is no regular file (a terminal, a pipe, `/dev/null`) is opened here and written to by `commit`.
final class PendingFile {
    /// Who may read the file.
    enum Privacy {
        /// The owner alone: mode 0600.
        case secret
        /// Whoever the umask admits, but nobody who could not read the file that it replaces.
        case open
    }

    /// A file on disk that is not in its place.
    private enum Draft {
        /// It is gone with the process, however that ends.
        case nameless(Descriptor)
        case named(String)
    }

    private enum State {
        case file(Folder, Draft, name: String, isReplacement: Bool)
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
        _ bytes: [UInt8], at place: OutputPlace, _ path: String, _ privacy: Privacy, replaces: Bool
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
                throw SystemFault(
                    .write, path, reason: "the pipe is another user's (--force writes to it)")
            }
            state = .stream(try folder.stream(name, entry), bytes, isOurs: true)
        case .name(let folder, let name, let entry):
            let draft = try PendingFile.write(bytes, in: folder, path, privacy, over: entry)
            state = .file(folder, draft, name: name, isReplacement: entry != nil)
        }
    }

    /// Moves the file to its place, or writes to the stream.
    func commit() throws {
        switch state {
        case .done: return
        case .stream(let stream, let bytes, _): try stream.write(bytes)
        case .file(let folder, .nameless(let file), let name, isReplacement: true):
            // Only a name can take the place of another.
            let (temporary, _) = try PendingFile.withFreeName(path) {
                try folder.link(file, as: $0) ? $0 : nil
            }
            state = .file(folder, .named(temporary), name: name, isReplacement: true)
            file.close()
            try commit()
        case .file(let folder, .named(let temporary), let name, isReplacement: true):
            try folder.rename(temporary, to: name)
            state = .done
            try folder.synchronize()
        case .file(let folder, let draft, let name, isReplacement: false):
            // Nothing was there: a new name never takes the place of what came meanwhile.
            switch draft {
            case .nameless(let file):
                guard try folder.link(file, as: name) else { throw PendingFile.exists(path) }
                file.close()
            case .named(let temporary):
                guard try folder.link(temporary, as: name) else { throw PendingFile.exists(path) }
                folder.remove(temporary)
            }
            state = .done
            try folder.synchronize()
        }
    }

    deinit {
        switch state {
        case .file(_, .nameless(let file), _, _): file.close()
        case .file(let folder, .named(let temporary), _, _): folder.remove(temporary)
        case .stream(let stream, _, isOurs: true): stream.close()
        case .stream, .done: break
        }
    }

    static func exists(_ path: String) -> SystemFault {
        SystemFault(.write, path, reason: "it exists already (--force replaces it)")
    }

    /// A new file in the folder that holds the bytes, on disk.
    private static func write(
        _ bytes: [UInt8], in folder: Folder, _ path: String, _ privacy: Privacy, over old: Entry?
    ) throws -> Draft {
        // What was closed to others stays closed under the same name.
        let open = 0o666 & ((old?.mode ?? 0o666) | 0o600)
        let mode = privacy == .secret ? 0o600 : open
        if let file = try folder.nameless(mode) {
            do {
                try fill(file, bytes, path, privacy)
            } catch {
                file.close()
                throw error
            }
            return .nameless(file)
        }
        let (name, file) = try withFreeName(path) { try folder.create($0, mode) }
        defer { file.close() }
        do {
            try fill(file, bytes, path, privacy)
        } catch {
            folder.remove(name)
            throw error
        }
        return .named(name)
    }

    /// Finds a name that nothing has: the first with which `make` makes something.
    private static func withFreeName<Made>(
        _ path: String, _ make: (String) throws -> Made?
    ) throws -> (String, Made) {
        for _ in 0..<16 {
            let name = ".josectl-\(UInt64.random(in: 0 ... .max))~"
            if let made = try make(name) { return (name, made) }
        }
        throw SystemFault(.write, path, error: EEXIST)
    }

    /// Writes, and waits until it is on disk: what closing says after that is of no account.
    private static func fill(
        _ file: Descriptor, _ bytes: [UInt8], _ path: String, _ privacy: Privacy
    ) throws {
        if privacy == .secret { try keepToOwner(file, path) }
        try file.write(bytes)
        guard fsync(file.raw) == 0 else { throw SystemFault(.write, path) }
    }

    /// Lets the owner alone read and write the file, whatever the umask takes away or the file system adds.
    private static func keepToOwner(_ file: Descriptor, _ path: String) throws {
        guard let made = Entry(of: file.raw) else { throw SystemFault(.write, path) }
        guard made.mode != 0o600 else { return }
        guard fchmod(file.raw, 0o600) == 0 else { throw SystemFault(.write, path) }
        guard Entry(of: file.raw)?.mode == 0o600 else {
            throw SystemFault(.write, path, reason: "its file system keeps no file to its owner")
        }
    }
}
