// at_hash and c_hash for ID Tokens that we issue; the engine checks them in those that we read.

public import JOSE
import JOSECrypto

/// The hashes that bind an ID Token to what came beside it (OpenID Connect Core, 3.1.3.6).
public enum TokenHash {
    /// The base64url text of the left half of the digest, by the hash of the ID Token's own algorithm.
    ///
    /// - Parameters:
    ///   - value: The access token or the code.
    ///   - algorithm: The signature algorithm of the ID Token.
    /// - Throws: `unsupported` where no hash is defined for the algorithm, `internal` if the digest fails.
    public static func make(
        of value: String, for algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        guard let hash = algorithm.tokenHash else { throw HashAlgorithm.noneForTokens }
        return try hash.leftHalf(of: value)
    }
}
