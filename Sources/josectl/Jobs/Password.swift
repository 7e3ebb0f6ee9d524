// Passwords for key files: from a file, never from the command line, where others could read them.

import JOSE
import JOSEBytes

extension Invocation {
    /// The password of an option that names a file; one line end behind it is taken away.
    func password(_ option: String) throws -> [UInt8]? {
        guard let path = line[option] else { return nil }
        var bytes = try Files.read(path, atMost: 1_024, what: "the password")
        if bytes.last == 0x0a {
            bytes.removeLast()
            if bytes.last == 0x0d { bytes.removeLast() }
        }
        return bytes
    }

    /// The password of a file that will be encrypted: one that protects, and that every program reads the same.
    ///
    /// A file that exists is read with whatever password it has.
    func newPassword(_ option: String) throws -> [UInt8]? {
        guard let path = line[option], let password = try password(option) else { return nil }
        guard let fault = PasswordFault(password) else { return password }
        throw Refusal.misuse("the password in \(printable(path)) \(fault.rawValue)")
    }
}

/// Why nothing is encrypted with a password.
private enum PasswordFault: String {
    case empty = "is empty: the file would be as good as not encrypted"
    case control = "holds control characters or a second line: other programs read it differently"
    case mark = "begins with a byte order mark: other programs read it differently"
    case encoding = "is not UTF-8: other programs read it differently"

    init?(_ password: [UInt8]) {
        // No copy of it is made.
        guard let text = try? UTF8Span(validating: password.span) else {
            self = .encoding
            return
        }
        var scalars = text.makeUnicodeScalarIterator()
        var isBlank = true
        var isFirst = true
        while let scalar = scalars.next() {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                self = .control
                return
            default: break
            }
            if isFirst, scalar == "\u{feff}" {
                self = .mark
                return
            }
            isFirst = false
            if !scalar.properties.isWhitespace { isBlank = false }
        }
        guard isBlank else { return nil }
        self = .empty
    }
}
