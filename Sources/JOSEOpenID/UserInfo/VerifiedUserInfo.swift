// The proof that a UserInfo answer was verified, and the ways to its claims.

public import JOSE
import JOSEBytes

/// A UserInfo answer that was accepted; only a relying party makes one. Its claims by type are those of `UserClaims`.
public struct VerifiedUserInfo: UserClaims {
    let document: JSONDocument
    /// The provider's names for the claims that no specification names.
    public let claimNames: ClaimNames

    init(document: JSONDocument, names: ClaimNames) {
        self.document = document
        claimNames = names
    }

    /// What the readers by type read.
    public var verifiedClaims: VerifiedClaims { VerifiedClaims(document) }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// `sub`: the subject of the ID Token.
    public var subject: String { document.member("sub").flatMap { document.string(at: $0) } ?? "" }

    /// `acr`, which one guide lists for this response: how the user authenticated. The level that was requested is checked in the ID
    /// Token, not here.
    public var acr: String? { get throws(JOSEError) { try verifiedClaims.members.text("acr") } }

    /// `auth_time`, which the same guide lists: when the user authenticated.
    public var authenticatedAt: NumericDate? {
        get throws(JOSEError) {
            let seconds = try verifiedClaims.members.integer(
                "auth_time", in: 0...253_402_300_799,
                or: "it is not a time from 1970 to 9999 in whole seconds")
            return seconds.flatMap { NumericDate(exactly: $0) }
        }
    }
}

extension VerifiedUserInfo: RedactedDescription {
    package var shownAs: String { "UserInfo" }
}
