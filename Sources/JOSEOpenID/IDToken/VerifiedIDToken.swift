// A verified ID Token and its claims.

public import JOSE
import JOSEBytes

/// An ID Token that `RelyingParty` verified. `UserClaims` has typed access to its claims.
public struct VerifiedIDToken: UserClaims {
    /// The token with its header and all claims.
    public let token: VerifiedJWT
    /// `sub`: the user's identifier at this issuer.
    public let subject: String
    /// `auth_time`: when the user authenticated.
    public let authenticatedAt: NumericDate?
    /// `acr`: the authentication context class reference.
    public let acr: String?
    let client: IDTokenClient
    /// The `acr` values that the login requested. Refreshed ID Tokens are checked with them too.
    let requestedACRValues: [String]
    /// The strongest `acr` of the login and its refreshes; nil stands for the `acr` of this token.
    let strongestACR: String?
    /// The claims of the login's ID Token, to compare refreshed ones with; nil in the login's own.
    let login: JSONDocument?

    /// The provider's own claim names, for claims that no specification defines.
    public var claimNames: ClaimNames { client.claimNames }
    var clientID: String { client.clientID }
    /// `iss`: the issuer's URL, equal to the metadata's `issuer`.
    public var issuer: String { token.issuer ?? "" }
    /// `exp`: when the ID Token expires. The user's session may last longer.
    public var expires: NumericDate? { token.expiration }
    /// `iat`: when the provider issued the ID Token.
    public var issuedAt: NumericDate? { token.issuedAt }

    init(
        token: VerifiedJWT, client: IDTokenClient, subject: String, authenticatedAt: NumericDate?,
        acr: String?, requested: [String], strongest: String? = nil,
        login: JSONDocument? = nil
    ) {
        self.token = token
        self.client = client
        self.subject = subject
        self.authenticatedAt = authenticatedAt
        self.acr = acr
        requestedACRValues = requested
        strongestACR = strongest
        self.login = login
    }

    /// The claims for the typed properties of `UserClaims`.
    public var verifiedClaims: VerifiedClaims { VerifiedClaims(token.document) }

    /// Returns a claim by name.
    public subscript(name: String) -> JSONValue? { token[name] }

    /// Decodes the claims into a type.
    ///
    /// - Throws: `claimRejected` with the claim that cannot be decoded.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try token.decode(type)
    }
}

/// The client of an ID Token. A class, because a copied struct would retain every claim name.
final class IDTokenClient: Sendable {
    let clientID: String
    let claimNames: ClaimNames

    init(clientID: String, claimNames: ClaimNames) {
        self.clientID = clientID
        self.claimNames = claimNames
    }
}

extension VerifiedIDToken: RedactedDescription {}

enum BackchannelClaim {
    static let requestID = "urn:openid:params:jwt:claim:auth_req_id"
    static let refreshTokenHash = "urn:openid:params:jwt:claim:rt_hash"
}
