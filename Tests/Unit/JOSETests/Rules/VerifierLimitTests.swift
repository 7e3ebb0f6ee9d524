// The limits of a JWT verifier apply to its tokens at every entry point.

import JOSE
import Testing

@Suite("Limits of JWT verifiers")
struct VerifierLimitTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let claims = #"{"iss":"i","aud":"a","exp":1760000300}"#
    private static let signed = #"{"alg":"RS256","kid":"sig-1"}"#

    /// The result of both kinds of verifier, which must agree.
    private func verdict(
        _ token: String, _ limits: JOSELimits, isNested: Bool, ofRule: JOSELimits? = nil
    ) async throws -> String {
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        let encryption: EncryptionRule =
            isNested
            ? .required(
                key: TestKeys.decrypting, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                limits: ofRule) : .notEncrypted
        let verifier = try JWTVerifier(
            issuer: "i", audience: "a", encryption: encryption,
            signature: .required(keys: keys, algorithms: [.rs256], limits: ofRule),
            limits: limits)
        let fetched = try AsyncJWTVerifier(
            issuer: "i", audience: "a", encryption: encryption, keys: keys, algorithms: [.rs256],
            limits: limits)
        let text = try Rejection.verdict { _ = try verifier.verify(token, at: Self.now) }
        let bytes = try Rejection.verdict {
            _ = try verifier.verify(Array(token.utf8), at: Self.now)
        }
        let other = try await Rejection.asyncResult {
            _ = try await fetched.verify(token, at: Self.now)
        }
        let explained =
            verifier.explain(token, at: Self.now).error.map(Rejection.text) ?? "accepted"
        #expect(text == bytes && text == explained)
        if ofRule == nil { #expect(text == other) }
        return text
    }

    private func token(isNested: Bool, padding: Int = 0) throws -> String {
        let claims =
            "{\"x\":\"\(String(repeating: "x", count: padding))\"," + Self.claims.dropFirst()
        let inner = try TestToken.signed(Self.signed, claims)
        return isNested ? try TestToken.nested(inner) : inner
    }

    @Test("a token at the limit is accepted, one byte more is not", arguments: [false, true])
    func size(isNested: Bool) async throws {
        let token = try token(isNested: isNested)
        var limits = JOSELimits()
        limits.tokenBytes = token.utf8.count
        #expect(try await verdict(token, limits, isNested: isNested) == "accepted")
        limits.tokenBytes -= 1
        #expect(try await verdict(token, limits, isNested: isNested) == "limit-exceeded")
        // A rule's limits do not raise the verifier's.
        #expect(
            try await verdict(token, limits, isNested: isNested, ofRule: .standard)
                == "limit-exceeded")
    }

    @Test("limits above the defaults reach the layers", arguments: [false, true])
    func raised(isNested: Bool) async throws {
        let token = try token(isNested: isNested, padding: 300_000)
        #expect(try await verdict(token, .standard, isNested: isNested) == "limit-exceeded")
        let limits = JOSELimits.with { $0.tokenBytes = 1 << 20 }
        #expect(try await verdict(token, limits, isNested: isNested) == "accepted")
        #expect(
            try await verdict(token, limits, isNested: isNested, ofRule: .standard)
                == "limit-exceeded")
    }

    @Test("the limit on headers reaches both layers", arguments: [false, true])
    func header(isNested: Bool) async throws {
        let token = try token(isNested: isNested)
        let limits = JOSELimits.with { $0.headerBytes = 30 }
        #expect(try await verdict(token, limits, isNested: isNested) == "limit-exceeded")
        #expect(
            try await verdict(token, limits, isNested: isNested, ofRule: .standard) == "accepted")
    }

    @Test("claims nested deeper than the limit are rejected")
    func depth() async throws {
        let token = try TestToken.signed(Self.signed, #"{"x":[[1]],"# + Self.claims.dropFirst())
        var limits = JOSELimits()
        limits.jsonDepth = 2
        #expect(
            try await verdict(token, limits, isNested: false, ofRule: .standard)
                == "limit-exceeded")
        limits.jsonDepth = 3
        #expect(try await verdict(token, limits, isNested: false) == "accepted")
    }
}
