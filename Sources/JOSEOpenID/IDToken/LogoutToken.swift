// A verified logout token (OpenID Connect Back-Channel Logout 1.0).

public import JOSE
import JOSEBytes

/// A logout token that `RelyingParty.verifyLogout` verified, with `subject`, `sessionID` or both.
public struct VerifiedLogoutToken: Sendable {
    /// `sub`: the user whose sessions end.
    public let subject: String?
    /// `sid`: the session that ends. If nil, sessions of the user end; see `issuedAt`.
    public let sessionID: String?
    /// `iat`: when the provider issued the logout token. A token without `sessionID` ends only the
    /// user's sessions whose ID Token was not issued later.
    public let issuedAt: NumericDate

    /// The member of `events` that marks a logout token.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks a JWT whose encryption, signature, `iss`, `aud` and times are verified (2.4 and 2.6).
    /// A `nonce` is rejected, so that no ID Token is accepted (2.4).
    init(_ token: VerifiedJWT) throws(JOSEError) {
        let document = token.document
        guard document.member("nonce") == nil else {
            throw .claimRejected("nonce", "it belongs to another kind of token")
        }
        guard let events = document.member("events"), document.kind(at: events) == .object,
            let event = document.member(named: VerifiedLogoutToken.event, of: events),
            document.kind(at: event) == .object
        else { throw .claimRejected("events", "it is not the event of a logout token") }
        subject = try VerifiedLogoutToken.string("sub", document)
        sessionID = try VerifiedLogoutToken.string("sid", document)
        guard subject != nil || sessionID != nil else {
            throw .claimRejected("sub", "both sub and sid are missing")
        }
        guard let issuedAt = token.issuedAt else {
            throw .claimRejected("iat", "it is required and missing")
        }
        self.issuedAt = issuedAt
    }

    private static func string(
        _ name: StaticString, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        guard let index = document.member(name) else { return nil }
        guard let text = document.string(at: index), !text.isEmpty else {
            throw .claimRejected(name.description, "it is not a non-empty string")
        }
        return text
    }
}

extension VerifiedLogoutToken: RedactedDescription {}
