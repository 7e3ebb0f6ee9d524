// What can be said of a token before anything is checked: its form, beside the form that the policy wants.

import JOSE

/// The outer form of a text that somebody holds for a token.
struct TokenShape {
    private let partCount: Int
    private let byteCount: Int
    private let hasBlanks: Bool
    private let isQuoted: Bool
    private let isJSON: Bool

    init(_ token: String) {
        partCount = token.utf8.count { $0 == UInt8(ascii: ".") } + 1
        byteCount = token.utf8.count
        hasBlanks = token.utf8.contains { $0 <= 0x20 }
        isQuoted = token.utf8.contains(UInt8(ascii: "\""))
        isJSON = token.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    /// One line: what it is.
    var text: String {
        let size = "\(byteCount) bytes"
        if isJSON { return "a JSON text of \(size): no compact token" }
        return switch partCount {
        case 3: "three parts, \(size): a signed token (JWS)"
        case 5: "five parts, \(size): an encrypted token (JWE)"
        default: "\(partCount) parts, \(size): neither a JWS (3) nor a JWE (5)"
        }
    }

    /// What to do about a form that is not the wanted one; nil where it fits.
    func advice(_ layers: Layers) -> String? {
        if isJSON { return "Pass the compact form: parts with dots between them." }
        if hasBlanks {
            return
                "There is white space in the token: a line was broken, or a prefix such as 'Bearer' is still there."
        }
        if isQuoted { return "There are quotation marks in the token: take it out of its JSON." }
        switch (partCount, layers) {
        case (3, .encryptedSigned), (3, .encrypted):
            return
                "The token is only signed, the policy wants it encrypted too. The sender does not encrypt for us (is our "
                + "encryption key registered there?), or this kind of token is not encrypted: --layers signed."
        case (5, .signed):
            return
                "The token is encrypted, the policy wants it signed only: --layers encrypted,signed and --decryption-keys."
        case (3, _), (5, _): return nil
        default: return "The token was cut off, or is no token."
        }
    }
}
