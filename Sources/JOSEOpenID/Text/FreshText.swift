// Random texts: state, nonce, verifiers, jti and codes.

import JOSE
import JOSEBytes
import JOSECrypto

enum FreshText {
    /// The base64url text of `bits` random bits.
    static func make(bits: Int) throws(JOSEError) -> String {
        do throws(CryptoFault) {
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
        do throws(CryptoFault) {
            let digest = try Hash.digest(.sha256, bytes)
            return Base64URL.encodeToString(digest.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// 43 characters of base64url: the form of a SHA-256 digest.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy {
                PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: ".")
                    && $0 != UInt8(ascii: "~")
            }
    }
}

extension String {
    /// Compares with a secret text in a time that depends on the lengths only.
    func isSecretly(_ other: String) -> Bool { equalConstantTime(utf8.span, other.utf8.span) }
}
