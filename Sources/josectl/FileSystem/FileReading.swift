// Reads whole files and standard input, up to a limit.

import JOSE
import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

func wipe(_ bytes: inout [UInt8]) {
    var span = bytes.mutableSpan
    wipe(&span)
}

enum Files {
    /// Reads up to `limit` bytes, and `lineEnd` more for a line end. `what` is the name for errors.
    static func read(
        _ path: String, atMost limit: Int, lineEnd: Int = 0, what: String
    ) throws -> [UInt8] {
        try rejectURI(path, what)
        let file = path == "-" ? .input : try Descriptor(reading: path)
        defer { if path != "-" { file.close() } }
        // Up to 131,072 bytes are read without reallocation, which would leave a part of a private
        // key in freed memory.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(196_608)
        while try file.read(into: &bytes, atMost: 65_536) {
            guard bytes.count <= limit + lineEnd else {
                throw Rejection(
                    .limitExceeded, step: "call",
                    message: "\(what) \(printable(file.name)) has more than \(limit) bytes")
            }
        }
        return bytes
    }

    /// Reads a PIN, which the caller wipes. Rejects a regular file that everyone may read or write.
    static func pin(_ path: String) throws(SystemError) -> [UInt8] {
        let limit = 256
        var bytes = try secret(path, "pin-file", atMost: limit) { mode throws(SystemError) in
            try checkPrivate(mode, path)
        }
        guard 1...limit ~= bytes.count, bytes.allSatisfy({ $0 >= 0x20 }) else {
            wipe(&bytes)
            throw SystemError(.read, path, reason: "expected one line of 1 to \(limit) bytes")
        }
        return bytes
    }

    /// Reads the password in a file, or on standard input for `-`, without its line end. The caller
    /// wipes it. `checkMode` throws if a regular file must not have this mode.
    static func password(
        _ path: String, checkMode: (mode_t) throws(SystemError) -> Void
    ) throws -> [UInt8] {
        let limit = 1_024
        try rejectURI(path, "the password file")
        var bytes = try secret(path, "password-file", atMost: limit, checkMode)
        guard bytes.count <= limit else {
            wipe(&bytes)
            let name = path == "-" ? Descriptor.input.name : path
            throw Rejection(
                .limitExceeded, step: "call",
                message: "the password in \(printable(name)) has more than \(limit) bytes")
        }
        return bytes
    }

    /// Rejects access by everyone. Access by the group is allowed.
    static func checkPrivate(_ mode: mode_t, _ path: String) throws(SystemError) {
        guard mode & 0o006 == 0 else {
            throw SystemError(.read, path, reason: "everyone may read or write it; run chmod 600")
        }
    }

    /// The error does not repeat the URI, which may contain a PIN.
    private static func rejectURI(_ path: String, _ what: String) throws {
        guard !path.begins(with: "pkcs11:") else {
            throw UsageError(
                "\(what) must be a file, not a pkcs11: URI (use ./pkcs11:… for such a file)"
            )
        }
    }

    /// Removes one line end. Returns more than `limit` bytes if the content is longer.
    private static func secret(
        _ path: String, _ option: String, atMost limit: Int,
        _ checkMode: (mode_t) throws(SystemError) -> Void
    ) throws(SystemError) -> [UInt8] {
        var file = Descriptor.input
        let isNamed = path != "-"
        if isNamed {
            do { file = try Descriptor(reading: path) } catch { throw error.withoutName(option) }
        }
        defer { if isNamed { file.close() } }
        guard let status = FileStatus(of: file.raw) else { throw SystemError(.read, path) }
        if isNamed, status.kind == .regular { try checkMode(status.mode) }
        // Capacity for all bytes, so that reallocation leaves no part of a secret in freed memory.
        var bytes: [UInt8] = []
        // Two bytes for CR LF, and a third that shows that the file is too large.
        let maxCount = limit + 3
        bytes.reserveCapacity(2 * maxCount)
        while bytes.count < maxCount, try file.read(into: &bytes, atMost: maxCount - bytes.count) {}
        if bytes.last == 0x0a {
            bytes.removeLast()
            if bytes.last == 0x0d { bytes.removeLast() }
        }
        return bytes
    }
}
