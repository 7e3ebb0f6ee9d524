// A folder held open, and what is in it: what is done by it is done there, whatever others make of
// its path meanwhile.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which file it is: the same under every path and name that leads to it.
struct FileIdentity: Hashable {
    let device: dev_t
    let number: ino_t
}

/// A file, folder, link, pipe or device, itself: no link is followed.
struct Entry {
    enum Kind {
        case regular, folder, link, pipe, disk, other
    }
    let kind: Kind
    let identity: FileIdentity
    let owner: uid_t
    /// Who may read, write and execute, with the sticky bit.
    let mode: mode_t
    /// Bytes of a regular file.
    let size: off_t
    /// Whether it is a device of characters: a terminal, the null device.
    let isCharacterDevice: Bool
    /// The null device keeps nothing: whatever goes there, nothing is lost and nothing is mixed.
    let isNull: Bool

    #if os(Linux)
        /// 1:3.
        private static let nullDevice: dev_t = 0x103
    #else
        /// 3:2, as on Darwin.
        private static let nullDevice: dev_t = 0x300_0002
    #endif

    /// What is open there.
    init?(of raw: Int32) {
        var status = stat()
        // Safe: the record is ours, here and below.
        guard unsafe fstat(raw, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What has the name in the folder.
    init?(_ name: String, in folder: Int32) {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFBLK: .disk
            default: .other
            }
        identity = FileIdentity(device: status.st_dev, number: status.st_ino)
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        size = status.st_size
        isCharacterDevice = status.st_mode & S_IFMT == S_IFCHR
        isNull = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == Entry.nullDevice
    }
}

/// An open folder on the way to an output.
///
/// It needs the right to pass through, not that to list; so it is no descriptor to read from.
final class Folder: Sendable {
    private let raw: Int32
    /// The path that the user gave, for messages.
    private let path: String
    /// The folder itself.
    let entry: Entry

    #if os(Linux)
        /// `O_PATH`, which libc declares for programs of GNU alone.
        private static let pathOnly: Int32 = 0o10_000_000
        private static let descriptors = "/proc/self/fd"
    #else
        // Without `O_PATH` a folder that may be passed through but not listed cannot be opened.
        private static let pathOnly = O_RDONLY
        private static let descriptors = "/dev/fd"
    #endif
    private static let opening = pathOnly | O_DIRECTORY | O_CLOEXEC

    /// A folder that the kernel finds by itself: `/` or `.`.
    convenience init(_ name: String, for path: String) throws {
        // Safe: the text outlives the call, here and below.
        try self.init(unsafe open(name, Folder.opening), path)
    }

    private init(_ raw: Int32, _ path: String) throws {
        guard raw >= 0 else { throw SystemError(.write, path) }
        guard let entry = Entry(of: raw) else {
            let failure = SystemError(.write, path)
            closeDescriptor(raw)
            throw failure
        }
        self.raw = raw
        self.path = path
        self.entry = entry
    }

    deinit { closeDescriptor(raw) }

    /// The folder of this name in it; a link is rejected.
    func folder(_ name: String) throws -> Folder {
        try Folder(unsafe openat(raw, name, Folder.opening | O_NOFOLLOW), path)
    }

    /// What stands under the name, and where it points to if it is a link; nil only where nothing is there.
    func look(_ name: String) throws -> (entry: Entry, link: String?)? {
        guard let entry = Entry(name, in: raw) else {
            guard errno == ENOENT else { throw SystemError(.write, path) }
            return nil
        }
        // Where strangers may leave links they may exchange no link of ours: see `trusts`.
        return (entry, entry.kind == .link ? try target(of: name) : nil)
    }

    /// The text of a link.
    private func target(of name: String) throws -> String {
        var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // Safe: the buffer outlives the call, and bytes are characters here.
        let count = unsafe text.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
                unsafe buffer.baseAddress.map { unsafe readlinkat(raw, name, $0, buffer.count) }
                    ?? 0
            }
        }
        guard count >= 0 else { throw SystemError(.write, path) }
        guard count < text.count else { throw SystemError(.write, path, error: ENAMETOOLONG) }
        guard let target = String(validating: text[..<count], as: UTF8.self) else {
            throw SystemError(.write, path, error: EILSEQ)
        }
        return target
    }

    /// Whether it is the folder whose names are the descriptors of this process.
    var isOfDescriptors: Bool {
        get throws {
            let raw = unsafe open(Folder.descriptors, Folder.opening)
            // Where nothing is there, this is not it.
            guard raw >= 0 || errno != ENOENT else { return false }
            return try Folder(raw, path).entry.identity == entry.identity
        }
    }

    /// Whether what stands in it is the user's business.
    ///
    /// The kernel's rule for sticky folders (proc(5): protected_symlinks, protected_fifos, protected_regular), held
    /// here whether its switches are on or off: where everyone may leave something, what a stranger left is neither
    /// followed nor written to nor replaced. It holds for links on the way too. Folders are what they are.
    func trusts(_ found: Entry) -> Bool {
        guard found.kind != .folder else { return true }
        let open = found.kind == .link ? S_IWOTH : S_IWOTH | S_IWGRP
        guard entry.mode & S_ISVTX != 0, entry.mode & open != 0 else { return true }
        return found.owner == geteuid() || found.owner == entry.owner
    }

    /// Makes a file that was not there, open for writing; nil where something has this name.
    func create(_ name: String, _ mode: mode_t) throws -> Descriptor? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(raw, name, flags, mode)
        guard file >= 0 else {
            guard errno == EEXIST else { throw SystemError(.write, path) }
            return nil
        }
        return Descriptor(raw: file, name: path)
    }

    /// Opens a pipe or device that was looked at before.
    func stream(_ name: String, _ seen: Entry) throws -> Descriptor {
        let file = unsafe openat(raw, name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(.write, path) }
        guard Entry(of: file)?.identity == seen.identity else {
            closeDescriptor(file)
            throw SystemError(.write, path, reason: "it is another file than a moment ago")
        }
        return Descriptor(raw: file, name: path)
    }

    /// Gives a file a second name, which must be free; false where it is not.
    func link(_ name: String, as other: String) throws -> Bool {
        guard unsafe linkat(raw, name, raw, other, 0) != 0 else { return true }
        guard errno == EEXIST else { throw SystemError(.write, path) }
        return false
    }

    /// Gives a file another name, and takes that from whatever has it.
    func rename(_ name: String, to other: String) throws {
        guard unsafe renameat(raw, name, raw, other) == 0 else { throw SystemError(.write, path) }
    }

    func remove(_ name: String) { _ = unsafe unlinkat(raw, name, 0) }

    /// Waits until the names in it are on disk.
    func synchronize() throws {
        let list = unsafe openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard list >= 0 else {
            // Who may not list a folder cannot ask for this; the names are there all the same.
            guard errno == EACCES else { throw SystemError(.write, path) }
            return
        }
        defer { closeDescriptor(list) }
        // Some file systems have nothing to wait for, and say so.
        guard fsync(list) == 0 || errno == EINVAL || errno == EROFS else {
            throw SystemError(.write, path)
        }
    }
}
