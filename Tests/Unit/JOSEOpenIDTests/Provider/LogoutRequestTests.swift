// RP-initiated logout: the client's URL, and the provider's checks before it redirects.

import JOSE
import JOSEOpenID
import Testing

@Suite("Logout requests")
struct LogoutRequestTests {
    static let endpoint = "https://idp.example/v2/logout"
    static let back = "https://rp.example/bye?from=idp"

    private let env: TestEnvironment
    private let client: RegisteredClient

    init() throws {
        env = try TestEnvironment(
            .openID, additional: ["end_session_endpoint": .string(Self.endpoint)])
        client = try env.provider.client { $0.postLogoutRedirectURIs = [Self.back, "app:/bye"] }
    }

    private func hint(
        _ change: [String: JSONValue?] = [:], by key: JWK = TestKeys.providerSigning,
        type: String? = nil
    ) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": .issuer, "aud": .clientID, "sub": "user-1", "sid": "s-1", "iat": .now(-90_000),
            "exp": .now(-86_400),
        ]
        return try jwt(claims.with(change), by: key, type: type)
    }

    private func receive(_ parameters: KeyValuePairs<String, String>) throws(JOSEError)
        -> RegisteredClient.ReceivedLogout
    {
        try client.receiveLogoutRequest(urlForm(parameters).encoded)
    }

    private func location(_ logout: RegisteredClient.ReceivedLogout, confirmed: Bool) throws
        -> String?
    {
        try logout.response(isConfirmed: confirmed).header("Location")
    }

    @Test("2 and 3: an expired hint ends the session, and the browser returns with its state")
    func roundTrip() async throws {
        let state = "s t&a=te"
        let url = try env.party.logoutURL(
            idToken: hint(), returningTo: Self.back, state: state)
        #expect(url.hasPrefix(Self.endpoint + "?id_token_hint="))
        #expect(
            try env.provider.unverifiedClientID(logoutRequest: query(url))
                == TestEnvironment.clientID)
        let logout = try client.receiveLogoutRequest(query(url))
        #expect(logout.subject == "user-1" && logout.sessionID == "s-1")
        #expect(!logout.needsConfirmation(subject: "user-1", sessionID: "s-1"))
        let response = try logout.response(isConfirmed: false)
        #expect(response.status == 303 && response.header("Cache-Control") == "no-store")
        let back = try need(response.header("Location"))
        #expect(back == Self.back + "&state=s%20t%26a%3Dte")
        try env.party.checkLogoutReturn(query: query(back), state: state)
        for other in ["", "state=", "state=x", "state=a&state=a"] {
            await expectRejection(
                other.contains("&") ? "malformed" : "claim-rejected state", other
            ) { try env.party.checkLogoutReturn(query: other, state: state) }
        }
        // POST has the same parameters; without a state none is returned.
        let bare = try receive([
            "id_token_hint": hint(), "post_logout_redirect_uri": "app:/bye",
            "ui_locales": "nl en", "logout_hint": "h",
        ])
        #expect(try location(bare, confirmed: false) == "app:/bye")
        #expect(bare.uiLocales == ["nl", "en"] && bare.logoutHint == "h")
        #expect(!"\(bare)".contains("user"))
    }

    @Test("2 and 6: the user is asked without a hint, and for another user or session")
    func confirmation() throws {
        let hinted = try receive(["id_token_hint": hint()])
        #expect(!hinted.needsConfirmation(subject: "user-1", sessionID: "s-1"))
        #expect(hinted.needsConfirmation(subject: "user-2", sessionID: "s-1"))
        #expect(hinted.needsConfirmation(subject: "user-1", sessionID: "s-2"))
        #expect(hinted.needsConfirmation(subject: "user-1"))
        #expect(hinted.ignoredHint == nil)
        let bare = try receive(["id_token_hint": hint(["sid": nil])])
        #expect(bare.needsConfirmation(subject: "user-1", sessionID: "s-2"))
        #expect(!bare.needsConfirmation(subject: "user-1"))
        let named = try receive(["client_id": TestEnvironment.clientID])
        #expect(named.needsConfirmation(subject: "user-1"))
        #expect(named.subject == nil && named.sessionID == nil && named.ignoredHint == nil)
    }

    @Test("a hint by a retired key or algorithm is none: the user is asked, and can sign out")
    func retired() async throws {
        var reused = TestKeys.unrelated
        reused.keyID = TestKeys.providerSigning.keyID
        let parts = try hint().split(separator: ".").map(String.init)
        let mac = try JWSSigner(key: JWK.generate(.symmetric(bits: 256)), algorithm: .hs256)
            .sign(need(Base64URLText.decode(parts[1])))
        let altered =
            parts[0] + "." + parts[1] + "." + (parts[2].first == "A" ? "B" : "A")
            + parts[2].dropFirst()
        for (name, token, code) in [
            ("retired", try hint(by: TestKeys.unrelated), "key-not-found"),
            ("reused kid", try hint(by: reused), "signature-invalid"),
            ("altered", altered, "signature-invalid"),
            ("none", "eyJhbGciOiJub25lIn0." + parts[1] + ".", "algorithm-not-allowed"),
            ("algorithm", mac, "algorithm-not-allowed"),
        ] as [(String, String, String)] {
            let logout = try receive([
                "id_token_hint": token, "client_id": TestEnvironment.clientID,
                "post_logout_redirect_uri": Self.back,
            ])
            #expect(logout.subject == nil && logout.sessionID == nil, "\(name)")
            #expect(logout.ignoredHint.map(verdict) == code, "\(name)")
            #expect(logout.needsConfirmation(subject: "user-1", sessionID: "s-1"), "\(name)")
            #expect(try location(logout, confirmed: false) == nil, "\(name)")
            #expect(try location(logout, confirmed: true) == Self.back, "\(name)")
            await expectRejection(code, name) { _ = try receive(["id_token_hint": token]) }
        }
    }

    @Test("3: without a hint only a confirmed logout redirects")
    func unhinted() throws {
        let logout = try receive([
            "client_id": TestEnvironment.clientID, "post_logout_redirect_uri": Self.back,
        ])
        let page = try logout.response(isConfirmed: false, text: "Bye <b>")
        #expect(page.status == 200 && page.header("Location") == nil)
        #expect(page.body.contains("Bye &lt;b&gt;"))
        #expect(try location(logout, confirmed: true) == Self.back)
        // Without a URI there is no redirect, also after a confirmation.
        let hinted = try receive(["id_token_hint": hint()])
        #expect(try location(hinted, confirmed: true) == nil)
    }

    @Test(
        "3: an open redirect needs a registered URI, byte for byte",
        arguments: [
            "https://evil.example", "https://rp.example/bye", "https://rp.example/bye?from=idp&x",
            "https://rp.example/bye?from=idp#x", "https://rp.example/bye?from=idp/",
            "https://RP.example/bye?from=idp", "https://rp.example:443/bye?from=idp",
            "https://rp.example/./bye?from=idp", "https://rp.example/%62ye?from=idp",
            "https://rp.example@evil.example/bye?from=idp", "//evil.example", "/bye",
            "javascript:alert(1)", "app:/bye/..", TestEnvironment.redirectURI,
        ])
    func openRedirect(_ uri: String) async throws {
        await expectRejection("claim-rejected post_logout_redirect_uri", uri) {
            _ = try receive(["id_token_hint": hint(), "post_logout_redirect_uri": uri])
        }
        await expectRejection("claim-rejected post_logout_redirect_uri", "no registration") {
            _ = try env.client.receiveLogoutRequest(
                urlForm(["id_token_hint": hint(), "post_logout_redirect_uri": uri]).encoded)
        }
    }

    /// Expects this rejection of a hint, whether the request names the client or not.
    private func expectRejections(_ expected: String, _ hint: String) async throws {
        for more in [[], [OpenIDParameter("client_id", TestEnvironment.clientID)]] {
            let form = OpenIDParameters([OpenIDParameter("id_token_hint", hint)] + more)
            await expectRejection(expected, "\(more.count) \(hint)") {
                _ = try client.receiveLogoutRequest(form.encoded)
            }
        }
    }

    @Test("2: a hint of another client, provider, user or kind is rejected, with no redirect")
    func hints() async throws {
        let other = try env.provider.client(TestEnvironment.registration("client-2"))
        await expectRejection("claim-rejected aud") {
            _ = try other.receiveLogoutRequest(urlForm(["id_token_hint": hint()]).encoded)
        }
        await expectRejection("claim-rejected client_id", "2: both must match") {
            _ = try receive(["id_token_hint": hint(), "client_id": "client-2"])
        }
        for (change, rejection) in [
            (["iss": "https://evil.example"], "claim-rejected iss"),
            (["aud": "client-2"], "claim-rejected aud"), (["aud": nil], "claim-rejected aud"),
            (["aud": 1], "claim-rejected aud"), (["aud": [1, .null]], "claim-rejected aud"),
            (["sub": nil], "claim-rejected sub"), (["sub": 1], "malformed"),
            (["sid": 1], "malformed"), (["exp": nil], "claim-rejected exp"),
            (["events": [:]], "claim-rejected events"),
        ] as [([String: JSONValue?], String)] {
            try await expectRejections(rejection, hint(change))
        }
        for type in ["at+jwt", "logout+jwt"] {
            try await expectRejections("claim-rejected typ", hint(type: type))
        }
        await expectRejection("claim-rejected client_id") { _ = try receive(["state": "x"]) }
    }

    @Test("hostile parameters: repeated, not text, too large")
    func hostile() async throws {
        for (text, rejection) in [
            ("client_id=client-1&client_id=client-1", "malformed"),
            ("client_id=client-1&state=a&state=b", "malformed"),
            ("client_id=client-1&state=%0d%0aSet-Cookie", "malformed"),
            ("client_id=client-1&post_logout_redirect_uri=%ff", "malformed"),
            ("client_id=client-1&x=" + String(repeating: "a", count: 70_000), "limit-exceeded"),
            ("client_id=client-1&id_token_hint=x", "malformed"),
            ("client_id=client-1&id_token_hint=a.b.c.d.e", "malformed"),
        ] {
            await expectRejection(rejection, text.prefix(60).description) {
                _ = try client.receiveLogoutRequest(text)
            }
        }
    }

    @Test("the client of a request is found by client_id, or by a single audience")
    func lookup() async throws {
        func find(_ parameters: KeyValuePairs<String, String>) throws(JOSEError) -> String? {
            try env.provider.unverifiedClientID(logoutRequest: urlForm(parameters).encoded)
        }
        #expect(try find([:]) == nil)
        #expect(try find(["client_id": "c"]) == "c")
        #expect(try find(["id_token_hint": hint(["aud": ["a"]])]) == "a")
        for audience: JSONValue? in [nil, ["a", "b"], 1, [], [1]] {
            #expect(try find(["id_token_hint": hint(["aud": audience])]) == nil)
        }
        for hint in ["x", "a.b", "a.!.c", "a.e30.c.d", "a..c", "a.W10.c"] {
            await expectRejection("malformed", hint) { _ = try find(["id_token_hint": hint]) }
        }
    }

    @Test("a client asks for no logout that would be rejected")
    func urls() async throws {
        let party = env.party
        #expect(
            try party.logoutURL(idToken: nil)
                == Self.endpoint + "?client_id=" + TestEnvironment.clientID)
        await expectRejection("misuse", "encrypted") {
            _ = try party.logoutURL(idToken: "a.b.c.d.e")
        }
        await expectRejection("misuse") { _ = try party.logoutURL(idToken: "a b.c.d") }
        for uri in ["/bye", "https://rp.example#x", "javascript:alert(1)", ""] {
            await expectRejection("misuse", uri) {
                _ = try party.logoutURL(idToken: nil, returningTo: uri)
            }
        }
        await expectRejection("misuse") { _ = try party.logoutURL(idToken: nil, state: "s") }
        await expectRejection("misuse", "no endpoint") {
            _ = try TestEnvironment(.openID).party.logoutURL(idToken: nil)
        }
        for uri in ["/bye", "https://a#b", ""] {
            await expectRejection("misuse", uri) {
                _ = try env.provider.client { $0.postLogoutRedirectURIs = [uri] }
            }
        }
    }
}
