// A verified compact JWS.

import JOSEBytes

/// A compact JWS whose signature was accepted. Only a verifier creates one.
public struct VerifiedJWS: Sendable {
    /// The payload's bytes.
    public let payload: [UInt8]
    private let check: SignatureCheck
    private let keyIndex: Int
    private let source: HeaderSource

    init(payload: [UInt8], check: SignatureCheck, keyIndex: Int, source: HeaderSource) {
        self.payload = payload
        self.check = check
        self.keyIndex = keyIndex
        self.source = source
    }

    /// Returns the protected header, parsed again from the token at each call.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The `kid` of the key that verified the signature; nil if the key has none.
    public var keyID: String? { check.keyID(keyIndex) }
}

extension VerifiedJWS: RedactedDescription {}
