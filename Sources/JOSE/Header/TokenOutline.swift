// Describes a text that was passed as a token, and recognises common mistakes.

import JOSEBytes

/// What a text that was passed as a compact token looks like. Nothing in it is verified.
package struct TokenOutline {
    /// The outermost layer that the policy requires.
    package enum Expected { case signed, encrypted }

    let token: [UInt8]
    let dotCount: Int
    let isJSON: Bool

    package init(_ token: Span<UInt8>) {
        self.token = [UInt8](byteCapacity: token.count) { $0.append(copying: token) }
        dotCount = self.token.count { $0 == CompactToken.dot }
        isJSON = self.token.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    package var text: String {
        let size = "\(token.count) bytes"
        if isJSON { return "a JSON text of \(size), not a compact token" }
        return switch dotCount + 1 {
        case 3: "three parts, \(size): a signed token (JWS)"
        case 5: "five parts, \(size): an encrypted token (JWE)"
        case let count:
            "\(count) part\(count == 1 ? "" : "s"), \(size): neither a JWS (3) nor a JWE (5)"
        }
    }

    package struct Finding {
        package let text: String
        package let advice: String
        var setting: JOSEError.Setting?
        var documentKind = Document.other

        enum Document { case serialisation, other, unknown }
    }

    /// Returns the first defect of the format. Costs a few passes over the text.
    func finding(_ expected: Expected) -> Finding? {
        otherKind() ?? foreignCharacter() ?? otherParts(expected)
    }

    /// Explains JSON that was passed as a token, except a JWS or JWE.
    ///
    /// - Parameter isJSONWanted: If true, JSON of an unknown kind is not explained either.
    package func misplacedJSON(isJSONWanted: Bool) -> Finding? {
        guard isJSON else { return nil }
        let finding = json()
        switch finding.documentKind {
        case .serialisation: return nil
        case .unknown: return isJSONWanted ? nil : finding
        case .other: return finding
        }
    }

    /// Explains a URL, query or form that was passed as a token; nil for other texts.
    package var wrapping: Finding? { query() }

    private func part(at index: Int) -> String {
        let number = token[..<index].count { $0 == CompactToken.dot }
        let names =
            dotCount == 4
            ? ["header", "encrypted key", "IV", "ciphertext", "tag"]
            : ["header", "payload", "signature"]
        return number < names.count ? names[number] : "part \(number + 1)"
    }
}

// MARK: characters

extension TokenOutline {
    func foreignCharacter() -> Finding? {
        guard let index = token.firstIndex(where: { !TokenOutline.isTokenCharacter($0) }) else {
            return nil
        }
        let position = "byte \(index + 1), in the \(part(at: index))"
        switch token[index] {
        case ...0x20:
            let name =
                switch token[index] {
                case 0x0a: "a line feed"
                case 0x0d: "a carriage return"
                case 0x09: "a tab"
                case 0x20: "a space"
                default: "a control character"
                }
            let isAtEnd = !token[index...].contains { $0 > 0x20 }
            return Finding(
                text: isAtEnd
                    ? "there is white space at the end: \(name) at byte \(index + 1)"
                    : "there is white space in the token: \(name) at \(position)",
                advice: isAtEnd
                    ? "Remove the white space at the end: a line feed of the file or command "
                        + "that the token comes from."
                    : """
                    Remove the white space: a line was broken when the token was copied, mailed \
                    or folded, or something before the token is still there.
                    """)
        case UInt8(ascii: "="):
            return Finding(
                text: "there is padding: '=' at \(position)",
                advice:
                    "The sender must omit the padding (RFC 7515, 2): base64url in tokens has no =."
            )
        case UInt8(ascii: "+"), UInt8(ascii: "/"):
            return Finding(
                text: "there is a character of standard base64 at \(position)",
                advice: "The sender must use base64url, with - and _ instead of + and /.")
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"):
            return Finding(
                text: "there is a quotation mark or an escape at \(position)",
                advice: "There are quotation marks in the token: take it out of its JSON.")
        default:
            let rest = String(decoding: token[index...].prefix(4), as: UTF8.self).unicodeScalars
                .first
            let name = rest.map { printable(String($0), atMost: 16) } ?? "?"
            return Finding(
                text: "'\(name)' is not a base64url character: at \(position)",
                advice: "Copy the token again: a program changed or shortened its text.")
        }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == CompactToken.dot
    }
}

// MARK: parts

extension TokenOutline {
    private func otherParts(_ expected: Expected) -> Finding? {
        let parts = token.split(separator: CompactToken.dot, omittingEmptySubsequences: false)
        switch (dotCount, expected) {
        case (2, .encrypted):
            return Finding(
                text: "the token is only signed, and the policy requires encryption",
                advice: """
                    The sender does not encrypt for us (does it have our encryption key?), or \
                    this kind of token is not encrypted.
                    """, setting: .notEncrypted)
        case (4, .signed):
            return Finding(
                text: "the token is encrypted, and the policy requires a token that is only signed",
                advice:
                    "Give the verifier our decryption keys, or have the sender omit the "
                    + "encryption.",
                setting: .encrypted)
        case (2, .signed) where parts[0].isEmpty:
            return Finding(
                text: "the header is empty", advice: "Copy the token again: it lost its beginning.")
        case (2, .signed) where parts[2].isEmpty:
            return Finding(
                text: "the signature is empty: the token is not signed, or was cut off",
                advice: "Unsigned tokens (alg none) are never accepted: the sender must sign.")
        case (2, .signed) where parts[1].isEmpty:
            return Finding(
                text: "the payload is empty: the token may be detached (RFC 7515, appendix F)",
                advice: "Pass the payload too: `JWSVerifier.verifyDetached`.")
        case (2, _), (4, _): return nil
        case (0, _):
            return Finding(
                text:
                    "the text has no dot: an opaque token, or the beginning of one that was "
                    + "cut off",
                advice: """
                    An opaque access token or code is not checked here: ask the server that \
                    issued it (introspection, RFC 7662).
                    """)
        case (1, _), (3, _):
            return Finding(
                text: "the token has \(dotCount + 1) parts",
                advice: "Copy the whole token: one of its parts was cut off.")
        default:
            return Finding(
                text: "the token has \(dotCount + 1) parts",
                advice: "Pass one token: several were joined, or this is not a compact token.")
        }
    }
}

extension TokenOutline {
    /// Explains the first part that is not base64url. Call it if `finding` found nothing: then the
    /// end of the part is wrong.
    func cutPart() -> Finding? {
        var start = 0
        for part in token.split(separator: CompactToken.dot, omittingEmptySubsequences: false) {
            defer { start += part.count + 1 }
            guard !Base64URL.isValid(Array(part).span) else { continue }
            let name = self.part(at: min(start, max(token.count - 1, 0)))
            return Finding(
                text: "the \(name) has \(part.count) characters, and is not base64url at its end",
                advice: "Copy the whole token: a part of it was cut off or changed.")
        }
        return nil
    }
}

// MARK: explanations

extension Trace {
    func form(_ token: Span<UInt8>) { form(TokenOutline(token).text) }

    /// Explains a token that was rejected for its format. Shows the decoded header if the error is
    /// about the header and the text has no other defect.
    func form(_ token: Span<UInt8>, _ expected: TokenOutline.Expected, _ error: JOSEError) {
        guard error.code == .malformed else { return }
        if isInside, token.count > 0, token[0] == UInt8(ascii: "{") {
            note(.token, "the decrypted token contains JSON, not a signed token")
            return advise(
                "The sender encrypts claims without signing them. Anyone with our public key can "
                    + "do that.",
                .notSigned)
        }
        let outline = TokenOutline(token)
        guard let finding = outline.finding(expected) ?? outline.cutPart() else {
            if error.step == .header { header(of: token) }
            return
        }
        note(.token, finding.text)
        advise(finding.advice, finding.setting)
    }

    /// Explains a text that is not JSON, where a JSON serialisation is expected.
    func json(_ token: Span<UInt8>, _ error: JOSEError) {
        guard error.code == .malformed, error.step == .token else { return }
        let form = TokenOutline(token)
        guard !form.isJSON else { return }
        note(.token, "the text is not JSON: \(form.text)")
        advise(
            "Read a compact token with `verify` or `decrypt`, not `verifyJSON` or `decryptJSON`.")
    }

    private func header(of token: Span<UInt8>) {
        let dots = ByteOffsets(of: CompactToken.dot, in: token)
        guard dots.count > 0, dots.offsets.0 <= JOSELimits.standard.headerBytes,
            let bytes = Base64URL.decode(token.extracting(0..<dots.offsets.0))
        else { return }
        note(
            .header, "the header decodes to \(Trace.quoted(String(decoding: bytes, as: UTF8.self)))"
        )
        advise(
            "The sender must write the header as in RFC 7515 and RFC 7516."
        )
    }
}

extension Trace {
    /// A value as JSON on one line, escaped and at most `maxBytes` long.
    static func json(_ document: JSONDocument, at node: Int, atMost maxBytes: Int) -> String {
        let text: ArraySlice<UInt8> = document.text(at: node)
        let isString = document.kind(at: node) == .string
        let json = isString ? [0x22] + text + [0x22] : Array(text)
        return String(decoding: printable(json: json, atMost: maxBytes), as: UTF8.self)
    }
}
