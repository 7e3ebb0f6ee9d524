// Passwords for key files: from a file, never from the command line, where others could read them.

import JOSE

extension Invocation {
    /// The password of an option that names a file; one line end behind it is taken away.
    func password(_ option: String) throws -> [UInt8]? {
        guard let path = line[option] else { return nil }
        var bytes = try Files.read(path, atMost: 1_024, what: "the password")
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        return bytes
    }
}
