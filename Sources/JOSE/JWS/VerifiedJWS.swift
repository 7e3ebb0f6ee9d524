// Verified JWS: compact (`VerifiedJWS`) and in JSON (`VerifiedJSONJWS`).

import JOSEBytes

/// A compact JWS whose signature was accepted. Only a verifier creates one.
public struct VerifiedJWS: Sendable {
    /// The payload's bytes.
    public let payload: [UInt8]
    let check: SignatureCheck
    let keyIndex: Int
    let source: HeaderSource

    /// Parses the protected header from the token, at each call.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The `kid` of the key that verified the signature; nil if the key has none.
    public var keyID: String? { check.keyID(keyIndex) }
}

extension VerifiedJWS: RedactedDescription {}

/// A flattened or general JWS that meets its `SignatureRequirement`. Only a verifier creates one.
public struct VerifiedJSONJWS: Sendable {
    /// The payload's bytes.
    public let payload: [UInt8]
    /// The verified signatures in token order: with `.any` the first valid one, with `.each` those
    /// of the required keys.
    public let signatures: [Signature]
}

extension VerifiedJSONJWS {
    /// A verified signature and its headers.
    public struct Signature: Sendable {
        /// The protected header; nil if the signature has none.
        public let header: ProtectedHeader?
        /// The unprotected header, which anyone in transit may have changed.
        public let unprotectedHeader: [String: JSONValue]
        /// The `kid` of the key that verified the signature; nil if the key has none.
        public let keyID: String?

        init(_ entry: JWSText.Entry, _ document: JSONDocument, keyID: String?) throws(JOSEError) {
            let protected = entry.protected
            header = protected.isEmpty ? nil : try ProtectedHeader(encoded: protected.span)
            unprotectedHeader = try document.unprotectedMembers(entry.unprotected)
            self.keyID = keyID
        }
    }
}

extension VerifiedJSONJWS: RedactedDescription {}
extension VerifiedJSONJWS.Signature: RedactedDescription {}
