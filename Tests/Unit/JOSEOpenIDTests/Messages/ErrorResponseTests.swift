// Error responses as values: token endpoint, UserInfo endpoint, redirect.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Error responses")
struct ErrorResponseTests {
    @Test("token errors round trip: error, optional error_description and error_uri")
    func token() throws {
        let error = try TokenError(
            json:
                #"{"error":"invalid_grant","error_description":"late","error_uri":"https://a.b","x":1}"#
        )
        #expect(error == TokenError(.invalidGrant, description: "late", uri: "https://a.b"))
        #expect(try TokenError(json: error.json()) == error)
        #expect(try TokenError(json: #"{"error":"x_own"}"#).code.name == "x_own")
    }

    @Test(
        "invalid characters of a description or error_uri are escaped on read, omitted on write",
        arguments: [
            ("a\u{1b}[2Jb", #"a\u{1b}[2Jb"#), ("a\nb", #"a\u{a}b"#), ("a\"b", #"a\"b"#),
            ("a\\b", #"a\\b"#), ("\u{e9}", #"\u{e9}"#), ("\u{202e}", #"\u{202e}"#),
            ("\u{7f}", #"\u{7f}"#),
        ])
    func companions(_ text: String, _ readable: String) throws {
        let json = try String(
            decoding: JSONEncoder().encode([
                "error": "invalid_grant", "error_description": text, "error_uri": text,
            ]), as: UTF8.self)
        #expect(
            try TokenError(json: json)
                == TokenError(.invalidGrant, description: readable, uri: readable))
        let error = TokenError(.invalidGrant, description: text, uri: text)
        #expect(
            try error.json()
                == #"{"error":"invalid_grant","error_description":"the grant is invalid, used, "#
                + #"expired or was issued to another client"}"#
        )
        #expect(try TokenError(json: #"{"error":"a","error_uri":"a b"}"#).uri == #"a\u{20}b"#)
        for other in ["null", "1", "[\"a\"]", "{}"] {
            let json = #"{"error":"a","error_description":\#(other),"error_uri":\#(other)}"#
            #expect(try TokenError(json: json) == TokenError(OAuthErrorCode(name: "a")))
        }
    }

    @Test("every error response has a description") func described() async throws {
        let codes: [OAuthErrorCode] = [
            .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient,
            .unsupportedGrantType, .invalidScope, .invalidTarget, .invalidAuthorizationDetails,
            .useDPoPNonce, .invalidDPoPProof, .serverError, .temporarilyUnavailable,
        ]
        let said = try codes.map {
            try need(TokenError(json: TokenError($0).response().body).description)
        }
        #expect(Set(said).count == codes.count && !said.contains("the request was rejected"))
        let own = try TokenError(OAuthErrorCode(name: "x_own")).json()
        #expect(try TokenError(json: own).description == "the request was rejected")
        let env = try TestEnvironment(.openID)
        let pushed = await env.client.receivePushedRequest("client_id=client-1")
        #expect(
            try TokenError(json: pushed.response().body).description
                == "the client is unknown or failed to authenticate")
        let logout = try OpenIDHTTPResponse.loggedOut(rejecting: .claimRejected("aud", "x"))
        #expect(try TokenError(json: logout.body).description != nil)
    }

    /// Invalid descriptions as a form carries them. The last ones have a broken encoding.
    private static let sloppy = [
        "a%0Ab", "a%0D%0Ab", "%09", "%00", "%7F", "caf%E9", "%FF", "%C3%28", "%C3%A9", "a%22b",
        "a%5Cb",
        "50%", "a%zz", "a b", "é", "a\"b",
    ]

    @Test(
        "RFC 6749 4.1.2.1: an invalid description or error_uri is dropped, and the rest is kept",
        arguments: sloppy)
    func sloppyRedirect(_ text: String) async throws {
        for profile in [OpenIDProfile.openID, .netsEIDBroker] {
            let login = try await Login(TestEnvironment(profile))
            let session = login.started.session
            func response(_ text: String) async throws -> AuthorizationResponse {
                try await login.env.response(text, by: session.responseMode.carrier, for: session)
            }
            let error = "error=access_denied&state=" + session.state
            for query in [
                error + "&error_description=\(text)&error_uri=\(text)",
                "error_uri=\(text)&" + error + "&error_description=\(text)",
            ] {
                guard case .error(let read) = try await response(query) else {
                    Issue.record("no error: \(query)")
                    continue
                }
                // Readable text stays, without anything that controls a log or terminal.
                #expect(read.code == .accessDenied)
                for kept in [read.description, read.uri] {
                    let kept = try need(kept)
                    #expect(kept.utf8.allSatisfy { 0x20...0x7e ~= $0 }, "\(kept)")
                    if text.contains("a") { #expect(kept.contains("a")) }
                }
            }
            #expect(
                try await response("error_description=\(text)&state=\(session.state)&code=c")
                    == .code("c"))
            // Significant parameters are strings, and an invalid string is never split into two.
            for bad in [
                "error=a%0Ab&state=\(session.state)", "error=%E9&state=\(session.state)",
                "error=a&state=\(session.state)%0A", "error=a&state=\(session.state)%E9",
                "error=a&iss=%0A&state=\(session.state)",
                error + "&error_description=\(text)&error_description=\(text)",
                error + "&error_description=\(text)&error=x",
            ] {
                await #expect(throws: JOSEError.self, "\(bad)") { try await response(bad) }
            }
        }
    }

