// The dates, parties and header of a verified JWT, as in the token.

import JOSE
import Testing

@Suite("Verified JWT")
struct VerifiedJWTTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let header = #"{"alg":"RS256","kid":"sig-1","typ":"JWT","x":"\u0079"}"#

    private static func verified(_ claims: String) throws -> VerifiedJWT {
        try JWTVerifier.checking(
            .any, signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing]))
        ).verify(TestToken.signed(header, claims), at: now)
    }

    @Test("RFC 7519 4.1: every registered claim is returned by name") func members() throws {
        let token = try Self.verified(
            #"""
            {"iss":"https:\/\/i","sub":"s","aud":["a","\u0062"],"exp":1760000300,
            "nbf":1759999999.25,"iat":1.7599999E9,"jti":"j"}
            """#)
        #expect(token.issuer == "https://i" && token.subject == "s" && token.jwtID == "j")
        #expect(token.audience == ["a", "b"])
        #expect(token.expiration == NumericDate(exactly: 1_760_000_300))
        #expect(
            token.notBefore
                == NumericDate(exactly: 1_759_999_999, attoseconds: 250_000_000_000_000_000))
        #expect(token.issuedAt == NumericDate(exactly: 1_759_999_900))
        #expect(token.keyID == "sig-1")
    }

    @Test("absent claims are nil or an empty list") func absent() throws {
        let token = try Self.verified("{}")
        #expect(token.issuer == nil && token.subject == nil && token.jwtID == nil)
        #expect(token.audience.isEmpty)
        #expect(token.expiration == nil && token.notBefore == nil && token.issuedAt == nil)
        #expect(try Self.verified(#"{"aud":"a"}"#).audience == ["a"])
        #expect(try Self.verified(#"{"aud":[]}"#).audience.isEmpty)
        // A nested member does not count.
        let inner = try Self.verified(#"{"x":{"iss":"i","exp":1,"aud":"a"}}"#)
        #expect(inner.issuer == nil && inner.expiration == nil && inner.audience.isEmpty)
    }

    @Test(
        "the header of a signed token, alone and encrypted: from strings, bytes and fetched keys",
        arguments: [false, true])
    func header(isNested: Bool) async throws {
        let pair = try VerifierPair(.any, isNested ? .rsa() : .notEncrypted)
        let inner = try TestToken.signed(Self.header, #"{"sub":"s"}"#)
        let token = isNested ? try TestToken.nested(inner, #","o":1"#) : inner
        // More than once, so that a cached header is tested, too.
        for _ in 0..<4 {
            for verified in [
                try pair.local.verify(token, at: Self.now),
                try pair.local.verify(Array(token.utf8), at: Self.now),
                try await pair.fetched.verify(token, at: Self.now),
            ] {
                let header = try verified.header()
                #expect(header.json == Self.header && verified.subject == "s")
                #expect(header.algorithm == "RS256" && header.keyID == "sig-1")
                #expect(header.type == "JWT" && header["x"]?.string == "y")
            }
        }
    }

    @Test("the header of a token that is only encrypted") func encrypted() throws {
        let verifier = try JWTVerifier.checking(.any, .rsa(), signature: .insecureNotSigned)
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
        let token = try TestToken.encrypted(header, "{}")
        let verified = try verifier.verify(token, at: Self.now)
        #expect(try verified.header().json == header)
        #expect(try verified.header().encryption == .a128CBCHS256)
    }
}
