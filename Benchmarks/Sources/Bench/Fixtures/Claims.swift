// The claims of an ID Token with twenty members, about 600 bytes, and one with a photo.

struct IDTokenClaims: Codable, Equatable, Sendable {
    var iss: String
    var sub: String
    var aud: String
    var exp: Int
    var iat: Int
    var nbf: Int
    var jti: String
    var nonce: String
    var auth_time: Int
    var acr: String
    var amr: [String]
    var azp: String
    var at_hash: String
    var name: String
    var given_name: String
    var family_name: String
    var email: String
    var email_verified: Bool
    var locale: String
    var updated_at: Int

    static let issuer = "https://idp.example.com"
    static let audience = "s6BhdRkqt3"

    static let sample = IDTokenClaims(
        iss: issuer, sub: "8f14e45f-ceea-467a-9af0-c8f3d7d1b2a6", aud: audience, exp: 4_102_444_800,
        iat: 1_700_000_000, nbf: 1_700_000_000, jti: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        nonce: "cQWwnrhKPyyNyPpVKxPwPF6dVJEBUB5ZzXkTRFkUFx0", auth_time: 1_699_999_990,
        acr: "urn:mace:incommon:iap:silver",
        amr: ["pwd", "otp"], azp: audience, at_hash: "77QmUPtjPfzWtF2AnpK9RQ",
        name: "Zoë van den Berg", given_name: "Zoë", family_name: "van den Berg",
        email: "zoe.vandenberg@example.com", email_verified: true, locale: "nl-BE",
        updated_at: 1_699_000_000)
}

/// The same person with a picture that brings the claims to a given size.
struct PhotoClaims: Codable {
    var iss: String
    var sub: String
    var aud: String
    var exp: Int
    var iat: Int
    var picture: String

    static func sample(bytes: Int) -> PhotoClaims {
        PhotoClaims(
            iss: IDTokenClaims.issuer, sub: "248289761001", aud: IDTokenClaims.audience,
            exp: 4_102_444_800, iat: 1_700_000_000,
            picture: String(repeating: "iVBORw0KGgoAAAANSUhEUg", count: 1 + (bytes - 150) / 22))
    }
}
