// A decrypted JWE of the JSON serialisations.

import JOSEBytes

/// A flattened or general JWE whose tag was accepted. Only a decrypter creates one.
public struct DecryptedJSONJWE: Sendable {
    /// The plaintext. It is confidential, but anyone with the public key may have written it.
    public let unauthenticatedPlaintext: [UInt8]
    /// `aad`, decoded: data that is authenticated but not encrypted; empty if the token has none.
    public let additionalData: [UInt8]
    /// The protected header; nil if the token has none.
    public let header: ProtectedHeader?
    /// The shared unprotected header. Anyone in transit may have changed it.
    public let unprotectedHeader: [String: JSONValue]
    /// The unprotected header of the recipient whose key decrypted the token: also unauthenticated.
    public let recipientHeader: [String: JSONValue]
    /// The `kid` of the key that decrypted the token; nil if the key has none.
    public let keyID: String?

    init(
        _ plaintext: [UInt8], _ token: JWEText, _ recipient: JWEText.Recipient, keyID: String?
    ) throws(JOSEError) {
        unauthenticatedPlaintext = plaintext
        additionalData = token.encodedAAD.flatMap { Base64URL.decode($0.span) } ?? []
        let protected = token.protected
        header = protected.isEmpty ? nil : try ProtectedHeader(encoded: protected.span)
        unprotectedHeader = try token.text.document.unprotectedMembers(token.unprotected)
        recipientHeader = try token.text.document.unprotectedMembers(recipient.unprotectedHeader)
        self.keyID = keyID
    }
}

extension DecryptedJSONJWE: RedactedDescription {}
