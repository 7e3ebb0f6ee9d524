// Additional members in the header of issued tokens: written as given, and never in place of the
// library's own.

import JOSE
import Testing

@Suite("Headers of issued tokens")
struct IssuerHeaderTests {
    private static let claims = ["iss": "i", "aud": "a"]
    private static let now = NumericDate(exactly: 1_760_000_000)

    private static func issuer(
        type: String? = nil, header: HeaderParameters = HeaderParameters()
    ) throws -> JWTIssuer {
        try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(60), type: type,
            header: header)
    }

    @Test("RFC 7515 4: typ, cty and custom members are written together with alg and kid")
    func written() throws {
        let header = HeaderParameters(
            contentType: "x", additional: ["tenant": "t", "list": [1, "a"]])
        let token = try Self.issuer(type: "at+jwt", header: header).issue(Self.claims, at: Self.now)
        let verifier = try JWTVerifier(
            issuer: "i", audience: "a",
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])), type: "at+jwt")
        let read = try verifier.verify(token, at: Self.now).header()
        #expect(read.algorithm == "RS256" && read.keyID == "sig-1")
        #expect(read.type == "at+jwt" && read.contentType == "x")
        #expect(read["tenant"] == "t" && read["list"] == [1, "a"])
        let typed = try Self.issuer(header: HeaderParameters(type: "at+jwt")).issue(
            Self.claims, at: Self.now)
        #expect(try verifier.verify(typed, at: Self.now).header().type == "at+jwt")
        // Only requested members are written.
        let plain = try Self.issuer().issue(Self.claims, at: Self.now)
        #expect(try TestToken.header(plain) == #"{"alg":"RS256","kid":"sig-1"}"#)
    }

    @Test("a reserved name, two types, or a cty that marks the claims as a token is misuse")
    func contradictions() throws {
        for (type, header) in [
            (nil, HeaderParameters(additional: ["kid": "x"])), ("a", HeaderParameters(type: "b")),
            ("a", HeaderParameters(type: "a")), (nil, HeaderParameters(contentType: "JWT")),
            (nil, HeaderParameters(contentType: "jwt")),
            (nil, HeaderParameters(contentType: "application/JWT")),
        ] as [(String?, HeaderParameters)] {
            expectRejection("misuse") { _ = try Self.issuer(type: type, header: header) }
        }
    }
}
