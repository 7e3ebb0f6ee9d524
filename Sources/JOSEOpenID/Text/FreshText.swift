// Random texts: state, nonce, verifiers, jti and codes.

import JOSE
import JOSEBytes
import JOSECrypto

enum FreshText {
    /// The base64url text of `bits` random bits.
    static func make(bits: Int) throws(JOSEError) -> String {
        do throws(CryptoError) {
            let bytes = try Random.bytes(bits / 8)
            return Base64URL.encodeToString(bytes.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// The base64url text of the SHA-256 digest of a text.
    static func digest(of text: String) throws(JOSEError) -> String {
        try digest(of: text.utf8.span)
    }

    /// The base64url text of the SHA-256 digest of bytes.
    static func digest(of bytes: Span<UInt8>) throws(JOSEError) -> String {
        do throws(CryptoError) {
            return try withScratch(of: UInt8.self, capacity: 32) { (digest) throws(CryptoError) in
                try Hash.digest(.sha256, bytes, into: &digest)
                return Base64URL.encodeToString(digest.span)
            }
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// 43 characters of base64url: the form of a SHA-256 digest.
    static func isDigest(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count == 43 else { return false }
        for index in bytes.indices {
            let byte = bytes[index]
            guard PercentEncoding.isUnreserved(byte), byte != UInt8(ascii: "."),
                byte != UInt8(ascii: "~")
            else { return false }
        }
        return true
    }
}

extension String {
    /// Compares with a secret text in a time that depends on the lengths only.
    func isSecretly(_ other: String) -> Bool { equalConstantTime(utf8.span, other.utf8.span) }
}
