// Discovery documents: the members that are read, kept, and rejected.

import JOSE
import JOSEOpenID
import Testing

@Suite("Provider metadata")
struct MetadataTests {
    @Test(
        "unknown members are kept, and the document of every profile is read back",
        arguments: TestEnvironment.all
    )
    func kept(_ profile: OpenIDProfile) throws {
        let made = try TestEnvironment.metadata(
            profile, ["x_future": ["a": [1, 2.5, nil]], "claims_supported": ["sub"]])
        let read = try TestEnvironment.read(made.json(), profile)
        #expect(read["x_future"] == ["a": [1, 2.5, nil]])
        #expect(read.list("claims_supported") == ["sub"])
        #expect(read.tokenEndpoint == "https://idp.example/v2/token")
        #expect(read.userInfoEndpoint == "https://idp.example/v2/userinfo")
        #expect(read.jwksURI == "https://idp.example/v2/jwkSet")
        #expect(read.members == made.members)
    }

    @Test(
        "the issuer must be exactly the requested one",
        arguments: [
            "https://idp.example/v2/", "https://idp.example/V2", "https://IDP.example/v2",
            "https://idp.example:443/v2", "http://idp.example/v2", "https://idp.example/v2?x",
            "https://idp.example/v2#x", "https://idp.example.evil.example/v2", "",
        ])
    func issuer(_ other: String) async throws {
        let json = try TestEnvironment.metadata(.itsme2).json()
        await expectRejection("claim-rejected issuer") {
            _ = try ProviderMetadata(json: json, issuer: other, profile: .itsme2)
        }
        await expectRejection("claim-rejected issuer") {
            _ = try TestEnvironment.metadata(.itsme2, ["issuer": .string(other)])
        }
    }

    @Test("an issuer with a query or without https is rejected, even if requested")
    func issuerForm() async {
        for issuer in ["http://idp.example", "https://idp.example?x", "https://a@idp.example", "x"]
        {
            await expectRejection("claim-rejected issuer") {
                _ = try TestEnvironment.metadata(at: issuer, .openID)
            }
        }
    }

    @Test(
        "every endpoint must be an https URL",
        arguments: [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
            "end_session_endpoint", "x_endpoint",
        ])
    func endpoints(_ name: String) async {
        for bad: JSONValue in [
            "http://idp.example/x", "//idp.example/x", "https://", "https:///x", "https://a b/",
            "https://user:pw@idp.example/x", "https://idp.example/x#y", "https://idp.example:0/",
            "https://idp.example:99999/", "HTTPS://idp.example/\u{e9}", "https://idp.example/%z",
            "https://-x/", "javascript:alert(1)", 1, nil, [],
        ] {
            await expectRejection("claim-rejected \(name)", "\(bad)") {
                _ = try TestEnvironment.metadata(.itsme2, [name: bad])
            }
        }
    }

    @Test("the preset's algorithms and methods must be supported")
    func algorithms() async {
        let cases: [(OpenIDProfile, String, JSONValue)] = [
            (.itsme1, "id_token_signing_alg_values_supported", ["RS512", "none"]),
            (.itsme1, "id_token_signing_alg_values_supported", ["rs256"]),
            (.itsme1, "id_token_encryption_alg_values_supported", ["RSA-OAEP-256"]),
            (.itsme1, "id_token_encryption_enc_values_supported", ["A128GCM"]),
            (.itsme2, "id_token_encryption_alg_values_supported", ["RSA1_5"]),
            (.itsme2, "userinfo_signing_alg_values_supported", []),
            (.itsme2, "userinfo_encryption_alg_values_supported", ["ECDH-ES"]),
            (.itsme2, "userinfo_encryption_enc_values_supported", nil),
            (.itsme2, "token_endpoint_auth_methods_supported", ["client_secret_basic"]),
            (.itsme2, "token_endpoint_auth_signing_alg_values_supported", ["ES256"]),
            (.signicatMobileID, "token_endpoint_auth_methods_supported", ["private_key_jwt"]),
            (.openID, "code_challenge_methods_supported", ["plain"]),
            (.netsEIDBroker, "request_object_signing_alg_values_supported", ["none"]),
            (.openID, "response_types_supported", ["id_token"]),
            (.openID, "scopes_supported", ["email"]),
            (.openID, "subject_types_supported", "public"),
            (.openID, "id_token_signing_alg_values_supported", ["RS256", 1]),
        ]
        for (profile, name, value) in cases {
            await expectRejection("claim-rejected \(name)", "\(profile) \(value)") {
                _ = try TestEnvironment.metadata(profile, [name: value])
            }
        }
    }

    @Test("a missing list supports nothing, and missing methods mean client_secret_basic")
    func missing() async throws {
        func read(_ profile: OpenIDProfile, without name: String) throws {
            _ = try TestEnvironment.read(
                TestEnvironment.metadata(profile).members.with([name: nil]), profile)
        }
        try read(.openID, without: "token_endpoint_auth_methods_supported")
        for name in [
            "token_endpoint_auth_methods_supported", "id_token_encryption_alg_values_supported",
            "jwks_uri", "issuer",
        ] { await expectRejection("claim-rejected \(name)") { try read(.itsme2, without: name) } }
    }

    @Test("a request object requires a provider that supports its algorithms")
    func requestObjects() async throws {
        let env = try TestEnvironment(
            .itsme2, additional: ["request_object_signing_alg_values_supported": ["ES256"]])
        var request = env.request
        _ = try await env.party.start(request)
        request.delivery = .byValue
        await expectRejection("claim-rejected request_object_signing_alg_values_supported") {
            _ = try await env.party.start(request)
        }
    }

    @Test("a request with a code challenge requires a provider that supports S256")
    func proofKeys() async throws {
        let env = try TestEnvironment(
            .signicatMobileID, additional: ["code_challenge_methods_supported": ["plain"]])
        var request = env.request
        _ = try await env.party.start(request)
        request.usesPKCE = true
        await expectRejection("claim-rejected code_challenge_methods_supported") {
            _ = try await env.party.start(request)
        }
    }

    @Test("malformed documents are rejected") func malformed() async throws {
        let good = try TestEnvironment.metadata(.openID).json()
        for bad in [
            "", "null", "[]", "\"x\"", good + good, "\u{feff}" + good, String(good.dropLast()),
            good.replacing("{\"", with: "{\"issuer\":\"https://evil.example\",\""),
            good.replacing("true", with: "True"),
        ] { await expectRejection("malformed", bad) { _ = try TestEnvironment.read(bad, .openID) } }
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        await expectRejection("limit-exceeded") {
            _ = try TestEnvironment.read("{\"x\":\(deep)}", .openID)
        }
        let large = "{\"x\":\"\(String(repeating: "a", count: 300_000))\"}"
        await expectRejection("limit-exceeded") { _ = try TestEnvironment.read(large, .openID) }
    }
}
