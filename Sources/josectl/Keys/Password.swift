// Reads passwords from files, never from the command line, which other users can see.

import JOSE
import JOSEBytes

/// Owns the password and wipes it.
final class Password {
    private(set) var bytes: [UInt8]

    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    deinit { wipe(&bytes) }
}

extension Invocation {
    /// Reads the password of an input file. If everyone may read the password file, only warns.
    func password(_ option: String) throws -> Password? {
        guard let path = line[option] else { return nil }
        return try Password(
            Files.password(path) { mode throws(SystemError) in
                guard mode & 0o002 == 0 else {
                    throw SystemError(
                        .read, path, reason: "everyone may write to it; run chmod 600")
                }
                if mode & 0o004 != 0 {
                    output.note(
                        "warning: everyone may read \(printable(path)); run chmod 600"
                    )
                }
            })
    }

    /// Rejects a password file that everyone may read, and text that programs read differently.
    func newPassword(_ option: String) throws -> Password? {
        guard let path = line[option] else { return nil }
        let password = try Password(
            Files.password(path) { mode throws(SystemError) in
                try Files.checkPrivate(mode, path)
            })
        guard let failure = PasswordError(password.bytes) else { return password }
        throw Rejection.misuse("the password in \(printable(path)) \(failure.rawValue)")
    }
}

private enum PasswordError: String {
    case empty = "is empty: it would protect nothing"
    case control = "has control characters or a second line: other programs read it differently"
    case mark = "begins with a byte order mark: other programs read it differently"
    case encoding = "is not UTF-8: other programs read it differently"

    init?(_ password: [UInt8]) {
        // Validate without a copy.
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
