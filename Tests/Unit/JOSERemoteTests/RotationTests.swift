// Rotation with real keys and tokens, through the asynchronous verifier (attack catalogue 115).

import JOSE
import JOSERemote
import Testing

@Suite("Remote key set: rotation")
struct RotationTests {
    private func key(_ keyID: String) throws -> JWK {
        var key = try JWK.generate(.rsa, use: .signature, algorithm: "RS256")
        key.keyID = keyID
        return key
    }

    private func token(_ key: JWK) throws -> String {
        try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(300))
            .issue(["iss": "https://op.example", "aud": "client", "sub": "s"])
    }

    private func publish(_ keys: JWK...) throws -> FakeTransport.Reply {
        .success(
            JWKSetResponse(
                status: 200, body: Array(try PublicJWKSet(keys: keys).json().utf8),
                cacheControl: "max-age=3600"))
    }

    @Test("a new key works after one refresh, a removed one fails, a reused kid gets the new key")
    func rotation() async throws {
        let (old, new, renewed) = (try key("1"), try key("2"), try key("2"))
        let transport = FakeTransport(try publish(old))
        let clock = TestClock()
        let set = try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport, clock: { clock.now })
        let verifier = try AsyncJWTVerifier(
            policy: ClaimsPolicy(issuer: "https://op.example", audience: "client"), keys: set,
            algorithms: [.rs256])
        func verdict(_ key: JWK) async throws -> String? {
            let token = try token(key)
            return await code { () throws(JOSEError) in _ = try await verifier.verify(token) }
        }
        #expect(try await verdict(old) == nil)
        #expect(try await verdict(new) == "key-not-found")
        #expect(transport.requests.count == 1)

        // Overlap: one refresh because of the unknown kid. Both keys work.
        transport.reply(try publish(old, new))
        clock.advance(60)
        #expect(try await verdict(new) == nil)
        #expect(try await verdict(old) == nil)
        #expect(transport.requests.count == 2)

        // Removal: by the end of freshness at the latest.
        transport.reply(try publish(new))
        clock.advance(3_600)
        #expect(try await verdict(old) == "key-not-found")
        #expect(try await verdict(new) == nil)

        // The same kid with another key.
        transport.reply(try publish(renewed))
        clock.advance(3_600)
        #expect(try await verdict(new) == "signature-invalid")
        #expect(try await verdict(renewed) == nil)

        // A failed refresh never accepts more: a token of the removed key stays rejected, as its
        // return is undetermined.
        transport.reply(.failure(.unreachable))
        clock.advance(3_601)
        #expect(try await verdict(old) == "unavailable")
        #expect(try await verdict(renewed) == nil)
        clock.advance(3_600)
        #expect(try await verdict(renewed) == "unavailable")
    }

    @Test("a token with a forbidden algorithm causes no request") func quiet() async throws {
        let transport = FakeTransport("a")
        let set = try RemoteJWKSet(url: "https://op.example/jwks", transport: transport)
        let verifier = try AsyncJWTVerifier(
            policy: ClaimsPolicy(issuer: .any, audience: .any), keys: set, algorithms: [.rs256])
        for token in ["", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AA"] {
            #expect(
                await code { () throws(JOSEError) in _ = try await verifier.verify(token) } != nil)
        }
        #expect(transport.requests.isEmpty)
    }
}
