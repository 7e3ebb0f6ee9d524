// A verified UserInfo response and its claims.

public import JOSE
import JOSEBytes

/// A verified UserInfo response. Only a relying party creates one. `UserClaims` has its typed
/// claims.
public struct VerifiedUserInfo: UserClaims {
    let document: JSONDocument
    /// The provider's names for claims without a standard name.
    public let claimNames: ClaimNames

    init(document: JSONDocument, names: ClaimNames) {
        self.document = document
        claimNames = names
    }

    /// The claims for typed access.
    public var verifiedClaims: VerifiedClaims { VerifiedClaims(document) }

    /// Returns a claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// Decodes the claims into a type.
    ///
    /// - Throws: `claimRejected` with the claim that has another type.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// `sub`: the subject of the ID Token.
    public var subject: String { document.member("sub").flatMap { document.string(at: $0) } ?? "" }

    /// `acr`: the level of the authentication, which itsme lists for this response. The requested
    /// level is checked in the ID Token, not here.
    public var acr: String? { get throws(JOSEError) { try verifiedClaims.members.text("acr") } }

    /// `auth_time`: when the user authenticated, which itsme lists for this response.
    public var authenticatedAt: NumericDate? {
        get throws(JOSEError) {
            let seconds = try verifiedClaims.members.integer(
                "auth_time", in: 0...253_402_300_799,
                or: "it is not a time from 1970 to 9999 in whole seconds")
            return seconds.flatMap { NumericDate(exactly: $0) }
        }
    }
}

extension VerifiedUserInfo: RedactedDescription {}
