// The printed requests of RFC 9101 and RFC 9126, received by a provider.

import JOSE
import JOSEOpenID
import Testing

@Suite("Printed request examples")
struct RequestVectorTests {
    static let now = NumericDate(exactly: 1_625_869_600) ?? .earliest
    static let issuer = "https://server.example.com"

    /// A provider with the client of the examples, registered by secret or by key.
    private func client(
        _ file: String, _ key: String, _ authentication: ClientAuthentication
    ) throws -> RegisteredClient {
        var profile = OpenIDProfile.openID
        profile.client.authentication = authentication
        profile.authorization.requiredScopes = []
        profile.authorization.requiresPKCE = false
        profile.requestObject.requiredClaims = ["iss", "aud"]
        profile.requestObject.queryParameters = ["client_id"]
        let provider = try TestEnvironment.provider(
            profile,
            TestEnvironment.metadata(
                at: Self.issuer, profile, push: "https://as.example.com/as/par",
                // The examples request plain OAuth scopes.
                additional: ["scopes_supported": ["openid"]]), pushed: MemoryPushedRequestStore())
        return try provider.client(
            ClientRegistration(
                clientID: "s6BhdRkqt3", redirectURIs: ["https://client.example.org/cb"],
                secret: ClientSecret("7Fjfp0ZBr1KtDRbnfVdmIw")),
            keys: PublicJWKSet(keys: [TestKeys.key(file, key, "k2bdc", nil)]))
    }

    private func vector(_ file: String, _ id: String) throws -> Case {
        try need(Case.read(file, "vectors").first { $0.id == id })
    }

    @Test("RFC 9101 4 and 5.1: the object is read, and its response type is not supported")
    func requestObject() async throws {
        let object = try need(
            vector("rfc9101.json", "rfc9101-4-request-object").output["compact"])
        let client = try client("rfc9101.json", "rfc9101-k2bdc", .basic)
        let verdict = try await client.receiveAuthorizationRequest(
            "client_id=s6BhdRkqt3&request=" + object, at: Self.now)
        let rejected = try verdict.rejected()
        #expect(rejected.error.code == .unsupportedResponseType)
        #expect(rejected.redirect.redirectURI == "https://client.example.org/cb")
        #expect(rejected.redirect.parameters["state"] == "af0ifjsldkj")
    }

    @Test("RFC 9101 4: the .jar profile rejects the printed object, which has no typ")
    func type() async throws {
        let object = try need(
            vector("rfc9101.json", "rfc9101-4-request-object").output["compact"])
        let env = try TestEnvironment(.openID.with { $0.requestObject = .jar() })
        await expectRejection("claim-rejected typ") {
            _ = try await env.client.receiveAuthorizationRequest(
                "client_id=client-1&request=" + object, at: Self.now)
        }
    }

    @Test("RFC 9126 3: the pushed object is accepted with the client secret")
    func pushedObject() async throws {
        let vector = try vector("rfc9126.json", "rfc9126-3-request-object")
        let client = try client("rfc9126.json", "rfc9126-k2bdc", .basic)
        let verdict = await client.receivePushedRequest(
            try need(vector.input["form_text"]), authorization: vector.input["authorization"],
            at: Self.now)
        let kept = try verdict.accepted()
        let browser = try await client.receiveAuthorizationRequest(
            "client_id=s6BhdRkqt3&request_uri=" + kept.reference, at: Self.now)
        let request = try browser.accepted()
        #expect(request.isSigned && request.scopes == ["ais"])
        #expect(
            request.parameters["code_challenge"] == "K2-ltc83acc4h0c9w6ESC_rEMTJ3bww-uCHaoeK1t8U")
    }

    @Test("RFC 9126 2.1: the printed assertion has no jti, which the profile requires")
    func assertion() async throws {
        let vector = try vector("rfc9126.json", "rfc9126-2.1-assertion")
        let client = try client("rfc9126.json", "rfc9126-k2bdc", .assertion(.signed))
        let verdict = await client.receivePushedRequest(
            try need(vector.input["form_text"]), at: Self.now)
        #expect(try rejection(verdict) == ["claim-rejected jti", "invalid_client", "400"])
    }
}