    @Test(
        "RFC 6749 4.1.2: unknown parameters are ignored if they are well encoded",
        arguments: [("a%0Ab", true), ("%E9", true), ("%00", true), ("50%", false), ("é", false)])
    func unknown(_ text: String, _ isIgnored: Bool) async throws {
        let login = try await Login(TestEnvironment(.openID))
        let session = login.started.session
        let response = "error=access_denied&error_hint=\(text)&state=" + session.state
        if isIgnored {
            #expect(
                try await login.env.party.authorizationResponse(query: response, for: session)
                    == .error(AuthorizationError(.accessDenied)))
            let all = try OpenIDParameters(decoding: response).all
            #expect(all.map(\.name) == ["error", "state"])
        } else {
            await expectRejection("malformed") {
                _ = try await login.env.party.authorizationResponse(query: response, for: session)
            }
        }
    }

    @Test("a redirect error escapes its description too, and no printed response shows its code")
    func redirect() async throws {
        let login = try await Login(TestEnvironment(.openID))
        let session = login.started.session
        let response = try session.response(
            "error=access_denied&error_description=%C3%A9&error_uri=a%20b&state="
                + session.state, in: .query)
        #expect(
            response
                == .error(
                    AuthorizationError(
                        .accessDenied, description: #"\u{e9}"#, uri: #"a\u{20}b"#)))
        let redirect = try await login.env.client.redirect(
            error: AuthorizationError(.accessDenied, description: "\u{e9}"), for: login.received)
        #expect(
            redirect.parameters["error_description"]
                == "the user or the provider denied the request")
        #expect(redirect.parameters["error"] == "access_denied")
        let grant = try await login.env.client.grant(login.received, at: .testNow)
        let request = try await login.env.party.tokenRequest(grant.code, session)
        let received = try await login.env.client.receive(request)
        let verifier = try need(session.codeVerifier)
        let values: [Any] = [
            received, AuthorizationResponse.code(grant.code),
            try await login.env.client.redirect(code: grant.code, for: login.received),
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains(grant.code) && !text.contains(verifier))
        }
    }

    @Test(
        "hostile token errors are rejected",
        arguments: [
            "", "{}", "[]", #"{"error":1}"#, #"{"error":null}"#, #"{"error":""}"#,
            #"{"error":"a\"b"}"#, #"{"error":"a\nb"}"#, #"{"error":"é"}"#,
            #"{"error":"a","error":"b"}"#, #"{"error_description":"a"}"#,
            "{\"error\":\"\(String(repeating: "a", count: 129))\"}",
        ])
    func hostileToken(_ json: String) async {
        await expectRejection("malformed", json) { _ = try TokenError(json: json) }
    }

    @Test("UserInfo errors: 401 with WWW-Authenticate, with and without a scheme")
    func bearer() throws {
        #expect(try BearerError(header: #"error="invalid_token""#).code == .invalidToken)
        let full = try BearerError(
            header: #"Bearer realm="idp", error="invalid_token", error_description="It expired""#)
        #expect(full == BearerError(.invalidToken, description: "It expired"))
        #expect(try BearerError(header: "bearer error=invalid_token").code == .invalidToken)
        #expect(try BearerError(header: "Bearer").code == nil)
        #expect(try BearerError(header: full.header) == full)
        #expect(BearerError(.invalidToken).header == #"Bearer error="invalid_token""#)
        #expect(BearerError(nil).header == #"Bearer realm="userinfo""#)
        #expect(try BearerError(header: BearerError(nil).header) == BearerError(nil))
        #expect(
            BearerError(.invalidToken, description: "a\" b").header
                == #"Bearer error="invalid_token""#)
    }

    @Test(
        "RFC 6750 3: an invalid description in a header is dropped, and the rest is kept",
        arguments: [
            #"error_description="caf\#u{e9}""#, "error_description=\"a\tb\"",
            #"error_description="a\"b""#, #"error_description="a\\""#, #"error_description="\é""#,
            "error_description=\u{301}", "realm=\"\u{e9}\", x=\"\\\"\"",
            "realm=\"a, error=\\\"b\\\"\"",
        ])
    func sloppyBearer(_ text: String) throws {
        for header in [
            #"Bearer error="invalid_token", \#(text)"#, #"bearer \#(text), error="invalid_token""#,
            #"\#(text) error=invalid_token"#, "Bearer \(text),\terror=invalid_token",
        ] {
            let read = try BearerError(header: header)
            #expect(read.code == .invalidToken, "\(header)")
            #expect(read.description?.utf8.allSatisfy { 0x20...0x7e ~= $0 } ?? true, "\(header)")
            #expect((read.description == nil) == text.hasPrefix("realm"), "\(header)")
        }
    }

    @Test(
        "hostile WWW-Authenticate headers are rejected",
        arguments: [
            #"Bearer error="invalid"#, #"Bearer error"#, "Bearer error=\"a\nb\"",
            #"Bearer error="a", error="b""#, #"Bearer error="a\"b""#, "Bearer error=\"\u{e9}\"",
            #"Bearer error="""#, #"Bearer "x""#, #"Bearer error="a\"#, #"Bearer error="a\""#,
            "Bearer error=\"a\", error_description=\"a\nb\"", "Bearer error=\"a\"\r\nX: y",
            "Bearer error=\"a\u{0}\"", "Bearer error=\"a\tb\"", #"Bearer error="a" DPoP"#, "=a",
            "Bearer error= ", "Bearer error = , realm=a", #"Bearer "x error="a""#,
            #"Bearer error="a", DPoP error="b", error="c""#, #"Bearer error="a", Error="b""#,
        ])
    func hostileBearer(_ header: String) async {
        await expectRejection("malformed", header) { _ = try BearerError(header: header) }
    }

    @Test("token responses need Bearer, an access token and an ID Token")
    func responses() async throws {
        let response = try TokenResponse(
            json:
                #"{"access_token":"a","token_type":"bearer","id_token":"x","expires_in":300,"scope":"openid"}"#
        )
        #expect(response.accessToken == "a" && response.idToken == "x")
        #expect(response.expiresIn == .seconds(300) && response.refreshToken == nil)
        #expect(response.scopes == ["openid"])
        for bad in [
            "", "[]", #"{"access_token":"a","id_token":"x"}"#,
            #"{"access_token":"a","token_type":"mac","id_token":"x"}"#,
            #"{"access_token":"","token_type":"Bearer","id_token":"x"}"#,
            #"{"access_token":"a","token_type":"Bearer"}"#,
            #"{"access_token":"a\n","token_type":"Bearer","id_token":"x"}"#,
            #"{"access_token":"a","token_type":"Bearer","id_token":1}"#,
            #"{"access_token":"a","token_type":"Bearer","id_token":"x","expires_in":"01"}"#,
            #"{"access_token":"a","token_type":"Bearer","id_token":"x","expires_in":-1}"#,
            #"{"access_token":"a","access_token":"b","token_type":"Bearer","id_token":"x"}"#,
        ] {
            await expectRejection("malformed", bad) { _ = try TokenResponse(json: bad) }
        }
    }

    @Test("RFC 6749 5.1: the granted scope is returned, and read by the grammar of 3.3")
    func scopes() async throws {
        var given = TokenResponse(accessToken: "a", idToken: "x")
        #expect(given.scopes == nil)
        #expect(try !given.json().contains("scope"))
        given.scopes = ["openid", "a:b/c!#[]~"]
        #expect(try TokenResponse(json: given.json()).scopes == given.scopes)
        var refreshed = AccessTokenResponse(accessToken: "a")
        refreshed.scopes = ["openid"]
        #expect(try AccessTokenResponse(json: refreshed.response().body).scopes == ["openid"])
        for bad in [
            "a\tb", "a\u{7f}", "\u{e9}", #"a\"b"#,
            #"a\\b"#,
        ] {
            let escaped = bad.replacing("\t", with: #"\t"#)
            for rest in [#","id_token":"x"}"#, "}"] {
                let json = #"{"access_token":"a","token_type":"Bearer","scope":""# + escaped + "\""
                await expectRejection("malformed", bad) {
                    _ =
                        rest == "}"
                        ? try AccessTokenResponse(json: json + rest).scopes
                        : try TokenResponse(json: json + rest).scopes
                }
            }
        }
        for (text, words) in [
            ("", nil), (" ", nil), (" openid", ["openid"]),
            ("openid  email ", ["openid", "email"]),
        ] as [(String, [String]?)] {
            let json = #"{"access_token":"a","token_type":"Bearer","scope":"\#(text)"}"#
            #expect(try AccessTokenResponse(json: json).scopes == words)
        }
        await expectRejection("malformed") {
            _ = try AccessTokenResponse(
                json: #"{"access_token":"a","token_type":"Bearer","scope":["openid"]}"#)
        }
        for bad in [[], [""], ["a b"], ["a\"b"], ["a\\b"], ["\u{e9}"], ["openid", "a\n"]] {
            given.scopes = bad
            let response = given
            await expectRule("scope") { _ = try response.json() }
        }
    }
}
