// Usage errors repeat names from the command line, but nothing that may be a secret.

import JOSEBytes

extension UsageError {
    /// Hides a word that may be a key, a token or a secret: messages end up in logs.
    static func shown(_ word: String) -> String {
        mayBeSecret(word) ? "the given value (not shown: it may be secret)" : "'\(printable(word))'"
    }

    /// The error shows the word only if it looks like the name of an option.
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
        // A single letter, such as -k.
        let isShort = bytes.count == 2 && 0x61...0x7a ~= (bytes.last ?? 0) | 0x20
        guard isLong || isShort else {
            return UsageError("unknown option (not shown: it may be secret)")
        }
        return UsageError("unknown option '\(word)'")
    }

    /// Whether a word does not look like a name, a path or an algorithm.
    private static func mayBeSecret(_ word: String) -> Bool {
        let bytes = word.utf8
        guard MisplacedValue(word) == nil, !word.begins(with: "eyJ") else { return true }
        guard !bytes.split(whereSeparator: { $0 == 0x2e || $0 == 0x2f }).contains(where: isRandom)
        else { return true }
        let isPath = bytes.contains(0x2e) || bytes.contains(0x2f)
        // Without a dot or a slash, 20 characters may be base64 or hexadecimal.
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

    /// Whether a part of a word has at least 20 characters, with digits, capitals and small
    /// letters. File names rarely have all of these; random text nearly always does.
    private static func isRandom(_ part: Substring.UTF8View) -> Bool {
        part.count >= 20 && part.contains { 0x30...0x39 ~= $0 }
            && part.contains { 0x41...0x5a ~= $0 } && part.contains { 0x61...0x7a ~= $0 }
    }
}
