// PKCE with the method S256 (RFC 7636). `plain` is not supported.

public import JOSE
import JOSEBytes

/// A code verifier, which proves that the client that redeems a code also requested it.
public struct PKCE: Sendable {
    /// The code verifier. Keep it secret until the token request.
    public let verifier: String

    /// Creates a verifier of 256 random bits.
    ///
    /// - Throws: `internal` if the random generator fails.
    public init() throws(JOSEError) { verifier = try RandomString.make(bits: 256) }

    /// Creates a value from a stored or received verifier.
    ///
    /// - Throws: `malformed` unless the verifier has 43 to 128 unreserved characters (RFC 7636,
    ///   4.1).
    public init(verifier: String) throws(JOSEError) {
        guard 43...128 ~= verifier.utf8.count,
            verifier.utf8.allSatisfy(\.isUnreserved)
        else {
            throw .malformed(.message, "code_verifier is not 43 to 128 unreserved characters")
        }
        self.verifier = verifier
    }

    /// The code challenge: base64url of SHA-256 of the verifier.
    ///
    /// - Throws: `internal` if the digest fails.
    public var challenge: String {
        get throws(JOSEError) { try SHA256String.make(of: verifier) }
    }

    /// Compares the verifier with the challenge of the authorization request, in constant time.
    ///
    /// - Throws: `claimRejected` with `code_challenge` if it does not match.
    public func verify(_ challenge: String) throws(JOSEError) {
        guard try self.challenge.equalsConstantTime(challenge) else {
            throw .claimRejected("code_challenge", "the code_verifier does not match it")
        }
    }
}

extension PKCE: RedactedDescription {}
