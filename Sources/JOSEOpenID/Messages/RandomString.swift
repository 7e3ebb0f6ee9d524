// Random strings (state, nonce, verifiers, jti, codes) and base64url SHA-256 digests.

import JOSE
import JOSEBytes
import JOSECrypto

enum RandomString {
    /// Returns base64url of `bits` random bits, a multiple of 8.
    static func make(bits: Int) throws(JOSEError) -> String {
        do throws(CryptoError) {
            let bytes = try Random.bytes(bits / 8)
            return Base64URL.encodeToString(bytes.span)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }
}

enum SHA256String {
    static func make(of text: String) throws(JOSEError) -> String { try make(of: text.utf8.span) }

    /// Returns base64url of the SHA-256 digest.
    static func make(of bytes: Span<UInt8>) throws(JOSEError) -> String {
        do throws(CryptoError) {
            return try withScratch(of: UInt8.self, capacity: 32) { (digest) throws(CryptoError) in
                try Hash.digest(.sha256, bytes, into: &digest)
                return Base64URL.encodeToString(digest.span)
            }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    /// Whether the string has the 43 base64url characters of a SHA-256 digest.
    static func isWellFormed(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count == 43 else { return false }
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte.isUnreserved, byte != UInt8(ascii: "."),
                byte != UInt8(ascii: "~")
            else { return false }
        }
        return true
    }
}

extension String {
    /// Compares with a secret string in a time that depends only on the lengths.
    func equalsConstantTime(_ other: String) -> Bool {
        equalConstantTime(utf8.span, other.utf8.span)
    }
}
