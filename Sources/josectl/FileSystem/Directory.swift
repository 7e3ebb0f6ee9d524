// An open directory and its entries. Changes of its path do not affect operations on it.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Identifies a file under every path and name that leads to it.
struct FileIdentity: Hashable {
    let device: dev_t
    let number: ino_t
}

/// The status of a file, directory, link, pipe or device itself; links are not followed.
struct FileStatus {
    enum Kind {
        case regular, directory, link, pipe, disk, other
    }
    let kind: Kind
    let identity: FileIdentity
    let owner: uid_t
    /// The permissions, with the sticky bit.
    let mode: mode_t
    /// The size of a regular file in bytes.
    let size: off_t
    /// Whether it is a character device: a terminal, the null device.
    let isCharacterDevice: Bool
    /// Whether it is the null device, where nothing can be lost or mixed.
    let isNull: Bool

    #if os(Linux)
        /// 1:3.
        private static let nullDevice: dev_t = 0x103
    #else
        /// 3:2, as on Darwin.
        private static let nullDevice: dev_t = 0x300_0002
    #endif

    /// The status of an open file.
    init?(of raw: Int32) {
        var status = stat()
        // Safe: the record is owned by this function, here and below.
        guard unsafe fstat(raw, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of the entry with this name in a directory.
    init?(_ name: String, in folder: Int32) {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
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
        isNull = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == FileStatus.nullDevice
    }
}

/// An open directory on the path to an output.
///
/// On Linux, opening a directory needs no permission for the directory itself. Operations on its
/// entries need the permission to traverse it, never to list it. So its entries cannot be listed.
final class Directory: Sendable {
    private let raw: Int32
    /// The path that the user gave, for messages.
    private let path: String
    /// The status of the directory itself.
    let status: FileStatus

    #if os(Linux)
        /// `O_PATH`, which libc declares for GNU programs only.
        private static let pathOnly: Int32 = 0o10_000_000
        private static let descriptors = "/proc/self/fd"
    #else
        // Without `O_PATH`, a directory without permission to list cannot be opened.
        private static let pathOnly = O_RDONLY
        private static let descriptors = "/dev/fd"
    #endif
    private static let opening = pathOnly | O_DIRECTORY | O_CLOEXEC

    /// Opens `/` or `.`.
    convenience init(_ name: String, for path: String) throws {
        // Safe: the text outlives the call, here and below.
        try self.init(unsafe open(name, Directory.opening), path)
    }

    private init(_ raw: Int32, _ path: String) throws {
        guard raw >= 0 else { throw SystemError(.write, path) }
        guard let status = FileStatus(of: raw) else {
            let failure = SystemError(.write, path)
            closeDescriptor(raw)
            throw failure
        }
        self.raw = raw
        self.path = path
        self.status = status
    }

    deinit { closeDescriptor(raw) }

    /// Opens the subdirectory with this name; fails for a link.
    func directory(_ name: String) throws -> Directory {
        try Directory(unsafe openat(raw, name, Directory.opening | O_NOFOLLOW), path)
    }

    /// Returns the status of the entry with this name, and the target of a link; nil if there is
    /// none.
    func entry(_ name: String) throws -> (status: FileStatus, link: String?)? {
        guard let status = FileStatus(name, in: raw) else {
            guard errno == ENOENT else { throw SystemError(.write, path) }
            return nil
        }
        // In shared directories, other users cannot replace a trusted link: see `trusts`.
        return (status, status.kind == .link ? try target(of: name) : nil)
    }

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

    /// Whether this is the directory of the process's descriptors.
    var isOfDescriptors: Bool {
        get throws {
            let raw = unsafe open(Directory.descriptors, Directory.opening)
            // If the directory of descriptors does not exist, this is another directory.
            guard raw >= 0 || errno != ENOENT else { return false }
            return try Directory(raw, path).status.identity == status.identity
        }
    }

    /// Whether an entry may be followed, written to or replaced.
    ///
    /// Applies the kernel's rule for sticky directories, whether it is enabled or not (proc(5):
    /// protected_symlinks, protected_fifos, protected_regular). In a sticky directory where all may
    /// create entries, only those of this user and of the directory's owner are trusted. Except for
    /// links, this also holds if only the group may create entries. Subdirectories are always
    /// trusted.
    func trusts(_ found: FileStatus) -> Bool {
        guard found.kind != .directory else { return true }
        let others = found.kind == .link ? S_IWOTH : S_IWOTH | S_IWGRP
        guard status.mode & S_ISVTX != 0, status.mode & others != 0 else { return true }
        return found.owner == geteuid() || found.owner == status.owner
    }

    /// Creates a file, open for writing; returns nil if the name exists.
    func create(_ name: String, _ mode: mode_t) throws -> Descriptor? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(raw, name, flags, mode)
        guard file >= 0 else {
            guard errno == EEXIST else { throw SystemError(.write, path) }
            return nil
        }
        return Descriptor(raw: file, name: path)
    }

    /// Opens a pipe or device whose status was checked before.
    func stream(_ name: String, _ expected: FileStatus) throws -> Descriptor {
        let file = unsafe openat(raw, name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(.write, path) }
        guard FileStatus(of: file)?.identity == expected.identity else {
            closeDescriptor(file)
            throw SystemError(.write, path, reason: "it was replaced by another file")
        }
        return Descriptor(raw: file, name: path)
    }

    /// Gives a file a second name; returns false if that name exists.
    func link(_ name: String, as other: String) throws -> Bool {
        guard unsafe linkat(raw, name, raw, other, 0) != 0 else { return true }
        guard errno == EEXIST else { throw SystemError(.write, path) }
        return false
    }

    /// Renames a file, replacing an existing one.
    func rename(_ name: String, to other: String) throws {
        guard unsafe renameat(raw, name, raw, other) == 0 else { throw SystemError(.write, path) }
    }

    func remove(_ name: String) { _ = unsafe unlinkat(raw, name, 0) }

    /// Waits until the entries are on disk.
    func synchronize() throws {
        let list = unsafe openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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
}
