// The proof that an ID Token was verified, and the ways to its claims.

public import JOSE
import JOSEBytes

/// An ID Token whose layers, signature and claims were accepted; only a relying party makes one. What it tells of the user
/// are claims by the types of `UserClaims`.
public struct VerifiedIDToken: UserClaims {
    /// The verified token.
    public let token: VerifiedJWT
    /// `sub`: who the user is, for this issuer.
    public let subject: String
    /// `auth_time`: when the user authenticated.
    public let authenticatedAt: NumericDate?
    /// `acr`: how.
    public let acr: String?
    /// The client that it was issued to, and its provider's claim names.
    let party: TokenParty
    /// The values of `acr` that the login asked for: a refreshed token is held to them too.
    let requestedACRValues: [String]
    /// The strongest `acr` of the login and the refreshes before; nil where it is `acr`.
    let strongestACR: String?
    /// The claims of the login, which a refreshed token is compared with; nil where this is the
    /// login's own ID Token.
    let login: JSONDocument?

    /// The provider's names for the claims that no specification names.
    public var claimNames: ClaimNames { party.claimNames }
    /// The client that it was issued to.
    var clientID: String { party.clientID }
    /// `iss`.
    public var issuer: String { token.issuer ?? "" }
    /// `exp`.
    public var expires: NumericDate? { token.expiration }
    /// `iat`.
    public var issuedAt: NumericDate? { token.issuedAt }

    init(
        token: VerifiedJWT, party: TokenParty, subject: String, authenticatedAt: NumericDate?,
        acr: String?, requested: [String], strongest: String? = nil,
        login: JSONDocument? = nil
    ) {
        self.token = token
        self.party = party
        self.subject = subject
        self.authenticatedAt = authenticatedAt
        self.acr = acr
        requestedACRValues = requested
        strongestACR = strongest
        self.login = login
    }

    /// What the readers by type read.
    public var verifiedClaims: VerifiedClaims { VerifiedClaims(token.document) }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { token[name] }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try token.decode(type)
    }
}

/// What all ID Tokens of a client share. A class, as copying the names of all claims costs a count
/// of references each.
final class TokenParty: Sendable {
    let clientID: String
    let claimNames: ClaimNames

    init(clientID: String, claimNames: ClaimNames) {
        self.clientID = clientID
        self.claimNames = claimNames
    }
}

extension VerifiedIDToken: RedactedDescription {
    package var shownAs: String { "ID Token" }
}
