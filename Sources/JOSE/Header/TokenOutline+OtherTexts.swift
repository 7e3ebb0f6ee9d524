// Recognises texts of other kinds that are passed as tokens: HTTP headers, JSON, URLs, files.

import JOSEBytes

extension TokenOutline {
    func otherKind() -> Finding? {
        guard let first = token.first else {
            return Finding(
                text: "the token is empty",
                advice: "Pass the token: the variable, file or header that it comes from is empty.")
        }
        if let scheme = ["Bearer ", "DPoP ", "Authorization:"].first(where: begins) {
            return Finding(
                text: "the text begins with '\(scheme)', which is not part of a token",
                advice: "Pass the token alone: what is before it belongs to the HTTP header.")
        }
        if isJSON { return json() }
        if let query = query() { return query }
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return Finding(
                text: "the text is in quotation marks",
                advice: "There are quotation marks in the token: take it out of its JSON.")
        case UInt8(ascii: "<"):
            return Finding(
                text: "the text is XML or HTML",
                advice: "Pass a JWT, not a SAML assertion or the error page of a server.")
        case 0xef where token.starts(with: [0xef, 0xbb, 0xbf]):
            return Finding(
                text: "the text begins with a byte order mark",
                advice: "Save the token without a byte order mark.")
        case 0xff, 0xfe, 0x00:
            return Finding(
                text: "the text is UTF-16 or binary", advice: "Save the token as ASCII.")
        default: break
        }
        if begins("-----BEGIN") {
            return Finding(
                text: "the text is PEM: a key or a certificate",
                advice: "Pass the token: the arguments for key and token were swapped.")
        }
        if token.contains(UInt8(ascii: "~")) {
            return Finding(
                text: "the text contains ~: an SD-JWT with disclosures (RFC 9901)",
                advice:
                    "Selective disclosure is not supported. The signed token ends before the "
                    + "first ~.")
        }
        return percentEncoded() ?? encodedTwice() ?? paseto()
    }

    /// Whether the token begins with `text`, ignoring ASCII case.
    private func begins(_ text: String) -> Bool {
        token.count >= text.utf8.count
            && zip(token, text.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    func json() -> Finding {
        let document = try? JSONDocument(token, maxDepth: JOSELimits.standard.jsonDepth)
        let members = [
            "signatures", "payload", "ciphertext", "id_token", "access_token", "kty", "keys",
        ]
        .filter { document?.member(named: $0) != nil }
        switch members.first {
        case "signatures", "payload":
            return Finding(
                text: "the text is a JWS in a JSON serialisation (RFC 7515, 7.2)",
                advice: """
                    Pass the compact form, or read it with `JWSVerifier.verifyJSON` (`josectl \
                    verify --form json`).
                    """, documentKind: .serialisation)
        case "ciphertext":
            return Finding(
                text: "the text is a JWE in the JSON serialisation (RFC 7516, 7.2)",
                advice: """
                    Pass the compact form, or read it with `JWEDecrypter.decryptJSON` (`josectl \
                    decrypt --form json`).
                    """, documentKind: .serialisation)
        case "id_token", "access_token":
            return Finding(
                text: "the text is a token response: a JSON object with \(members[0])",
                advice: "Pass the value of its member \(members[0]).")
        case "kty":
            return Finding(
                text: "the text is a JWK, not a token",
                advice: "Pass it as the key, and the token in its place.")
        case "keys":
            return Finding(
                text: "the text is a JWK Set, not a token",
                advice: "Pass it as the keys, and the token in its place.")
        default:
            return Finding(
                text: "the text is JSON, but not a token",
                advice:
                    "Pass the compact form: parts with dots between them. This may be a decoded "
                    + "payload.",
                documentKind: .unknown)
        }
    }

    /// Explains a URL, query or form.
    func query() -> Finding? {
        let names: [StaticString] = [
            "id_token", "access_token", "response", "request", "client_assertion", "logout_token",
            "assertion", "token", "jwt",
        ]
        if let name = names.first(where: holdsParameter) {
            return Finding(
                text: "the text contains the parameter \(name): a URL, query or form",
                advice: "Pass only the value of \(name), without the text before and after it.")
        }
        guard begins("https://") || begins("http://") else { return nil }
        return Finding(
            text: "the text is a URL",
            advice: "Pass the token itself: nothing is fetched from a URL.")
    }

    /// Whether a parameter of this name is at the beginning, or after `?`, `&` or `#`.
    private func holdsParameter(_ name: StaticString) -> Bool {
        let text = Array(name.description.utf8) + [UInt8(ascii: "=")]
        guard token.count >= text.count else { return false }
        return (0...token.count - text.count).contains { start in
            let isStart =
                start == 0 || [0x3f, 0x26, 0x23].contains(token[start - 1])
            return isStart && token[start...].starts(with: text)
        }
    }

    private func percentEncoded() -> Finding? {
        guard let index = token.firstIndex(of: UInt8(ascii: "%")), index + 2 < token.count,
            token[index + 1].hexadecimalValue != nil, token[index + 2].hexadecimalValue != nil
        else { return nil }
        return Finding(
            text: "the token is URL-encoded: '%' at byte \(index + 1)",
            advice: "Percent-decode the query or form value before you verify the token."
        )
    }

    /// Explains base64 of a whole token.
    private func encodedTwice() -> Finding? {
        guard dotCount == 0, token.count > 16 else { return nil }
        let text = token.filter { $0 > 0x20 }
        guard let decoded = TokenOutline.base64(text) else { return nil }
        let dots = decoded.count { $0 == CompactToken.dot }
        guard dots == 2 || dots == 4, decoded.starts(with: "ey".utf8) else { return nil }
        return Finding(
            text: "the text is base64 of a token with \(dots + 1) parts: it was encoded again",
            advice: "Decode it once: a compact token is base64url already.")
    }

    private func paseto() -> Finding? {
        guard token.count > 3, token[0] == UInt8(ascii: "v"), 0x31...0x34 ~= token[1],
            token[2] == CompactToken.dot
        else { return nil }
        return Finding(
            text: "the text has the form of a PASETO",
            advice: "PASETO is not a JWT and is not supported.")
    }

    /// The bytes of base64 or base64url, with or without padding.
    static func base64(_ text: [UInt8]) -> [UInt8]? {
        var characters = text
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        for index in characters.indices {
            if characters[index] == UInt8(ascii: "+") { characters[index] = UInt8(ascii: "-") }
            if characters[index] == UInt8(ascii: "/") { characters[index] = UInt8(ascii: "_") }
        }
        return Base64URL.decode(characters.span)
    }
}
