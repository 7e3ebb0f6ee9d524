// The handler of JOSE's cookbook, with a reachable and an unreachable server.

import JOSE
import JOSERemote
import Testing

@Suite("Cookbook: keys behind a URL")
struct CookbookRecipeTests {
    @Test("a token is accepted, rejected, or undetermined while the server is unreachable")
    func handler() async throws {
        let key = try JWK.generate(.rsa, keyID: "k", use: .signature)
        let issuer = try JWTIssuer(
            key: key, algorithm: .rs256, lifetime: .seconds(60), type: "at+jwt")
        let token = try issuer.issue(["iss": "https://idp.example", "aud": "api", "sub": "alice"])
        let body = Array(try JWKSet(keys: [key]).publicKeys.json().utf8)
        let responses = FakeTransport(.success(JWKSetResponse(status: 200, body: body)))
        let handler = try TokenCheck(transport: responses)
        let accepted = await handler.check(token)
        #expect(accepted.status == 200 && accepted.user == "alice")
        let damaged = await handler.check(String(token.dropLast(8)) + "AAAAAAAA")
        #expect(damaged.status == 401 && damaged.user == nil)
        #expect(responses.requests.count == 1)
        let away = try TokenCheck(transport: FakeTransport(.failure(.unreachable)))
        #expect(await away.check(token).status == 503)
    }
}
