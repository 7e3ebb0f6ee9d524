// Distinguishes the kinds of JWTs that a client sends, by their claims.

import JOSE
import JOSEBytes

/// A kind of JWT that a provider receives. A client signs all its JWTs with one key, and providers'
/// guides define no `typ`. So mutually exclusive claims distinguish the kinds (RFC 8725, 3.12).
struct MessageKind {
    private let foreignClaims: [StaticString]
    private var requiredClaims: [StaticString] = []

    /// A request object. Unlike a client assertion, it has no `sub` (RFC 9101, 10.8).
    static let requestObject = MessageKind(foreignClaims: ["sub"])

    /// A client assertion (RFC 7523, 3).
    static let clientAssertion = MessageKind(
        foreignClaims: [
            "response_type", "redirect_uri", "nonce", "auth_time", "at_hash", "c_hash",
        ])

    /// A backchannel request (CIBA Core 1.0, 7.1.1).
    static let backchannelRequest = MessageKind(
        foreignClaims: [
            "sub", "response_type", "redirect_uri", "state", "nonce", "code_challenge",
        ])

    /// An ID Token as a hint. Logout tokens have `events`; signed UserInfo responses have no `exp`.
    static let idTokenHint = MessageKind(foreignClaims: ["events"], requiredClaims: ["exp", "iat"])

    /// Throws `claimRejected` with a claim of another kind, or with a missing claim of this kind.
    func check(_ token: VerifiedJWT) throws(JOSEError) { try check(token.document) }

    func check(_ claims: JSONDocument) throws(JOSEError) {
        for name in foreignClaims where claims.member(name) != nil {
            throw .claimRejected(name.description, "it belongs to another kind of token")
        }
        for name in requiredClaims where claims.member(name) == nil {
            throw .claimRejected(name.description, "it is missing")
        }
    }
}
