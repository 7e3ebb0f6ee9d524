// Times, lifetimes and counts from callers are in range or rejected early.

import JOSE
import JOSEBytes
import JOSEOpenID
import Testing

@Suite("Numeric arguments")
struct NumberTests {
    private static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest

    private func issuer(_ lifetime: Int) throws -> JWTIssuer {
        try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(lifetime))
    }

    @Test("a token that would expire after the year 9999 is not created") func lastYear() throws {
        let last = try need(NumericDate(exactly: 253_402_300_799))
        let life = 253_402_300_799 - 1_760_000_000
        #expect(try issuer(life).issue(["sub": "a"], at: Self.now).hasPrefix("eyJ"))
        expectRejection("misuse") { _ = try issuer(life + 1).issue(["sub": "a"], at: Self.now) }
        expectRejection("misuse") { _ = try issuer(1).issue(["sub": "a"], at: last) }
        let recipient = try JWTRecipient.rsa()
        expectRejection("misuse") {
            _ = try issuer(life + 1).issue(["sub": "a"], encryptedFor: recipient, at: Self.now)
        }
    }

    @Test("the leeway of a replay entry is the caller's, but never negative")
    func leeways() {
        func kept(_ leeway: Duration) -> Duration {
            ReplayEntry(
                purpose: "p", issuer: "i", audience: "a", tokenID: "t", leeway: leeway,
                expires: Self.now
            ).leeway
        }
        for leeway in [Duration.seconds(-1), .nanoseconds(-1), Duration(attoseconds: .min)] {
            #expect(kept(leeway) == .zero)
        }
        // A shorter one would let a store that dropped the entry accept a token twice.
        for leeway in [Duration.zero, .seconds(301), Duration(attoseconds: .max)] {
            #expect(kept(leeway) == leeway)
        }
    }

    @Test("limits are clamped to zero and to what offsets can represent")
    func limits() {
        var limits = JOSELimits()
        limits.inflatedBytes = -1
        #expect(limits.inflatedBytes == 0)
        limits.inflatedBytes = .max
        #expect(limits.inflatedBytes == 1 << 29)
        limits.tokenBytes = .max
        #expect(limits.tokenBytes == 1 << 29)
        limits.recipientCount = .max
        #expect(limits.recipientCount == 1_000)
        limits.jsonDepth = .max
        #expect(limits.jsonDepth == 128)
        limits.maxIterations = .max
        #expect(limits.maxIterations == (1 << 31) - 1)
        limits.minIterations = .min
        #expect(limits.minIterations == 1)
        // A minimum above the maximum allows no key and must not trap as a range.
        limits.minRSABits = .max
        limits.maxRSABits = .min
        expectRejection("key-unusable") {
            _ = try JWK(json: Array(TestKeys.signing.publicJSON().utf8), limits: limits)
        }
    }
}
