// The proof that a JWS of the JSON serialisations has the signatures that its reader asked for.

import JOSEBytes

/// A flattened or general JWS whose signatures satisfied the rule; only a verifier makes one.
public struct VerifiedJSONJWS: Sendable {
    /// The payload's bytes.
    public let payload: [UInt8]
    /// The signatures that were verified, in the order of the token; with `.any` the first that was right.
    public let signatures: [VerifiedSignature]
}

/// One signature that was accepted.
public struct VerifiedSignature: Sendable {
    /// The protected header; nil where the signature has none.
    public let header: ProtectedHeader?
    /// The members that stand beside it, which anyone on the way may have changed.
    public let unprotectedHeader: [String: JSONValue]
    /// The `kid` of the key that verified; nil where the key has none.
    public let keyID: String?

    init(_ entry: JWSText.Entry, _ document: JSONDocument, keyID: String?) throws(JOSEError) {
        let protected = entry.protected
        header = protected.isEmpty ? nil : try ProtectedHeader(encoded: protected.span)
        unprotectedHeader = try document.unprotectedMembers(entry.unprotected)
        self.keyID = keyID
    }
}

extension VerifiedJSONJWS: RedactedDescription {
    package var shownAs: String { "verified JWS" }
}

extension VerifiedSignature: RedactedDescription {
    package var shownAs: String { "verified signature" }
}
