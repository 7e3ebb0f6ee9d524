// A verified UserInfo response and its claims.

public import JOSE
import JOSEBytes

/// A UserInfo response that a relying party verified. `UserClaims` has typed access to its claims.
public struct VerifiedUserInfo: UserClaims {
    let document: JSONDocument
    /// The provider's own claim names, for claims that no specification defines.
    public let claimNames: ClaimNames

    init(document: JSONDocument, names: ClaimNames) {
        self.document = document
        claimNames = names
    }

    /// The claims for the typed properties of `UserClaims`.
    public var verifiedClaims: VerifiedClaims { VerifiedClaims(document) }

    /// Returns a claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// Decodes the claims into a type.
    ///
    /// - Throws: `claimRejected` with the claim that has another type.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// `sub`: the user; equal to the `sub` of the ID Token.
    public var subject: String { document.member("sub").flatMap { document.string(at: $0) } ?? "" }

    /// `acr`: the authentication context class reference, which itsme returns here too. Only the ID
    /// Token's `acr` is checked against the requested values.
    public var acr: String? { get throws(JOSEError) { try verifiedClaims.members.text("acr") } }

    /// `auth_time`: when the user authenticated. itsme returns it here too.
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
