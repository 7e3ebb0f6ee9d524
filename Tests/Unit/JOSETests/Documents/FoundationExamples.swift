// The example of the page about Foundation's types, word for word, and what it does.

import Foundation
import JOSE
import JOSEFoundation
import Testing

/// Claims with Foundation's types.
struct Membership: Codable {
    var sub: String
    var exp: Date
    var site: URL
    var fee: Decimal
    var badge: Data
}

/// Who is a member at this time, by a token and the JWK Set as it came.
func membership(_ token: String, keys: Data, at time: Date) throws -> Membership {
    let verifier = try JWTVerifier(
        issuer: "https://club.example", audience: "door",
        signature: .required(keys: PublicJWKSet(json: keys), algorithms: [.es256]))
    return try verifier.verify(token, as: Membership.self, at: NumericDate(time))
}

@Suite("Examples of Foundation types")
struct FoundationExampleTests {
    @Test("a token is issued, read back, and rejected after it expired") func member() throws {
        let key = try JWK.generate(.curve(.p256), use: .signature, algorithm: .es256)
        let end = Date(timeIntervalSince1970: 1_760_000_300)
        struct Issued: Encodable {
            let iss = "https://club.example"
            let aud = "door"
            let membership: Membership
            func encode(to encoder: any Encoder) throws {
                try membership.encode(to: encoder)
                var members = encoder.container(keyedBy: Name.self)
                try members.encode(iss, forKey: .iss)
                try members.encode(aud, forKey: .aud)
            }
            enum Name: String, CodingKey { case iss, aud }
        }
        let told = Membership(
            sub: "zoe", exp: end, site: try #require(URL(string: "https://club.example/zoe")),
            fee: try #require(Decimal(string: "12.34")), badge: Data([1, 2, 3]))
        let token = try JWTIssuer(key: key, algorithm: .es256).issue(
            Issued(membership: told), at: NumericDate(end.addingTimeInterval(-60)))
        let keys = Data(try JWKSet(keys: [key]).publicKeys.json().utf8)
        let read = try membership(
            token, keys: keys, at: end.addingTimeInterval(-30))
        #expect(read.fee == told.fee && read.badge == told.badge && read.site == told.site)
        let error = #expect(throws: JOSEError.self) {
            _ = try membership(token, keys: keys, at: end.addingTimeInterval(120))
        }
        #expect(error?.claim == "exp")
    }
}
