// http issuers and endpoints on this machine, which only a profile for development allows.

import JOSE
import JOSEOpenID
import Testing

@Suite("http on loopback")
struct LoopbackTests {
    private var local: OpenIDProfile {
        return OpenIDProfile.openID.with { $0.allowsLoopbackHTTP = true }
    }

    private func metadata(
        _ issuer: String, _ profile: OpenIDProfile, token: String? = nil
    ) throws -> ProviderMetadata {
        try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a",
            tokenEndpoint: token ?? issuer + "/t", jwksURI: issuer + "/k", profile: profile)
    }

    @Test(
        "127.0.0.1, [::1] and localhost need the switch",
        arguments: [
            "http://127.0.0.1", "http://[::1]", "http://localhost", "http://localhost:9400",
            "http://127.0.0.1:8080/realms/dev", "http://[::1]:1",
        ])
    func allowed(_ issuer: String) async throws {
        #expect(!OpenIDProfile.openID.allowsLoopbackHTTP)
        let made = try metadata(issuer, local)
        let read = try ProviderMetadata(json: made.json(), issuer: issuer, profile: local)
        #expect(read.issuer == issuer && read.tokenEndpoint == issuer + "/t")
        await expectRejection("claim-rejected issuer") {
            _ = try metadata(issuer, .openID)
        }
        await expectRejection("claim-rejected authorization_endpoint", "a peer's issuer") {
            _ = try ProviderMetadata(
                json: made.json(), untrustedIssuer: issuer, profile: local)
        }
        // The whole login works as over https.
        let party = try RelyingParty(
            profile: local, metadata: read, clientID: "c", redirectURI: "http://localhost/cb",
            keys: JWKSet(keys: []), secret: ClientSecret("s"),
            providerKeys: TestKeys.provider.publicKeys)
        let started = try await party.start(AuthorizationRequest())
        #expect(started.url.hasPrefix(issuer + "/a?"))
    }

    @Test(
        "never elsewhere, whatever the spelling",
        arguments: [
            "http://idp.example", "http://localhost.evil.example", "http://evil.example#localhost",
            "http://localhost@evil.example", "http://127.0.0.1@evil.example", "http://127.0.0.2",
            "http://127.1", "http://2130706433", "http://0x7f000001", "http://127.0.0.1.",
            "http://localhost.", "http://LOCALHOST", "http://Localhost", "HTTP://localhost",
            "http://[::ffff:127.0.0.1]", "http://[0:0:0:0:0:0:0:1]", "http://0.0.0.0",
            "http://[::]", "http://10.0.0.1", "http://192.168.0.1", "http://169.254.169.254",
            "http://localhost:0", "http://localhost:99999", "http:///localhost", "http:localhost",
            "http://", "http://app.localhost", "ws://localhost", "http://localhost\\@evil.example",
            "http://%6cocalhost",
        ])
    func never(_ issuer: String) async throws {
        await expectRejection("claim-rejected issuer", issuer) {
            _ = try metadata(issuer, local)
        }
        await expectRejection("claim-rejected token_endpoint", issuer) {
            _ = try metadata("https://idp.example", local, token: issuer + "/t")
        }
    }

    @Test("the document of an https issuer names no http service of this machine")
    func downgraded() async throws {
        let issuer = "https://idp.example"
        await expectRejection("claim-rejected token_endpoint") {
            _ = try metadata(issuer, local, token: "http://127.0.0.1:8080/t")
        }
        let json = try metadata(issuer, local).json()
        func read(_ old: String, _ new: String) throws -> ProviderMetadata {
            try ProviderMetadata(
                json: json.replacing(old, with: new), issuer: issuer, profile: local)
        }
        _ = try read("{", "{")
        for (name, path) in [
            ("authorization_endpoint", "/a"), ("token_endpoint", "/t"), ("jwks_uri", "/k"),
        ] {
            await expectRejection("claim-rejected \(name)") {
                _ = try read(issuer + path + "\"", "http://localhost:2375" + path + "\"")
            }
        }
        let optional = try read(
            "{\"", "{\"revocation_endpoint\":\"http://localhost/r\",\"")
        #expect(optional.ignored.map(\.member) == ["revocation_endpoint"])
    }

    @Test("https stays as it is, and an unusable optional endpoint is reported")
    func secure() throws {
        _ = try metadata("https://idp.example", local)
        let json = try metadata("http://localhost", local).json()
            .replacing("{", with: #"{"x_endpoint":"http://idp.example","#, maxReplacements: 1)
        let read = try ProviderMetadata(json: json, issuer: "http://localhost", profile: local)
        #expect(read.ignored.map(\.member) == ["x_endpoint"])
    }
}
