// PKCE with S256, the only method that this package speaks (RFC 7636).

public import JOSE
import JOSEBytes

/// A code verifier: what proves at the token endpoint that the code came to whoever asked for it.
public struct PKCE: Sendable {
    /// The verifier: keep it until the token request, and from everybody.
    public let verifier: String

    /// A new verifier of 256 random bits.
    ///
    /// - Throws: `internal` without random numbers.
    public init() throws(JOSEError) { verifier = try FreshText.make(bits: 256) }

    /// A verifier that was kept or received.
    ///
    /// - Throws: `malformed` unless it has 43 to 128 unreserved characters (RFC 7636, 4.1).
    public init(verifier: String) throws(JOSEError) {
        guard 43...128 ~= verifier.utf8.count,
            verifier.utf8.allSatisfy(PercentEncoding.isUnreserved)
        else { throw .malformed(.message, "the code verifier is not well-formed") }
        self.verifier = verifier
    }

    /// The challenge: base64url of the SHA-256 digest.
    ///
    /// - Throws: `internal` if the digest fails.
    public var challenge: String {
        get throws(JOSEError) { try FreshText.digest(of: verifier) }
    }

    /// Verifies the verifier against the challenge of the authorization request, in constant time.
    ///
    /// - Throws: `claimRejected` with `code_challenge` where it does not fit.
    public func verify(_ challenge: String) throws(JOSEError) {
        guard try self.challenge.isSecretly(challenge) else {
            throw .claimRejected("code_challenge", "the code verifier does not fit it")
        }
    }
}

extension PKCE: RedactedDescription {
    package var shownAs: String { "proof key" }
}
