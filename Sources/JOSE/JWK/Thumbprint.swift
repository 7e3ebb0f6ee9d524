// JWK thumbprints: RFC 7638, and as URIs RFC 9278.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// A hash function for thumbprints, with its name in RFC 9278.
    public struct ThumbprintHash: Sendable, Hashable {
        /// The registered hash name, such as `sha-256`.
        public let name: String
        let hash: HashAlgorithm

        /// SHA-256, the usual one.
        public static let sha256 = ThumbprintHash(name: "sha-256", hash: .sha256)
        /// SHA-384 (RFC 9278 names it `sha-384`).
        public static let sha384 = ThumbprintHash(name: "sha-384", hash: .sha384)
        /// SHA-512 (RFC 9278 names it `sha-512`).
        public static let sha512 = ThumbprintHash(name: "sha-512", hash: .sha512)

        /// All supported hash functions.
        public static let all: [ThumbprintHash] = [.sha256, .sha384, .sha512]
    }

    /// Returns the thumbprint of the public key in base64url (RFC 7638, 3).
    ///
    /// The thumbprint of a symmetric key is a hash of the secret, with which others can verify a
    /// guess of the key (RFC 7638, 7).
    ///
    /// - Throws: `internal` if the hash fails.
    public func thumbprint(_ hash: ThumbprintHash = .sha256) throws(JOSEError) -> String {
        try prepared.thumbprint(hash)
    }

    /// Returns the thumbprint as a URI (RFC 9278, 3); throws as `thumbprint(_:)`.
    public func thumbprintURI(_ hash: ThumbprintHash = .sha256) throws(JOSEError) -> String {
        "urn:ietf:params:oauth:jwk-thumbprint:\(hash.name):\(try thumbprint(hash))"
    }
}

extension PreparedKey {
    func thumbprint(_ hash: JWK.ThumbprintHash) throws(JOSEError) -> String {
        // The text of a symmetric key contains the secret. The buffer is wiped, and never grows,
        // which would leave a copy behind.
        var writer = JSONWriter(capacity: material.sizeBits / 6 + 128)
        defer { writer.wipe() }
        writer.beginObject()
        try material.writeThumbprintMembers(to: &writer)
        writer.endObject()
        let text = writer.bytes.span
        do throws(CryptoError) {
            return try withScratch(of: UInt8.self, capacity: hash.hash.digestBytes) {
                (digest) throws(CryptoError) in
                try Hash.digest(hash.hash, text, into: &digest)
                return Base64URL.encodeToString(digest.span)
            }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }
}
