// A verified compact JWS.

import JOSEBytes

/// A compact JWS whose signature was accepted. Only a verifier creates one.
public struct VerifiedJWS: Sendable {
    /// The payload's bytes.
    public let payload: [UInt8]
    let check: SignatureCheck
    let keyIndex: Int
    let source: HeaderSource

    /// Returns the protected header, parsed again from the token at each call.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The `kid` of the key that verified the signature; nil if the key has none.
    public var keyID: String? { check.keyID(keyIndex) }
}

extension VerifiedJWS: RedactedDescription {}
