// What the operating system rejects, in one line for people.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file or stream that could not be read or written; ends the tool with exit code 3.
struct SystemError: Error {
    enum Action: String {
        case read, write
    }
    let action: Action
    /// The path as the caller gave it, or the name of a standard stream.
    let name: String
    let reason: String

    init(_ action: Action, _ name: String, reason: String) {
        self.action = action
        self.name = name
        self.reason = reason
    }

    /// The reason is that of the last failed system call.
    init(_ action: Action, _ name: String, error: Int32 = errno) {
        // Safe: strerror always gives a text, which is copied at once.
        self.init(action, name, reason: unsafe String(cString: strerror(error)))
    }

    /// The same for a file that holds a secret: what is no file's name may be the secret itself,
    /// and is not repeated.
    ///
    /// - Parameter option: The option that names the file.
    func withoutName(_ option: String) -> SystemError {
        SystemError(
            action, "the file of --\(option)",
            reason: "\(reason) (the option takes the name of a file, never what is in it)")
    }

    var message: String {
        if let other = NameInPlace(name) { return "cannot \(action.rawValue) \(other.text)" }
        return "cannot \(action.rawValue) \(printable(name)): \(reason)"
    }
}

/// What was given in place of a file's name.
enum NameInPlace {
    /// A key or a JSON text: it may be secret, and is not repeated.
    case contents
    /// A URL, which may have a token in it.
    case url

    init?(_ name: String) {
        let bytes = name.utf8
        let start = bytes.first { $0 > 0x20 }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
            || NameInPlace.holdsMarks(bytes) || NameInPlace.isEncoded(name)
        {
            self = .contents
        } else if ["https://", "http://"].contains(where: { bytes.starts(with: $0.utf8) }) {
            self = .url
        } else {
            return nil
        }
    }

    /// Whether it has a quotation mark (JSON), a carriage return or the dashes of PEM, or begins
    /// with `base64:`.
    private static func holdsMarks(_ bytes: String.UTF8View) -> Bool {
        let dashes = Array("-----".utf8)
        return bytes.contains(0x22) || bytes.contains(0x0d) || bytes.starts(with: "base64:".utf8)
            || bytes.indices.contains { bytes[$0...].starts(with: dashes) }
    }

    /// Whether it is base64 or base64url of more than a file is named by: DER, PEM, a token, or a
    /// secret as in `k`.
    private static func isEncoded(_ name: String) -> Bool {
        let bytes = name.utf8
        if bytes.contains(0x0a) { return true }
        if bytes.count >= 64, ["MI", "LS0t", "ey"].contains(where: { bytes.starts(with: $0.utf8) })
        {
            return true
        }
        return bytes.count >= 40
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x3d, 0x5f: true
                default: false
                }
            }
    }

    var text: String {
        switch self {
        case .contents: "a file: expected its name, found its contents"
        case .url:
            "a file: expected its name, found a URL; josectl fetches nothing: save it first "
                + "(curl -fsS URL -o FILE)"
        }
    }
}
