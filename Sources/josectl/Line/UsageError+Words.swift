// What a usage error repeats of the command line: names, and nothing that may be a secret.

import JOSEBytes

extension UsageError {
    /// A word in quotation marks, or that it is not shown: a key, a token or a secret in its place
    /// would go to logs.
    static func shown(_ word: String) -> String {
        mayBeSecret(word) ? "what was given (not shown: it may be secret)" : "'\(printable(word))'"
    }

    /// An option that no command has; its name is shown where it has the form of one.
    static func unknownOption(_ word: String) -> UsageError {
        let bytes = word.utf8
        let name = bytes.dropFirst(2)
        let isLong =
            bytes.starts(with: "--".utf8) && 1...24 ~= name.count && name.first != 0x2d
            && name.count { 0x30...0x39 ~= $0 } <= 3
            && name.allSatisfy { byte in
                switch byte {
                case 0x61...0x7a, 0x30...0x39, 0x2d: true
                default: false
                }
            }
        // A letter alone, such as -k.
        let isShort = bytes.count == 2 && 0x61...0x7a ~= (bytes.last ?? 0) | 0x20
        guard isLong || isShort else {
            return UsageError("unknown option (not shown: it may be secret)")
        }
        return UsageError("unknown option '\(word)'")
    }

    /// Whether a word has another form than a name, a path or an algorithm.
    private static func mayBeSecret(_ word: String) -> Bool {
        let bytes = word.utf8
        guard NameInPlace(word) == nil, !word.begins(with: "eyJ") else { return true }
        guard !bytes.split(whereSeparator: { $0 == 0x2e || $0 == 0x2f }).contains(where: isRandom)
        else { return true }
        let isPath = bytes.contains(0x2e) || bytes.contains(0x2f)
        // Without a dot or a slash: 20 characters of base64 or hexadecimal digits.
        guard isPath || bytes.count < 20 else { return true }
        var isBase64 = bytes.count >= 32
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2f, 0x5f: break
            case 0x2e: isBase64 = false
            default: return true
            }
        }
        return isBase64
    }

    /// Whether a part of a word has 20 characters or more, with digits, capitals and small letters:
    /// names of files rarely have all of these, and random text nearly always.
    private static func isRandom(_ part: Substring.UTF8View) -> Bool {
        part.count >= 20 && part.contains { 0x30...0x39 ~= $0 }
            && part.contains { 0x41...0x5a ~= $0 } && part.contains { 0x61...0x7a ~= $0 }
    }
}
