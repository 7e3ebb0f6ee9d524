// Tokens given as JSON objects: the form that no reader accepts is malformed, the rest not supported yet.

import JOSE
import JOSEBytes

enum JSONTokenForm {
    /// Members of the JSON serialisations (RFC 7515, 7.2; RFC 7516, 7.2).
    private static let known: Set<String> = [
        "payload", "protected", "header", "signature", "signatures", "unprotected", "recipients",
        "encrypted_key", "iv", "aad", "ciphertext", "tag",
    ]
    /// Members that count only where they are protected.
    private static let protectedOnly: Set<String> = ["alg", "enc", "zip", "crit", "b64"]

    /// Why the token in this object is refused.
    static func refusal(_ document: JSONDocument, _ token: Int) -> Refusal {
        let malformed = Refusal(
            .malformed, step: "token", message: "no JWS or JWE of the JSON serialisations")
        var names = Set<String>()
        var entries = [token]
        document.forEachMember(of: token) { (name, value) in
            let name = document.string(at: name) ?? ""
            names.insert(name)
            guard name == "signatures" || name == "recipients" else { return }
            document.forEachElement(of: value) { entries.append($0) }
        }
        let isSigned = names.contains("payload") && !names.contains("ciphertext")
        let isEncrypted = names.contains("ciphertext") && !names.contains("payload")
        let several = names.contains("signatures") || names.contains("recipients")
        let single = names.contains("signature") || names.contains("encrypted_key")
        guard names.isSubset(of: known), isSigned || isEncrypted, !(several && single),
            !isSigned || several || single, !several || entries.count > 1,
            entries.allSatisfy({ hasSoundHeaders(document, $0) })
        else { return malformed }
        return .unsupported("JSON serialisations are not supported yet")
    }

    /// Whether the headers of an entry are disjoint and nothing decisive stands unprotected.
    private static func hasSoundHeaders(_ document: JSONDocument, _ entry: Int) -> Bool {
        guard document.kind(at: entry) == .object else { return false }
        var isSound = true
        var protected = Set<String>()
        if let node = document.member("protected", of: entry) {
            guard let text = document.string(at: node),
                let bytes = Base64URL.decode(text.utf8.span),
                let header = try? JSONDocument(bytes, maximumDepth: BatchRequest.depth)
            else { return false }
            header.forEachMember { (name, _) in protected.insert(header.string(at: name) ?? "") }
        }
        for name in ["header", "unprotected"] {
            guard let node = document.member(named: name, of: entry) else { continue }
            document.forEachMember(of: node) { (name, _) in
                let name = document.string(at: name) ?? ""
                if protectedOnly.contains(name) || protected.contains(name) { isSound = false }
            }
        }
        return isSound
    }
}
