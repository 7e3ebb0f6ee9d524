// The provider's responses as status, headers and body.

import Foundation
import JOSE
import JOSECrypto
import JOSEOpenID
import Testing

@Suite("HTTP responses")
struct HTTPResponseTests {
    private static func names(_ response: OpenIDHTTPResponse) -> [String] {
        response.headers.map(\.name)
    }

    private static func expectNotStored(
        _ response: OpenIDHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            response.header("cache-control") == "no-store"
                && response.header("PRAGMA") == "no-cache",
            sourceLocation: sourceLocation)
    }

    private func redirect(
        _ mode: ResponseMode, error: AuthorizationError? = nil, redirectURI: String? = nil,
        state: String = "s"
    ) async throws -> AuthorizationRedirect {
        let env = try TestEnvironment(.openID)
        let address = redirectURI ?? TestEnvironment.redirectURI
        let client = try env.provider.client { $0.redirectURIs = [address] }
        let query = urlForm([
            "response_type": "code", "client_id": TestEnvironment.clientID, "scope": "openid",
            "redirect_uri": address, "state": state, "response_mode": mode.rawValue,
            "code_challenge": String(repeating: "a", count: 43), "code_challenge_method": "S256",
        ])
        let request = try await client.browse(query.encoded)
            .accepted()
        if let error { return try await client.redirect(error: error, for: request) }
        return try await client.redirect(code: "c&\"<", for: request)
    }

    @Test("header names ignore ASCII case and no other letter folding")
    func headerNames() throws {
        let response = try OpenIDHTTPResponse(status: 200, headers: [OpenIDParameter("Link", "x")])
        for name in ["Link", "link", "LINK", "liNk"] { #expect(response.header(name) == "x") }
        // The lowercase form of the Kelvin sign is k.
        for name in ["lin\u{212a}", "L\u{131}nk", "L\u{130}nk", "Link ", "Lin", ""] {
            #expect(response.header(name) == nil, "\(name)")
        }
    }

    @Test(
        "a redirect has 302 or 303, Location, an empty body, and no-store", arguments: [302, 303])
    func redirects(_ status: Int) async throws {
        let redirect = try await redirect(.query)
        let response = try redirect.response(try need(.init(rawValue: status)))
        #expect(response.status == status && response.body.isEmpty)
        #expect(response.header("Location") == redirect.url)
        #expect(
            response.header("location") == "https://rp.example/callback?code=c%26%22%3C&state=s")
        Self.expectNotStored(response)
        #expect(try redirect.response().status == 303)
    }

    @Test("an error is redirected by the same response mode as a code")
    func errors() async throws {
        let error = AuthorizationError(.accessDenied, description: "no <b>")
        let inQuery = try await redirect(.query, error: error).response()
        #expect(
            inQuery.header("location")
                == "https://rp.example/callback?error=access_denied&error_description=no%20%3Cb%3E&"
                + "state=s"
        )
        let posted = try await redirect(.formPost, error: error).response()
        #expect(posted.status == 200)
        #expect(posted.body.contains(#"name="error_description" value="no &lt;b&gt;""#))
    }

    @Test("form_post: the self-submitting page, byte for byte")
    func page() async throws {
        let response = try await redirect(.formPost).response()
        #expect(response.status == 200)
        #expect(response.header("content-type") == "text/html; charset=utf-8")
        #expect(response.header("x-content-type-options") == "nosniff")
        #expect(response.header("referrer-policy") == "origin")
        Self.expectNotStored(response)
        #expect(
            response.body == """
                <!doctype html>
                <html>
                <head><meta charset="utf-8"><title>Continue</title></head>
                <body>
                <form method="post" action="https://rp.example/callback" accept-charset="utf-8">
                <input type="hidden" name="code" value="c&amp;&quot;&lt;">
                <input type="hidden" name="state" value="s">
                <button>Continue</button>
                </form>
                <script>document.forms[0].submit()</script>
                </body>
                </html>

                """)
    }

    @Test("the page's policy allows only the digest of its own script")
    func policy() async throws {
        let response = try await redirect(.formPost).response()
        let script = try need(
            response.body.components(separatedBy: "<script>").last?
                .components(separatedBy: "</script>").first)
        let digest = try Hash.digest(.sha256, script.utf8.span)
        let policy = try need(response.header("content-security-policy"))
        #expect(
            policy
                == "default-src 'none'; script-src 'sha256-\(Data(digest).base64EncodedString())'; "
                + "base-uri 'none'; frame-ancestors 'none'")
        // The page does not restrict what the client does after the post, as browsers would block
        // it.
        #expect(!policy.contains("form-action") && !policy.contains("unsafe"))
        #expect(response.body.components(separatedBy: "<script").count == 2)
    }

    @Test(
        "no external value escapes its HTML attribute",
        arguments: [
            #""><script>alert(1)</script>"#, "'><img src=x onerror=alert(1)>", "&quot;&#34;",
            "</form></body>", "`${1}`", "--></script>", "&amp;",
        ])
    func escaping(_ state: String) async throws {
        let body = try await redirect(.formPost, state: state).response(
            button: state
        ).body
        #expect(body.components(separatedBy: "<script>").count == 2)
        #expect(body.components(separatedBy: "<").count == 19)
        let value = try need(
            body.components(separatedBy: #"name="state" value=""#).last?
                .components(separatedBy: "\">\n").first)
        for sign in ["<", ">", "\"", "'"] { #expect(!value.contains(sign)) }
        let read = value.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&amp;", with: "&")
        #expect(Array(read.utf8) == Array(state.utf8))
    }

    @Test("a URL with a query and HTML characters stays one attribute")
    func address() async throws {
        let uri = "https://rp.example/cb?a=1&lt=2&b='c'"
        let posted = try await redirect(.formPost, redirectURI: uri).response().body
        #expect(posted.contains(#"action="https://rp.example/cb?a=1&amp;lt=2&amp;b=&#39;c&#39;""#))
        let response = try await redirect(.query, redirectURI: uri).response()
        #expect(response.header("location")?.hasPrefix(uri + "&code=") == true)
    }

    @Test("a redirect from a modified grant cannot inject a header or a script")
    func changed() async throws {
        let login = try await Login(TestEnvironment(.openID))
        let kept = try JSONEncoder().encode(login.received)
        let text = String(decoding: kept, as: UTF8.self).replacing("\\/", with: "/")
        for bad in ["https:\\/\\/rp.example\\/\\r\\nSet-Cookie: a=b", "javascript:alert(1)", "x"] {
            let changed = text.replacing(TestEnvironment.redirectURI, with: bad)
            #expect(changed != text)
            let request = try JSONDecoder().decode(
                ReceivedAuthorization.self, from: Data(changed.utf8))
            await expectRejection("misuse", bad) {
                _ = try await login.env.client.redirect(code: "c", for: request).response()
            }
        }
    }

    @Test("token responses and errors are JSON with no-store, and 401 requires a scheme")
    func token() throws {
        let good = try TokenResponse(accessToken: "a", idToken: "b", expiresInSeconds: 3).response()
        #expect(good.status == 200 && good.header("content-type") == "application/json")
        #expect(try TokenResponse(json: good.body).idToken == "b")
        Self.expectNotStored(good)
        for (error, status) in [
            (TokenError(.invalidRequest), 400), (TokenError(.invalidClient), 400),
            (TokenError(.invalidGrant), 400), (TokenError(.temporarilyUnavailable), 503),
            (TokenError(.unauthorizedClient), 400), (TokenError(.unsupportedGrantType), 400),
            (TokenError(.invalidScope), 400), (TokenError(.serverError), 500),
        ] {
            let response = try error.response()
            #expect(response.status == status && response.header("www-authenticate") == nil)
            #expect(response.header("content-type") == "application/json")
            let read = try TokenError(json: response.body)
            #expect(read.code == error.code && read.description != nil)
            Self.expectNotStored(response)
        }
        let challenge = try TokenError(.invalidClient).response(authorization: "Basic AA==")
        #expect(challenge.status == 401)
        #expect(challenge.header("www-authenticate")?.hasPrefix("Basic realm=\"") == true)
        for (code, status) in [
            (OAuthErrorCode.invalidGrant, 400), (.serverError, 500), (.temporarilyUnavailable, 503),
        ] { #expect(try TokenError(code).response(authorization: "Basic AA==").status == status) }
    }

    @Test(
        "bearer errors: status and challenge (RFC 6750 3.1), never a challenge without parameters")
    func bearer() throws {
        for (code, status) in [
            (nil, 401), (OAuthErrorCode.invalidToken, 401), (.insufficientScope, 403),
            (.invalidRequest, 400), (.temporarilyUnavailable, 503), (.serverError, 500),
        ] {
            let error = BearerError(code, description: code.map { _ in "why" })
            let response = try error.response()
            #expect(response.status == status && response.body.isEmpty)
            let header = try need(response.header("www-authenticate"))
            #expect(header.hasPrefix("Bearer ") && header.contains("="))
            #expect(try BearerError(header: header) == error)
            Self.expectNotStored(response)
        }
    }

    @Test(
        "UserInfo responses are application/jwt or application/json, as the profile says",
        arguments: TestEnvironment.all)
    func userInfo(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        let env = login.env
        let idToken = try await login.open(try await login.idToken())
        let response = try await env.client.tokenIssuer().userInfoResponse(
            subject: TestEnvironment.subject, claims: ["name": "Zoë"], at: .testNow)
        #expect(response.status == 200)
        let type = try need(response.header("content-type"))
        #expect(type == (profile.userInfo.layers == nil ? "application/json" : "application/jwt"))
        Self.expectNotStored(response)
        let user = try await env.party.verifyUserInfo(
            response.body, for: idToken, contentType: type, at: .testNow)
        #expect(try user.name == "Zoë")
        let request = try await env.party.userInfoRequest(accessToken: "at")
        let accepted = [type] + profile.userInfo.otherMediaTypes
        #expect(
            request.headers.filter { $0.name == "Accept" }
                == [OpenIDParameter("Accept", accepted.joined(separator: ", "))])
    }

    @Test("published documents have their media type and cache lifetime")
    func documents() async throws {
        let env = try TestEnvironment(.itsme2)
        let document = try env.provider.discoveryResponse()
        #expect(document.header("content-type") == "application/json")
        #expect(document.header("cache-control") == "public, max-age=300")
        _ = try TestEnvironment.read(document.body, .itsme2)
        let keys = try env.provider.keySetResponse(maxAge: .seconds(60))
        #expect(keys.header("content-type") == "application/jwk-set+json")
        #expect(keys.header("cache-control") == "public, max-age=60")
        #expect(try PublicJWKSet(json: keys.body).keys().count == 2)
        #expect(!keys.body.contains("\"d\""))
        let ours = try OpenIDHTTPResponse.keySet(TestKeys.party, for: .itsme2)
        #expect(try ours.body == TestKeys.party.publicKeys.json())
        let bads: [Duration] = [
            .seconds(-1), .seconds(86_401), .milliseconds(1_500), .nanoseconds(1),
            Duration(secondsComponent: .max, attosecondsComponent: 0),
        ]
        for bad in bads {
            await expectRejection("misuse") { _ = try env.provider.keySetResponse(maxAge: bad) }
        }
    }

    @Test("a request object behind its request_uri has the media type of RFC 9101")
    func requestObject() async throws {
        let env = try TestEnvironment(.itsme2)
        var request = env.request
        #expect(try await env.party.start(request, at: .testNow).requestObjectResponse() == nil)
        request.delivery = .byReference(TestEnvironment.requestURI)
        let started = try await env.party.start(request, at: .testNow)
        let response = try need(try started.requestObjectResponse())
        #expect(response.body == started.requestObject)
        #expect(response.header("content-type") == "application/oauth-authz-req+jwt")
    }

    @Test("the first response to an app is written as it is read, with its own status")
    func activation() async throws {
        let started = ActivationResponse.started(
            ActivationStart(
                activationCode: "1\"2", statusURL: "https://idp.example/s",
                completeURL: "https://idp.example/c?x=1"))
        let least = ActivationResponse.started(
            ActivationStart(activationCode: nil, statusURL: nil, completeURL: "https://a.b"))
        let failed = ActivationResponse.failed(
            code: "urn:signicat:error:idp:ACCESS_DENIED", message: "no",
            completeURL: "https://a.b/c")
        for value in [started, least, failed, .failed(code: "x", message: nil)] {
            let response = try value.response()
            #expect(response.status == 200 && response.header("content-type") == "application/json")
            Self.expectNotStored(response)
            #expect(try ActivationResponse(json: response.body) == value)
        }
        #expect(
            try failed.response().body
                == #"{"completeUrl":"https://a.b/c","#
                + #""error":{"code":"urn:signicat:error:idp:ACCESS_DENIED","message":"no"},"#
                + #""status":"ERROR"}"#
        )
        #expect(started != least && Set([started, least, failed, started]).count == 3)
        for bad in [
            ActivationResponse.failed(code: "", message: nil),
            .failed(code: "x", message: nil, completeURL: "http://a.b"),
            .started(
                ActivationStart(activationCode: nil, statusURL: nil, completeURL: "javascript:1")),
            .started(
                ActivationStart(activationCode: nil, statusURL: "x", completeURL: "https://a.b")),
        ] { await expectRejection("misuse") { _ = try bad.response() } }
    }

    @Test("without a safe redirect the page has one sentence that names who is at fault")
    func rejected() throws {
        for (error, status) in [
            (
                try #require(throws: JOSEError.self) {
                    try BearerToken(method: "GET", authorization: nil)
                }, 400
            ),
            (
                try #require(throws: JOSEError.self) {
                    try BearerToken(method: "PUT", authorization: nil)
                }, 400
            ), (try #require(throws: JOSEError.self) { try OpenIDHTTPResponse(status: 1) }, 500),
        ] {
            let response = try OpenIDHTTPResponse.page(rejecting: error, text: "Nein & <nein>")
            #expect(response.status == status)
            #expect(response.body.contains("<p>Nein &amp; &lt;nein&gt;</p>"))
            #expect(!response.body.contains(error.message) && !response.body.contains("<script"))
            #expect(
                response.header("content-security-policy")
                    == "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
            Self.expectNotStored(response)
        }
    }

    @Test(
        "invalid HTTP headers are rejected",
        arguments: [
            ("A\r\nB", "x"), ("A", "x\r\nSet-Cookie: a=b"), ("A", "x\ny"), ("A", "x\u{0}"),
            ("", "x"), ("A B", "x"), ("A:", "x"), ("Ä", "x"), ("A", "ä"), ("A", " x"), ("A", "x "),
            ("A", "x\u{7f}"),
        ])
    func headers(_ name: String, _ value: String) async {
        await expectRejection("misuse") {
            _ = try OpenIDHTTPResponse(status: 200, headers: [OpenIDParameter(name, value)])
        }
        for status in [99, 600, -1] {
            #expect(throws: JOSEError.self) { try OpenIDHTTPResponse(status: status) }
        }
    }
}
