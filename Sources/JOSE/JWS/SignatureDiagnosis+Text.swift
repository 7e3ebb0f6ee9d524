// Finds out whether a signature is over another text, such as the payload alone.

import JOSEBytes
import JOSECrypto

extension SignatureDiagnosis {
    /// Texts that signers sign by mistake.
    private var otherTexts: [(name: String, text: [UInt8])] {
        guard let dot = input.firstIndex(of: CompactToken.dot) else { return [] }
        let (header, payload) = (Array(input[..<dot]), Array(input[(dot + 1)...]))
        var texts: [(String, [UInt8])] = [
            ("the token with a line feed after it", input + [0x0a]),
            ("the payload alone", payload),
        ]
        if let digest = try? Hash.digest(algorithm.hash, input.span) {
            texts.append(("the digest of the text, which was hashed twice", digest))
            texts.append(
                ("the digest of the text in hexadecimal", SignatureDiagnosis.hexText(digest)))
        }
        if let bytes = Base64URL.decode(payload.span) {
            texts.append(("the decoded payload alone", bytes))
            texts.append(
                (
                    "the payload before base64url (RFC 7797, b64)",
                    header + [CompactToken.dot] + bytes
                )
            )
            if let json = Base64URL.decode(header.span) {
                texts.append(
                    ("header and payload before base64url", json + [CompactToken.dot] + bytes))
            }
        }
        return texts
    }

    func text(_ digest: [UInt8], _ hash: HashAlgorithm) -> String {
        otherTexts.first { (try? Hash.digest(hash, $0.text.span)) == digest }?.name
            ?? "the token was changed after it was signed, or something else was signed"
    }

    func adviseText() {
        trace.advise(
            """
            The key is right and the signed text is not: compare the token with the one that was \
            issued. The signing input is the base64url of the header, a dot and the base64url of \
            the payload, as in the token (RFC 7515, 5.1).
            """)
    }

    func explainOtherText() -> Bool {
        guard
            let found = otherTexts.first(where: { verifies(signature, over: $0.text, by: selected) }
            )
        else { return false }
        note("the signature is by \(name), and over another text: \(found.name)")
        adviseText()
        return true
    }
}
