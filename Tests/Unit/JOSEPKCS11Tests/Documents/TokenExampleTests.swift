// The examples of PKCS#11 keys behave as the pages say.

import JOSE
import JOSEOpenID
import JOSEPKCS11
import Testing

@Suite("Examples of PKCS#11 keys")
struct TokenExampleTests {
    @Test("a key is opened, published, used, renewed and removed") func keys() async throws {
        let test = try TestToken()
        let pin = test.pin
        let token = try await openToken(
            test.path, test.uri.description,
            .prompt { _ in
                var bytes = Array(pin.utf8)
                return ExternalKeySecret(wiping: &bytes)
            })
        let label = freshLabel()
        let key = try await token.makeKey(.rsa(bits: 2048), use: .signature, label: label)
        let name = try uri(label).description
        let set = try PublicJWKSet(json: try await published(token, name))
        let jwt = try await issued(
            ["iss": "op", "aud": "rp", "sub": "zoe"], by: key, timeout: ample)
        let verifier = try JWTVerifier(
            issuer: "op", audience: "rp", signature: .required(keys: set, algorithms: [.rs256]))
        #expect(try verifier.verify(jwt).subject == "zoe")
        let old = try TestChain(for: key.publicKey, from: 1_700_000_000, until: 4_000_000_000)
        let new = try TestChain(for: key.publicKey, from: 1_710_000_000, until: 4_000_000_000)
        let certified = try await token.store(certificates: old.ordered, for: key)
        let renewed = try await renew(
            token, certified, older: #require(old.ordered.first), newer: new.ordered)
        #expect(renewed.publicKey.certificateChain == new.ordered)
        try await retire(token, renewed)
        #expect(await rejection { _ = try await published(token, name) }?.code == .keyNotFound)
    }

    @Test("a login whose request the token signs") func login() async throws {
        let token = try await TestToken().open()
        var names: [String] = []
        for use in [KeyUse.signature, .encryption] {
            let label = freshLabel()
            _ = try await token.makeKey(.rsa(bits: 2048), use: use, label: label)
            names.append(try uri(label).description)
        }
        let theirs = try PublicJWKSet(keys: [
            JWK.generate(.rsa, keyID: "s", use: .signature),
            JWK.generate(.rsa, keyID: "e", use: .encryption),
        ])
        let issuer = "https://idp.example"
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorize",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwks", profile: .itsme2)
        let party = try await party(
            token, signing: names[0], encryption: names[1], metadata, theirs)
        #expect(try await start(party, timeout: ample).url.contains("request="))
    }

    @Test("yearly keys are created with distinct labels") func making() async throws {
        let token = try await TestToken().open()
        let year = Int.random(in: 3_000..<1_000_000)
        let made = try await makeKeys(token, year)
        #expect(made.map(\.publicKey.use) == [.signature, .encryption])
        #expect(await rejection { _ = try await makeKeys(token, year) }?.code != nil)
        for key in made { try await token.remove(key) }
    }
}
