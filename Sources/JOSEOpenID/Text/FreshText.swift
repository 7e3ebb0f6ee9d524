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
        do throws(CryptoFault) {
            let digest = try Hash.digest(.sha256, text.utf8.span)
            return Base64URL.encodeToString(digest.span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}

extension String {
    /// Compares with a secret text in a time that depends on the lengths only.
    func isSecretly(_ other: String) -> Bool { equalConstantTime(utf8.span, other.utf8.span) }

    /// Whether all characters are visible ASCII or the space (RFC 6749, appendix A).
    var isVisible: Bool { utf8.allSatisfy { 0x20...0x7e ~= $0 } }
}
