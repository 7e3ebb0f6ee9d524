// Passwords for key files: from a file, never from the command line, where others could read them.

import JOSE
import JOSEBytes

/// A password, wiped when nothing uses it any more.
final class Password {
    private(set) var bytes: [UInt8]

    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    deinit { wipe(&bytes) }
}

extension Invocation {
    /// The password of an option that names a file; one line end behind it is taken away.
    ///
    /// A file that everybody may read is used with a warning: it opens what is encrypted already.
    func password(_ option: String) throws -> Password? {
        guard let path = line[option] else { return nil }
        return try Password(
            Files.password(path) { mode throws(SystemError) in
                guard mode & 0o002 == 0 else {
                    throw SystemError(.read, path, reason: "everybody may write it (chmod 600)")
                }
                if mode & 0o004 != 0 {
                    output.note(
                        "warning: everybody may read the password in \(printable(path)) (chmod 600)"
                    )
                }
            })
    }

    /// The password of a file that will be encrypted: one that protects, that no other user may
    /// read or write, and that every program reads the same.
    ///
    /// A file that exists is read with whatever password it has.
    func newPassword(_ option: String) throws -> Password? {
        guard let path = line[option] else { return nil }
        let password = try Password(
            Files.password(path) { mode throws(SystemError) in
                guard mode & 0o006 == 0 else { throw Files.isOpen(path) }
            })
        guard let failure = PasswordError(password.bytes) else { return password }
        throw Rejection.misuse("the password in \(printable(path)) \(failure.rawValue)")
    }
}

/// Why nothing is encrypted with a password.
private enum PasswordError: String {
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
