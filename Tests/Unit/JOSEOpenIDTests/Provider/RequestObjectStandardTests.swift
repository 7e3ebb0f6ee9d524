// Request objects strictly by RFC 9101: the query contributes only client_id.

import JOSE
import JOSEOpenID
import Testing

@Suite("Request objects by RFC 9101")
struct RequestObjectStandardTests {
    static func profile(_ layers: TokenLayers = .signed) -> OpenIDProfile {
        return OpenIDProfile.openID.with { $0.requestObject = .jar(layers: layers) }
    }

    private func token(
        _ claims: [String: JSONValue], type: String? = "oauth-authz-req+jwt"
    ) throws -> String {
        try jwt(claims, by: TestKeys.partySigning, type: type)
    }

    private func receive(
        _ env: TestEnvironment, _ query: String, object: String? = nil
    ) async throws -> AuthorizationResult {
        try await env.client.browse(query, fetch: { _ in object ?? "" })
    }

    @Test(
        "the client sends client_id and the object, with its typ",
        arguments: [TokenLayers.signed, .signedThenEncrypted])
    func made(_ layers: TokenLayers) async throws {
        let env = try TestEnvironment(Self.profile(layers))
        #expect(env.metadata["require_signed_request_object"] == true)
        let login = try await Login(env)
        let outer = try urlParameters(login.started.url)
        #expect(outer.all.map(\.name) == ["client_id", "request"])
        #expect(login.received.isSigned)
        let second = try await Login(env) { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let referred = try urlParameters(second.started.url)
        #expect(referred.all.map(\.name) == ["client_id", "request_uri"])
        #expect(second.received.isSigned)
        if layers == .signed {
            let header = try TokenText.header(need(outer["request"]))
            #expect(header["typ"] as? String == "oauth-authz-req+jwt")
        }
    }

    @Test("RFC 9101 6.3: all other query parameters are ignored")
    func queryAlone() async throws {
        let env = try TestEnvironment(Self.profile())
        let good = "client_id=client-1&request=" + (try token(TestEnvironment.objectClaims()))
        for further in [
            "&state=evil&nonce=evil", "&scope=email%20evil", "&response_type=token",
            "&redirect_uri=https%3A%2F%2Fevil.example", "&login_hint=evil&prompt=none&max_age=0",
            "&response_mode=form_post", "&code_challenge=evil", "&claims=%7B%7D&own=1",
        ] {
            let received = try await receive(env, good + further).accepted()
            #expect(
                received.isSigned && received.redirectURI == TestEnvironment.redirectURI,
                "\(further)")
            #expect(received.state == "s" && received.nonce == "n" && received.scopes == ["openid"])
            #expect(received.responseMode == .query && received.loginHints.isEmpty)
            #expect(received.parameters["own"] == nil && received.claims == nil)
        }
        // By Core the same differences are errors.
        var core = OpenIDProfile.openID
        core.requestObject.queryParameters = ["client_id"]
        for further in ["&response_type=token", "&redirect_uri=https%3A%2F%2Fevil.example"] {
            let name = further.dropFirst().prefix { $0 != "=" }
            let rejection = await expectRejection("claim-rejected \(name)") {
                let verdict = try await receive(try TestEnvironment(core), good + further)
                _ = try verdict.accepted()
            }
            #expect(rejection != nil)
        }
    }

    @Test("errors redirect only after verification, and only to the object's redirect URI")
    func addresses() async throws {
        let env = try TestEnvironment(Self.profile())
        let address = "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback&state=evil"
        await expectRejection("claim-rejected iss") {
            let claims = TestEnvironment.objectClaims().with(["iss": "client-2"])
            _ = try await receive(env, "client_id=client-1&request=\(token(claims))" + address)
        }
        await expectRejection("malformed") {
            let plain = "client_id=client-1&response_type=code&scope=openid"
            _ = try await receive(env, plain + address)
        }
        await expectRejection("claim-rejected request_uri") {
            _ = try await receive(
                env, "client_id=client-1&request_uri=https%3A%2F%2Fevil.example%2Fo" + address)
        }
        let claims = TestEnvironment.objectClaims().with(["scope": "email"])
        let rejected = try await receive(
            env, "client_id=client-1&request=\(token(claims))" + address
        ).rejected()
        #expect(rejected.error.code == .invalidScope)
        #expect(rejected.redirect.parameters["state"] == "s")
    }

    @Test("a request that should have been pushed does not redirect to the query's URI")
    func pushedOnly() async throws {
        var profile = Self.profile()
        profile.pushedRequests.isRequired = true
        let env = try TestEnvironment(profile)
        let object = try token(TestEnvironment.objectClaims())
        for query in ["request=" + object, "response_type=code"] {
            await expectRejection("malformed") {
                _ = try await receive(
                    env,
                    "client_id=client-1&" + query
                        + "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback")
            }
        }
    }

    @Test("each violated rule of an object has one error code", arguments: [false, true])
    func rules(_ byReference: Bool) async throws {
        let env = try TestEnvironment(Self.profile())
        let address = "https%3A%2F%2Frp.example%3A443%2Fobjects%2F1"
        func verdict(_ token: String) async throws {
            let outer = byReference ? "request_uri=" + address : "request=" + token
            let verdict = try await receive(env, "client_id=client-1&" + outer, object: token)
            _ = try verdict.accepted()
        }
        try await verdict(try token(TestEnvironment.objectClaims()))
        try await verdict(
            try token(TestEnvironment.objectClaims(), type: "application/oauth-authz-req+jwt"))
        for type in [nil, "JWT", "jwt", "at+jwt", "oauth-authz-req", ""] as [String?] {
            await expectRejection("claim-rejected typ", "\(type ?? "none")") {
                try await verdict(try token(TestEnvironment.objectClaims(), type: type))
            }
        }
        for (name, value, code) in [
            ("iss", nil, "claim-rejected iss"), ("iss", "client-2", "claim-rejected iss"),
            ("aud", nil, "claim-rejected aud"), ("aud", "https://o.example", "claim-rejected aud"),
            ("aud", .string(TestEnvironment.issuer + "/"), "claim-rejected aud"),
            ("exp", nil, "claim-rejected exp"), ("exp", .now(-60), "claim-rejected exp"),
            ("client_id", nil, "claim-rejected client_id"),
            ("client_id", "client-2", "claim-rejected client_id"),
            ("sub", "client-1", "claim-rejected sub"),
            ("request", "e30.e30.e30", "malformed"),
            ("request_uri", "https://rp.example/o", "malformed"),
            ("request_uri", "urn:ietf:params:oauth:request_uri:a", "malformed"),
            ("response_type", nil, "malformed"), ("redirect_uri", nil, "malformed"),
        ] as [(String, JSONValue?, String)] {
            let claims = TestEnvironment.objectClaims().with([name: value])
            await expectRejection(code, "\(name) \(String(describing: value))") {
                try await verdict(try token(claims))
            }
        }
    }

    @Test("RFC 9101 requires iss and aud even if the required claims omit them")
    func demanded() async throws {
        var profile = Self.profile()
        profile.requestObject.requiredClaims = []
        let env = try TestEnvironment(profile)
        for name in ["iss", "aud"] {
            let claims = TestEnvironment.objectClaims().with([name: nil])
            await expectRejection("claim-rejected \(name)") {
                let verdict = try await receive(
                    env, "client_id=client-1&request=\(token(claims))")
                _ = try verdict.accepted()
            }
        }
        let claims = TestEnvironment.objectClaims().with(["exp": nil])
        _ = try await receive(env, "client_id=client-1&request=\(token(claims))").accepted()
    }
}
