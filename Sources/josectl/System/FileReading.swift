// Whole files and standard input, up to a limit.

import JOSE
import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Overwrites bytes that were secret.
func wipe(_ bytes: inout [UInt8]) {
    var span = bytes.mutableSpan
    wipe(&span)
}

enum Files {
    /// The bytes of a file, or of standard input for `-`.
    ///
    /// Throws `SystemError` where it cannot be read, `Rejection` where it has more than `limit` bytes and those of a line end.
    static func read(_ path: String, atMost limit: Int, lineEnd: Int = 0, what: String) throws
        -> [UInt8]
    {
        guard path != "-" else {
            return try read(.input, atMost: limit, lineEnd: lineEnd, what: what)
        }
        // The name is not repeated: others put PINs into such texts.
        guard !path.hasPrefix("pkcs11:") else {
            throw UsageError(
                "\(what) is a file: a key in a token goes where the help says URI (./pkcs11:… is a file of that name)"
            )
        }
        let file = try Descriptor(reading: path)
        defer { file.close() }
        return try read(file, atMost: limit, lineEnd: lineEnd, what: what)
    }

    /// The one line of a file that others may neither read nor write, without its end; the caller wipes it.
    ///
    /// - Parameters:
    ///   - path: A file, or a pipe, which gives it once.
    ///   - limit: The most bytes; there is one at least.
    static func secretLine(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = try secret(path, "pin-file", atMost: limit) { mode throws(SystemError) in
            guard mode & 0o006 == 0 else { throw isOpen(path) }
        }
        guard 1...limit ~= bytes.count, bytes.allSatisfy({ $0 >= 0x20 }) else {
            wipe(&bytes)
            throw SystemError(.read, path, reason: "it is not one line of 1 to \(limit) bytes")
        }
        return bytes
    }

    /// The password in a file, or on standard input for `-`, without one line end; the caller wipes
    /// it.
    ///
    /// - Parameter admit: Is given the mode of a file, and throws where it is not used.
    static func password(
        _ path: String, admit: (mode_t) throws(SystemError) -> Void
    ) throws -> [UInt8] {
        let limit = 1_024
        // The name is not repeated: others put PINs into such texts.
        guard !path.utf8.starts(with: "pkcs11:".utf8) else {
            throw UsageError(
                "the password is a file: a key in a token goes where the help says URI")
        }
        var bytes = try secret(path, "password-file", atMost: limit, admit)
        guard bytes.count <= limit else {
            wipe(&bytes)
            let name = path == "-" ? Descriptor.input.name : path
            throw Rejection(
                .limitExceeded, step: "call",
                message: "the password \(printable(name)) has more than \(limit) bytes")
        }
        return bytes
    }

    static func isOpen(_ path: String) -> SystemError {
        SystemError(.read, path, reason: "everybody may read or write it (chmod 600)")
    }

    /// The bytes of the file of an option without one line end; more than `limit` where the file
    /// has more.
    private static func secret(
        _ path: String, _ option: String, atMost limit: Int,
        _ admit: (mode_t) throws(SystemError) -> Void
    ) throws(SystemError) -> [UInt8] {
        var file = Descriptor.input
        let isNamed = path != "-"
        if isNamed {
            do { file = try Descriptor(reading: path) } catch { throw error.withoutName(option) }
        }
        defer { if isNamed { file.close() } }
        guard let entry = Entry(of: file.raw) else { throw SystemError(.read, path) }
        if isNamed, entry.kind == .regular { try admit(entry.mode) }
        var bytes: [UInt8] = []
        // Room for all that is read, so that no half of it stays behind in memory that was too small.
        let room = limit + 3
        bytes.reserveCapacity(2 * room)
        while bytes.count < room, try file.read(into: &bytes, atMost: room - bytes.count) {}
        if bytes.last == 0x0a {
            bytes.removeLast()
            if bytes.last == 0x0d { bytes.removeLast() }
        }
        return bytes
    }

    private static func read(
        _ file: Descriptor, atMost limit: Int, lineEnd: Int, what: String
    ) throws -> [UInt8] {
        // Room for a key file, so that no half of a private key stays behind in memory that was too small.
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

    /// The names in a folder that end so, in order.
    static func names(in folder: String, endingWith ending: String) throws -> [String] {
        guard let stream = unsafe opendir(folder) else { throw SystemError(.read, folder) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        // Safe: the entry is valid until the next call, and its name is copied at once.
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { text in
                    unsafe String(cString: text)
                }
            }
            if name.hasSuffix(ending) { names.append(name) }
        }
        return names.sorted()
    }
}
