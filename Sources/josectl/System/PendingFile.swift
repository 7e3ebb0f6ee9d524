// Files that appear whole or not at all: written beside their place, then moved there.

import Glibc

/// A file that is written but not yet in its place.
///
/// `commit` moves it there; a file that is never committed leaves nothing behind. What is no regular file
/// (a terminal, a pipe, `/dev/null`) is written to directly.
struct PendingFile: ~Copyable {
    /// Who may read the file.
    enum Privacy {
        /// The owner alone: mode 0600.
        case secret
        /// Whoever the umask admits.
        case open
    }

    private let path: String
    private let temporary: String?
    private let replaces: Bool

    /// Writes the bytes beside `path`.
    ///
    /// - Parameter replaces: Whether a file that is there already may be replaced.
    init(_ bytes: [UInt8], at path: String, _ privacy: Privacy, replaces: Bool) throws {
        let kind = FileKind(at: path)
        guard kind != .folder else { throw SystemFault(.write, path, error: EISDIR) }
        if kind == .other {
            try PendingFile.writeDirectly(bytes, path)
            self.init(path: path, temporary: nil, replaces: replaces)
            return
        }
        if kind == .regular, !replaces { throw PendingFile.exists(path) }
        let target = PendingFile.resolved(path)
        let (file, temporary) = try PendingFile.create(beside: target, path, privacy)
        do {
            try file.write(bytes)
            guard fsync(file.raw) == 0 else { throw SystemFault(.write, path) }
            guard Glibc.close(file.raw) == 0 else { throw SystemFault(.write, path) }
        } catch let fault as SystemFault {
            _ = unsafe unlink(temporary)
            throw SystemFault(.write, path, reason: fault.reason)
        }
        self.init(path: target, temporary: temporary, replaces: replaces)
    }

    private init(path: String, temporary: String?, replaces: Bool) {
        self.path = path
        self.temporary = temporary
        self.replaces = replaces
    }

    /// Moves the file to its place.
    consuming func commit() throws {
        guard let temporary else { return }
        // A link never replaces what another program may have put there meanwhile.
        let done = unsafe replaces ? rename(temporary, path) : link(temporary, path)
        guard done != 0 else { return }
        throw errno == EEXIST ? PendingFile.exists(path) : SystemFault(.write, path)
    }

    /// Takes back a committed file, when another one that belongs to it failed.
    static func remove(_ path: String) { _ = unsafe unlink(resolved(path)) }

    deinit {
        // After a rename nothing has this name any more.
        if let temporary { _ = unsafe unlink(temporary) }
    }

    private static func exists(_ path: String) -> SystemFault {
        SystemFault(.write, path, reason: "it exists already (--force replaces it)")
    }

    private static func writeDirectly(_ bytes: [UInt8], _ path: String) throws {
        let raw = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard raw >= 0 else { throw SystemFault(.write, path) }
        let file = Descriptor(raw: raw, name: path)
        defer { file.close() }
        try file.write(bytes)
    }

    /// A symbolic link stays; what it points to is replaced.
    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        // Safe: realpath allocated the text, which is copied and then freed.
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func create(
        beside target: String, _ path: String, _ privacy: Privacy
    ) throws -> (Descriptor, String) {
        let slash = target.lastIndex(of: "/")
        let folder = slash.map { target[...$0] } ?? ""
        let name = slash.map { target[target.index(after: $0)...] } ?? target[...]
        for _ in 0..<16 {
            let temporary = "\(folder).\(name.prefix(100)).\(UInt32.random(in: 0 ... .max))~"
            let mode: mode_t = privacy == .secret ? 0o600 : 0o666
            let raw = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if raw >= 0 { return (Descriptor(raw: raw, name: path), temporary) }
            guard errno == EEXIST else { break }
        }
        throw SystemFault(.write, path)
    }
}
