// Which claims an issuer refuses for want of `exp`: only a member of the outermost object counts.

import JOSE
import Testing

@Suite struct IssuerExpirationTests {
    private static let key = try? JWK.generate(use: .signature)

    private func issuer() throws -> JWTIssuer {
        try JWTIssuer(key: #require(IssuerExpirationTests.key), algorithm: .rs256)
    }

    private struct Inner: Encodable { var exp = 1 }

    @Test("exp of a nested object is not the token's")
    func nested() throws {
        struct Claims: Encodable { var inner = Inner() }
        let issuer = try issuer()
        let error = #expect(throws: JOSEError.self) { try issuer.issue(Claims()) }
        #expect(error?.code == .misuse)
    }

    @Test("exp before, between and behind nested objects counts")
    func present() throws {
        struct First: Encodable { var exp = 1; var inner = Inner() }
        struct Last: Encodable { var inner = Inner(); var exp = 1 }
        let issuer = try issuer()
        #expect(try !issuer.issue(First()).isEmpty)
        #expect(try !issuer.issue(Last()).isEmpty)
    }

    @Test("more names than fingerprints: the finished text tells", arguments: [false, true])
    func many(hasExpiration: Bool) throws {
        var claims: [String: Int] = [:]
        for number in 0..<100 { claims["name\(number)"] = number }
        if hasExpiration { claims["exp"] = 4_102_444_800 }
        let issuer = try issuer()
        if hasExpiration {
            #expect(try !issuer.issue(claims).isEmpty)
        } else {
            #expect(throws: JOSEError.self) { try issuer.issue(claims) }
        }
    }
}
