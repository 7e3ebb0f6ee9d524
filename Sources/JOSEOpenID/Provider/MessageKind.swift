// Distinguishes the kinds of tokens that a client sends by their claims.

import JOSE
import JOSEBytes

/// A kind of token that a provider receives, with the claims that only other kinds have.
///
/// The guides have no `typ` for these tokens, and one key signs all of a client's tokens. So
/// mutually exclusive rules for the claims distinguish them (RFC 8725, 3.12).
struct MessageKind {
    private let foreignClaims: [StaticString]
    private var ownClaims: [StaticString] = []

    /// A request object. It has no `sub`, unlike the client's assertions (RFC 9101, 10.8).
    static let requestObject = MessageKind(foreignClaims: ["sub"])

    /// A client assertion (RFC 7523, 3). It has no parameters of requests or claims of responses.
    static let clientAssertion = MessageKind(
        foreignClaims: [
            "response_type", "redirect_uri", "nonce", "auth_time", "at_hash", "c_hash",
        ])

    /// A backchannel request (CIBA Core 1.0, 7.1.1). It has no parameters of a redirect.
    static let backchannelRequest = MessageKind(
        foreignClaims: [
            "sub", "response_type", "redirect_uri", "state", "nonce", "code_challenge",
        ])

    /// An ID Token of this provider as a hint. Logout tokens and signed UserInfo responses for the
    /// same client differ in these claims.
    static let idTokenHint = MessageKind(foreignClaims: ["events"], ownClaims: ["exp", "iat"])

    /// Throws `claimRejected` with a claim that belongs to another kind, or with a missing claim of
    /// this kind.
    func check(_ token: VerifiedJWT) throws(JOSEError) { try check(token.document) }

    /// Throws `claimRejected` with a claim that belongs to another kind, or with a missing claim of
    /// this kind.
    func check(_ claims: JSONDocument) throws(JOSEError) {
        for name in foreignClaims where claims.member(name) != nil {
            throw .claimRejected(name.description, "it belongs to another kind of token")
        }
        for name in ownClaims where claims.member(name) == nil {
            throw .claimRejected(name.description, "it is missing")
        }
    }
}
