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

enum Files {
    /// The bytes of a file, or of standard input for `-`.
    ///
    /// Throws `SystemFault` where it cannot be read, `Refusal` where it has more than `limit` bytes.
    static func read(_ path: String, atMost limit: Int, what: String) throws -> [UInt8] {
        guard path != "-" else { return try read(.input, atMost: limit, what: what) }
        let file = try Descriptor(reading: path)
        defer { file.close() }
        return try read(file, atMost: limit, what: what)
    }

    private static func read(
        _ file: Descriptor, atMost limit: Int, what: String
    ) throws -> [UInt8] {
        // Room for a key file, so that no half of a private key stays behind in memory that was too small.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(196_608)
        while try file.read(into: &bytes, atMost: 65_536) {
            guard bytes.count <= limit else {
                throw Refusal(
                    .limitExceeded, step: "call",
                    message: "\(what) \(printable(file.name)) has more than \(limit) bytes")
            }
        }
        return bytes
    }

    /// The names in a folder that end so, in order.
    static func names(in folder: String, endingWith ending: String) throws -> [String] {
        guard let stream = unsafe opendir(folder) else { throw SystemFault(.read, folder) }
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
