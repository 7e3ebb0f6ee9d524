// The parts of a received message as they stand in the token.

import JOSEBytes

/// The base64url texts of a message; nothing of them is decoded yet.
struct EncodedParts: ~Escapable {
    /// What is authenticated besides the ciphertext; it is not decoded at all.
    let authenticated: Span<UInt8>
    let encryptedKey: Span<UInt8>
    let iv: Span<UInt8>
    let ciphertext: Span<UInt8>
    let tag: Span<UInt8>

    /// The parts of a compact token.
    @inline(__always)
    @_lifetime(copy token)
    init(_ token: Span<UInt8>, _ parts: CompactJWE) {
        authenticated = token.extracting(parts.header)
        encryptedKey = token.extracting(parts.encryptedKey)
        iv = token.extracting(parts.iv)
        ciphertext = token.extracting(parts.ciphertext)
        tag = token.extracting(parts.tag)
    }

    @inline(__always)
    @_lifetime(copy authenticated, copy encryptedKey, copy iv, copy ciphertext, copy tag)
    init(
        authenticated: Span<UInt8>, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>
    ) {
        self.authenticated = authenticated
        self.encryptedKey = encryptedKey
        self.iv = iv
        self.ciphertext = ciphertext
        self.tag = tag
    }
}
