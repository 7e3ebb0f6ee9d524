// The kind, owner, permissions and identity of a file.

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

/// The status of a file, directory, pipe or device.
struct FileStatus {
    enum Kind {
        case regular, directory, pipe, disk, other
    }
    let kind: Kind
    let identity: FileIdentity
    let owner: uid_t
    let mode: mode_t
    /// The size of a regular file in bytes.
    let size: off_t
    /// Whether it is a character device: a terminal, the null device.
    let isCharacterDevice: Bool
    /// Whether it is the null device, where nothing can be lost or mixed.
    let isNullDevice: Bool

    #if os(Linux)
        /// Major 1, minor 3.
        private static let nullDevice: dev_t = 0x103
    #else
        /// Major 3, minor 2, as on Darwin.
        private static let nullDevice: dev_t = 0x300_0002
    #endif

    /// The status of an open file; nil with `errno` if there is none.
    init?(of raw: Int32) {
        var status = stat()
        // Safe: the record is owned by this function, here and below.
        guard unsafe fstat(raw, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of the file that a path leads to, through links; nil with `errno` if there is
    /// none.
    init?(at path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            case S_IFBLK: .disk
            default: .other
            }
        identity = FileIdentity(device: status.st_dev, number: status.st_ino)
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        size = status.st_size
        isCharacterDevice = status.st_mode & S_IFMT == S_IFCHR
        isNullDevice = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == FileStatus.nullDevice
    }
}
