// at_hash and c_hash for ID Tokens that we issue; the engine checks them in those that we read.

public import JOSE
import JOSEBytes
import JOSECrypto

/// The hashes that bind an ID Token to what came beside it (OpenID Connect Core, 3.1.3.6).
public enum TokenHash {
    /// The base64url text of the left half of the digest, by the hash of the ID Token's own algorithm.
    ///
    /// - Throws: `internal` if the digest fails.
    public static func make(
        of value: String, for algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        do throws(CryptoFault) {
            let digest = try Hash.digest(algorithm.hash, value.utf8.span)
            return Base64URL.encodeToString(digest.span.extracting(first: digest.count / 2))
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}
