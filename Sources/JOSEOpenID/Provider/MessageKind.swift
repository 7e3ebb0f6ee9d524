// What tells a token that a client sends from those of other kinds, where nothing in its header does.

import JOSE
import JOSEBytes

/// A kind of token that a provider receives, by the claims that only tokens of other kinds have.
///
/// The guides know no `typ` for them, and one key signs all that a client sends, so the claims decide: rules that
/// exclude each other (RFC 8725, 3.12).
struct MessageKind {
    private let foreignClaims: [StaticString]
    private let ownClaims: [StaticString]

    private init(foreignClaims: [StaticString], ownClaims: [StaticString] = []) {
        self.foreignClaims = foreignClaims
        self.ownClaims = ownClaims
    }

    /// Parameters of a request: it has no subject, as every other token has one, the client's own assertion first of
    /// all (RFC 9101, 10.8).
    static let requestObject = MessageKind(foreignClaims: ["sub"])

    /// Who a client is (RFC 7523, 3): it asks for nothing and answers nothing.
    static let clientAssertion = MessageKind(
        foreignClaims: [
            "response_type", "redirect_uri", "nonce", "auth_time", "at_hash", "c_hash",
        ])

    /// A request for a user who is at no browser of the client's (CIBA Core 1.0, 7.1.1): it goes back nowhere.
    static let backchannelRequest = MessageKind(
        foreignClaims: [
            "sub", "response_type", "redirect_uri", "state", "nonce", "code_challenge",
        ])

    /// An ID Token that comes back to who made it, who gives the same client logout tokens and signed UserInfo answers of that user.
    static let idTokenHint = MessageKind(foreignClaims: ["events"], ownClaims: ["exp", "iat"])

    /// Throws `claimRejected` with the claim that tells of another kind.
    func check(_ token: VerifiedJWT) throws(JOSEError) { try check(token.document) }

    /// As for a token, of its claims.
    func check(_ claims: JSONDocument) throws(JOSEError) {
        for name in foreignClaims where claims.member(name) != nil {
            throw .claimRejected(name.description, "it belongs to a token of another kind")
        }
        for name in ownClaims where claims.member(name) == nil {
            throw .claimRejected(name.description, "it is missing")
        }
    }
}
