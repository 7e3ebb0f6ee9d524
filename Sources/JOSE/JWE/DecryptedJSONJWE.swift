// What a JWE of the JSON serialisations held.

import JOSEBytes

/// A flattened or general JWE that was decrypted and whose tag was accepted; only a decrypter makes one.
public struct DecryptedJSONJWE: Sendable {
    /// The plaintext: confidential, but anyone with the public key may have written it.
    public let unauthenticatedPlaintext: [UInt8]
    /// `aad`: what the sender bound to the plaintext without encrypting it; empty where there is none.
    public let additionalData: [UInt8]
    /// The protected header; nil where the token has none.
    public let header: ProtectedHeader?
    /// The shared unprotected header, which anyone on the way may have changed.
    public let unprotectedHeader: [String: JSONValue]
    /// The unprotected header of the recipient whose key decrypted.
    public let recipientHeader: [String: JSONValue]
    /// The `kid` of the key that decrypted; nil where the key has none.
    public let keyID: String?

    init(
        _ plaintext: [UInt8], _ token: JWEText, _ recipient: JWEText.Recipient, keyID: String?
    ) throws(JOSEError) {
        unauthenticatedPlaintext = plaintext
        additionalData = token.additional.flatMap { Base64URL.decode($0.span) } ?? []
        let protected = token.protected
        header = protected.isEmpty ? nil : try ProtectedHeader(encoded: protected.span)
        unprotectedHeader = try token.text.document.unprotectedMembers(token.unprotected)
        recipientHeader = try token.text.document.unprotectedMembers(recipient.own)
        self.keyID = keyID
    }
}

extension DecryptedJSONJWE: RedactedDescription {
    package var shownAs: String { "decrypted JWE" }
}
