// A logout token: what it says, and the proof that one was verified (OpenID Connect Back-Channel Logout 1.0).

import JOSE
import JOSEBytes

/// A logout token that was accepted; only a relying party makes one. At least one of its two members is there.
public struct VerifiedLogoutToken: Sendable {
    /// `sub`: the user whose sessions end.
    public let subject: String?
    /// `sid`: the session that ends; nil for all of the user's.
    public let sessionID: String?

    /// What happened, as the one member of `events`.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Reads what the engine accepted, layers, signature, `iss`, `aud` and times.
    ///
    /// - Throws: `claimRejected` with the claim that is missing, is another than it must be, or tells of another kind of token.
    ///
    /// Source: 2.4 and 2.6.
    init(_ token: VerifiedJWT) throws(JOSEError) {
        let document = token.document
        guard document.member("nonce") == nil else {
            throw .claimRejected("nonce", "it belongs to a token of another kind")
        }
        guard let events = document.member("events"), document.kind(at: events) == .object,
            let event = document.member(named: VerifiedLogoutToken.event, of: events),
            document.kind(at: event) == .object
        else { throw .claimRejected("events", "it does not tell of a logout") }
        subject = try VerifiedLogoutToken.text("sub", document)
        sessionID = try VerifiedLogoutToken.text("sid", document)
        guard subject != nil || sessionID != nil else {
            throw .claimRejected("sub", "neither sub nor sid is there")
        }
    }

    private static func text(
        _ name: StaticString, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        guard let index = document.member(name) else { return nil }
        guard let text = document.string(at: index), !text.isEmpty else {
            throw .claimRejected(name.description, "it is not a text")
        }
        return text
    }
}

extension VerifiedLogoutToken: RedactedDescription {
    package var shownAs: String { "logout token" }
}
