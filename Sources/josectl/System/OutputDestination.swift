// Where an output goes: found once, link by link, and held open, so that nobody can bend the way to it.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The place of an output.
struct OutputDestination {
    enum Target {
        /// A name in a folder, with what stands there.
        case name(Folder, String, Entry?)
        /// A stream that whoever started the tool opened for it; `isNamed` where a path led to it.
        case stream(Descriptor, isNamed: Bool)
    }
    let target: Target
    /// What is there; nil for nothing.
    let entry: Entry?

    /// The most links on the way to a file, as in the kernel.
    private static let maxLinks = 40

    static func standardOutput() throws -> OutputDestination {
        try OutputDestination(stream: .output, isNamed: false)
    }

    private init(stream: Descriptor, isNamed: Bool) throws {
        guard let entry = Entry(of: stream.raw) else { throw SystemError(.write, stream.name) }
        (target, self.entry) = (.stream(stream, isNamed: isNamed), entry)
    }

    /// Finds the place that a path names.
    ///
    /// Throws `SystemError` where it cannot be known, or is not the user's business: see `Folder.trusts`.
    init(_ path: String) throws {
        guard !path.isEmpty else { throw SystemError(.write, path, error: ENOENT) }
        var folder = try Folder(path.utf8.first == UInt8(ascii: "/") ? "/" : ".", for: path)
        var rest = OutputDestination.parts(path)
        var links = 0
        while let name = rest.popLast() {
            if rest.isEmpty, let number = Int32(name), try folder.isOfDescriptors {
                self = try OutputDestination(descriptor: number, path)
                return
            }
            let found = try folder.look(name)
            if let found, !folder.trusts(found.entry) {
                throw SystemError(
                    .write, path,
                    reason: "another user left '\(printable(name))' in a shared folder")
            }
            if let link = found?.link {
                links += 1
                guard links <= OutputDestination.maxLinks else {
                    throw SystemError(.write, path, error: ELOOP)
                }
                if link.utf8.first == UInt8(ascii: "/") { folder = try Folder("/", for: path) }
                rest += OutputDestination.parts(link)
            } else if found?.entry.kind == .folder {
                folder = try folder.folder(name)
            } else {
                guard rest.isEmpty else {
                    throw SystemError(.write, path, error: found == nil ? ENOENT : ENOTDIR)
                }
                (target, entry) = (.name(folder, name, found?.entry), found?.entry)
                return
            }
        }
        throw SystemError(.write, path, error: EISDIR)
    }

    /// One of the descriptors that the tool was started with, as in `/dev/stdout` or `/dev/fd/3`.
    private init(descriptor raw: Int32, _ path: String) throws {
        // Ours close when a program starts, so those that came with it are the others.
        guard fcntl(raw, F_GETFD) == 0 else { throw SystemError(.write, path, error: EBADF) }
        try self.init(stream: Descriptor(raw: raw, name: path), isNamed: true)
    }

    /// The names of a path, the last one first; what ends with a slash must be a folder.
    private static func parts(_ path: String) -> [String] {
        let names = path.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
        return (path.utf8.last == UInt8(ascii: "/") ? names + ["."] : names).reversed()
    }

    /// Whether both are one file: by what is there, or by folder and name where nothing is.
    func isSame(as other: OutputDestination) -> Bool {
        if let entry, let there = other.entry {
            return entry.identity == there.identity && !entry.isNull
        }
        guard case .name(let folder, let name, _) = target,
            case .name(let otherFolder, let otherName, _) = other.target
        else { return false }
        // Names are bytes to the kernel: two spellings of one letter are two files.
        return folder.entry.identity == otherFolder.entry.identity
            && name.utf8.elementsEqual(otherName.utf8)
    }

    /// Whether bytes go to something that is open or opened, and may wait for whoever reads there.
    var isStream: Bool {
        switch target {
        case .stream: true
        case .name(_, _, let entry): entry.map { $0.kind != .regular } ?? false
        }
    }

    /// Whether it is a terminal, as standard output, `/dev/fd/1`, `/dev/tty` or a link to one.
    ///
    /// A device of characters that is not open yet may be one; what is shown there is escaped.
    var isTerminal: Bool {
        switch target {
        case .stream(let stream, _): stream.isTerminal
        case .name(_, _, let entry): entry.map { $0.isCharacterDevice && !$0.isNull } ?? false
        }
    }

    /// Whether something would be lost by writing there.
    var isTaken: Bool {
        switch target {
        case .name(_, _, let entry): return entry?.kind == .regular || entry?.kind == .disk
        case .stream(let stream, let isNamed):
            // A file that the shell emptied, or appends to, loses nothing.
            guard isNamed, let entry, entry.kind == .regular else { return false }
            return fcntl(stream.raw, F_GETFL) & O_APPEND == 0
                && lseek(stream.raw, 0, SEEK_CUR) < entry.size
        }
    }
}
