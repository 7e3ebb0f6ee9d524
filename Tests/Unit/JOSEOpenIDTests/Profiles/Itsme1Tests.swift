// itsme, first generation: every MUST, on both sides.

import JOSE
import JOSEOpenID
import Testing

@Suite("itsme, first generation")
struct Itsme1Tests {
    let env: TestEnvironment

    init() throws { env = try TestEnvironment(.itsme1) }

    @Test("RS256, RSA-OAEP, A128CBC-HS256 for ID Token, UserInfo and Request Object")
    func algorithms() {
        #expect(env.profile.algorithms.signature == [.rs256])
        #expect(env.profile.algorithms.keyManagement == [.rsaOAEP])
        #expect(env.profile.algorithms.content == [.a128CBCHS256])
    }

    @Test("an ID Token encrypted with RSA-OAEP-256 is rejected")
    func otherAlgorithm() async throws {
        let login = try await Login(env)
        let token = try env.sealed(login.goodClaims, .signedThenEncrypted, algorithm: .rsaOAEP256)
        await expectRejection("algorithm-not-allowed") { _ = try await login.open(token) }
    }

    // MARK: The authorization request

    @Test("the URL: response_type=code, openid and service:<code>, exact encoding, in order")
    func url() async throws {
        let started = try await env.start {
            $0.scopes = ["profile", "email"]
            $0.acrValues = ["tag:sixdots.be,2016-06:acr_basic"]
            $0.locales = ["fr", "nl"]
            $0.loginHints = ["32+123456789"]
        }
        let session = started.session
        #expect(
            started.url
                == "https://idp.example/v2/authorization?response_type=code&client_id=client-1"
                + "&scope=openid%20service%3ALOGIN%20profile%20email"
                + "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback&state=\(session.state)"
                + "&nonce=\(session.nonce)&acr_values=tag%3Asixdots.be%2C2016-06%3Aacr_basic"
                + "&ui_locales=fr%20nl&login_hint=32%2B123456789")
    }

    @Test("state and nonce have at least 128 random bits and are fresh") func fresh() async throws {
        var seen: Set<String> = []
        for _ in 0..<64 {
            let session = try await env.start().session
            #expect(session.state.utf8.count >= 22)
            #expect(session.nonce.utf8.count >= 22)
            #expect(seen.insert(session.state).inserted)
            #expect(seen.insert(session.nonce).inserted)
        }
    }

    @Test("parameters that itsme forbids are rejected when built, and the error has the rule")
    func forbidden() async {
        let changes: [(String, (inout AuthorizationRequest) -> Void)] = [
            ("service:<code>", { $0.serviceCode = nil }),
            ("display=page only", { $0.display = "popup" }),
            ("prompt=consent only", { $0.prompt = ["login"] }),
            ("prompt=consent only", { $0.prompt = ["consent", "none"] }),
            ("fr, nl, en and de", { $0.locales = ["it"] }),
            ("response_mode", { $0.responseMode = .formPost }),
            ("id_token_hint", { $0.additional = [OpenIDParameter("id_token_hint", "x")] }),
            ("claims_locales", { $0.additional = [OpenIDParameter("claims_locales", "x")] }),
            ("registration", { $0.additional = [OpenIDParameter("registration", "x")] }),
            ("does not support one of the scopes", { $0.scopes = ["offline_access"] }),
            (
                "does not support one of the acr",
                { $0.acrValues = ["tag:sixdots.be,2016-06:acr_extreme"] }
            ), ("more login_hint", { $0.loginHints = ["32+123456789", "32+123456780"] }),
        ]
        for (rule, change) in changes { await expectRule(rule) { _ = try await env.start(change) } }
    }

    @Test("display=page, prompt=consent, the optional scopes and claims are allowed")
    func allowed() async throws {
        let started = try await env.start {
            $0.display = "page"
            $0.prompt = ["consent"]
            $0.scopes = ["profile", "email", "phone", "address"]
            $0.locales = ["fr", "nl", "en", "de"]
            $0.claims = ClaimsRequest(
                userInfo: ["tag:sixdots.be,2017-05:claim_photo": .essential],
                idToken: ["auth_time": .voluntary])
        }
        #expect(started.url.contains("claims=%7B%22id_token%22%3A%7B%22auth_time%22%3Anull%7D"))
    }

    @Test("redirect_uri is matched exactly, and no other URI is redirected to")
    func redirectURI() async throws {
        let good = await query(try env.start().url)
        for other in [
            "https%3A%2F%2Frp.example%2Fcallback%2F", "https%3A%2F%2Frp.example%2FCallback",
            "https%3A%2F%2Frp.example%2Fcallback%3Fx", "http%3A%2F%2Frp.example%2Fcallback",
            "https%3A%2F%2Fevil.example%2F", "https%3A%2F%2Frp.example%2Fcallback%2F..%2Fcallback",
        ] {
            let bad = good.replacing("https%3A%2F%2Frp.example%2Fcallback", with: other)
            await expectRejection("claim-rejected redirect_uri") {
                _ = try await env.client.browse(bad)
            }
        }
        let without = good.replacing(
            "redirect_uri=https%3A%2F%2Frp.example%2Fcallback&", with: "")
        await expectRejection("malformed") { _ = try await env.client.browse(without) }
    }

    // MARK: The Request Object

    @Test("a Request Object has iss = client_id, aud = authorization endpoint, and all parameters")
    func requestObject() async throws {
        let started = try await env.start { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let verifier = try JWTVerifier(
            issuer: TestEnvironment.clientID, audience: "https://idp.example/v2/authorization",
            signature: .required(key: TestKeys.partySigning.publicKey, algorithms: [.rs256]))
        let token = try verifier.verify(try need(started.requestObject), at: .testNow)
        #expect(token["client_id"]?.string == TestEnvironment.clientID)
        #expect(token["state"]?.string == started.session.state)
        #expect(token["nonce"]?.string == started.session.nonce)
        #expect(token["scope"]?.string == "openid service:LOGIN")
    }

    @Test("request_uri is https with the explicit port 443, publicly reachable, not localhost")
    func reference() async throws {
        for address in [
            "https://rp.example/objects/1", "http://rp.example:443/objects/1",
            "https://localhost:443/objects/1", "https://127.0.0.1:443/o", "https://[::1]:443/o",
            "https://rp.example:8443/o", "https://2130706433:443/o", "https://x.localhost:443/o",
            "https://user@rp.example:443/o", "https://rp.example:443/o#part", "/objects/1", "",
        ] {
            await expectRule("request_uri") {
                _ = try await env.start { $0.delivery = .byReference(address) }
            }
        }
        let started = try await env.start { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let good = query(started.url)
        #expect(good.hasSuffix("request_uri=https%3A%2F%2Frp.example%3A443%2Fobjects%2F1"))
        for bad in [
            "https%3A%2F%2Frp.example%2Fobjects%2F1", "https%3A%2F%2Flocalhost%3A443%2Fobjects%2F1",
            "https%3A%2F%2Fother.example%3A443%2Fobjects%2F1",
        ] {
            let query = good.replacing("https%3A%2F%2Frp.example%3A443%2Fobjects%2F1", with: bad)
            let rejected = try await env.client.browse(
                query,
                fetch: { _ in
                    Issue.record("an address was fetched that must not be")
                    return ""
                }
            ).rejected()
            #expect(rejected.error.code == .invalidRequestURI)
        }
    }

    @Test("next to request_uri the query keeps response_type, client_id, redirect_uri and scope")
    func queryParameters() async throws {
        let started = try await env.start { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let outer = try urlParameters(started.url)
        let names = ["response_type", "client_id", "scope", "redirect_uri"]
        #expect(outer.all.map(\.name) == names + ["request_uri"])
        let value = try await urlParameters(env.start { $0.delivery = .byValue }.url)
        #expect(value.all.map(\.name) == names + ["request"])
        let object = try need(started.requestObject)
        // Without openid in the query the guide returns not_implemented, even if the object has it.
        for (missing, instead, response) in [
            ("response_type=code&", "", OAuthErrorCode.invalidRequest),
            ("scope=openid%20service%3ALOGIN&", "", .notImplemented),
            ("scope=openid%20service%3ALOGIN&", "scope=service%3ALOGIN&", .notImplemented),
            ("scope=openid%20", "scope=openidx%20", .notImplemented),
            ("scope=openid%20", "scope=OPENID%20", .notImplemented),
        ] {
            let bad = query(started.url).replacing(missing, with: instead)
            #expect(bad != query(started.url))
            let rejected = try await env.client.browse(bad, fetch: { _ in object }).rejected()
            #expect(rejected.error.code == response, "\(bad)")
            #expect(rejected.redirect.parameters["state"] == started.session.state)
        }
    }

    @Test("the object's other values win, by reference and by value")
    func whichWins() async throws {
        let byReference = try await env.start {
            $0.delivery = .byReference(TestEnvironment.requestURI)
        }
        let object = try need(byReference.requestObject)
        let received = try await env.client.browse(
            query(byReference.url) + "&state=evil&ui_locales=fr", fetch: { _ in object }
        ).accepted()
        #expect(received.state == byReference.session.state)
        let byValue = try await env.start { $0.delivery = .byValue }
        let whole = try await env.client.browse(query(byValue.url) + "&state=evil").accepted()
        #expect(whole.state == byValue.session.state)
    }

    // MARK: Tokens

    @Test("an ID Token that is not encrypted is rejected") func unencrypted() async throws {
        let login = try await Login(env)
        let token = try env.sealed(login.goodClaims, .signed)
        await expectRejection("malformed") { _ = try await login.open(token) }
    }

    @Test("an ID Token with a wrong aud or iss, expired, or without its nonce is rejected")
    func claims() async throws {
        let login = try await Login(env)
        _ = try await login.open(login.forged(login.goodClaims))
        let changes: [(String, JSONValue?)] = [
            ("iss", "https://idp.example/v2/"), ("aud", "client-2"), ("nonce", "other"),
            ("nonce", nil), ("exp", .now(-61)), ("exp", nil),
            ("iat", .now(61)), ("iat", nil), ("sub", nil),
            ("auth_time", nil), ("auth_time", .now(61)), ("auth_time", "now"), ("acr", 1),
        ]
        for (name, value) in changes {
            await expectRejection("claim-rejected \(name)", "\(String(describing: value))") {
                _ = try await login.open([name: value])
            }
        }
    }

    @Test("amr, azp and at_hash are never written, and are rejected only if they are wrong")
    func omitted() async throws {
        let login = try await Login(env)
        var claims = login.goodClaims
        claims["amr"] = ["pin"]
        claims["azp"] = .clientID
        // The at_hash of OpenID Connect Core A.3 for the access token of its example.
        claims["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ"
        let read = try await login.open(
            login.forged(claims), accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        #expect(read["amr"] == ["pin"])
        for (name, value) in [("azp", "client-2"), ("at_hash", "x")] {
            let bad = claims.with([name: .string(value)])
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.open(
                    login.forged(bad),
                    accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
            }
        }
        for name in ["amr", "azp", "at_hash"] {
            await expectRule("never sends") {
                _ = try await login.idToken(JSONValue.object([name: "x"]))
            }
        }
        for name in ["iss", "sub", "aud", "exp", "iat", "nonce", "acr", "auth_time"] {
            await expectRule("duplicate") {
                _ = try await login.idToken(JSONValue.object([name: "x"]))
            }
        }
        var user = login.user
        user.accessToken = "a"
        let token = try await login.open(try await login.idToken(user: user))
        #expect(token["at_hash"] == nil)
    }

    @Test("acr is at least as strong as requested, and the strictest of several applies")
    func acrValues() async throws {
        let basic = "tag:sixdots.be,2016-06:acr_basic"
        let advanced = "tag:sixdots.be,2016-06:acr_advanced"
        for (asked, given, isGood) in [
            ([basic], basic, true), ([basic], advanced, true), ([advanced], basic, false),
            ([basic, advanced], basic, false), ([advanced, basic], advanced, true),
            ([basic], basic.uppercased(), false), ([basic], "", false),
        ] {
            let login = try await Login(env) { $0.acrValues = asked }
            let token = try login.altered(["acr": .string(given)])
            if isGood {
                #expect(try await login.open(token).acr == given)
            } else {
                await expectRejection("claim-rejected acr", given) {
                    _ = try await login.open(token)
                }
                var user = login.user
                user.acr = given
                await expectRule(given == basic ? "does not satisfy" : "does not define") {
                    _ = try await login.idToken(user: user)
                }
            }
        }
    }

    @Test("UserInfo is a nested JWT, also as application/json, and no other media type")
    func userInfoLayers() async throws {
        let login = try await Login(env)
        let idToken = try await login.open(try await login.idToken())
        let plain = try env.sealed(["sub": .subject], .signed)
        await expectRejection("malformed") {
            _ = try await env.party.verifyUserInfo(plain, for: idToken)
        }
        await expectRejection("malformed") {
            _ = try await env.party.verifyUserInfo(
                #"{"sub":"user-1-of-32-characters-in-total"}"#, for: idToken)
        }
        let nested = try env.sealed(["sub": .subject], .signedThenEncrypted)
        for type in ["text/plain", "text/html", "", "application/jsonx", "application/jose"] {
            await expectRejection("malformed", type) {
                _ = try await env.party.verifyUserInfo(nested, for: idToken, contentType: type)
            }
        }
        // The media type allows nothing else: plain JSON, or a token that is only signed, is
        // rejected with it.
        for body in [#"{"sub":"user-1-of-32-characters-in-total"}"#, plain] {
            await expectRejection("malformed") {
                _ = try await env.party.verifyUserInfo(
                    body, for: idToken, contentType: "application/json")
            }
        }
        for type in ["application/jwt; charset=utf-8", "application/json", "application/json;a=b"] {
            let info = try await env.party.verifyUserInfo(nested, for: idToken, contentType: type)
            #expect(info.subject == "user-1-of-32-characters-in-total")
        }
        let asked = try await env.party.userInfoRequest(accessToken: "at").headers
        #expect(asked.contains(OpenIDParameter("Accept", "application/jwt, application/json")))
        let oldest = try TestEnvironment(.itsme0)
        #expect(
            try await oldest.party.userInfoRequest(accessToken: "at").headers.contains(
                OpenIDParameter("Accept", "application/jwt")))
        let login0 = try await Login(oldest)
        let idToken0 = try await login0.open(try await login0.idToken())
        await expectRejection("malformed", "the oldest guide prints application/jwt") {
            _ = try await oldest.party.verifyUserInfo(
                nested, for: idToken0, contentType: "application/json")
        }
    }

    @Test("the UserInfo sub must equal the ID Token's") func userInfoSubject() async throws {
        let login = try await Login(env)
        let idToken = try await login.open(try await login.idToken())
        for sub: JSONValue? in ["user-2", "user-1 ", "USER-1", "user-", "", nil, 1, .null] {
            var claims: [String: JSONValue] = ["name": "x"]
            claims["sub"] = sub
            let response = try env.sealed(claims, .signedThenEncrypted)
            await expectRejection("claim-rejected sub") {
                _ = try await env.party.userInfo(response, idToken)
            }
        }
    }

    @Test("the provider publishes only public keys, and metadata that relying parties accept")
    func publication() throws {
        let keys = try env.provider.publishedKeys().json()
        #expect(!keys.contains("\"d\"") && !keys.contains("\"p\""))
        #expect(try PublicJWKSet(json: keys).count == 2)
        let document = try env.provider.discoveryDocument()
        let read = try TestEnvironment.read(document, .itsme1)
        #expect(read.members == env.metadata.members)
        #expect(
            ProviderMetadata.discoveryURL(issuer: TestEnvironment.issuer)
                == "https://idp.example/v2/.well-known/openid-configuration")
    }
}
