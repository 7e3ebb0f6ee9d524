// What stands under a name or behind a descriptor: its kind, which file it is, whose it is.

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
