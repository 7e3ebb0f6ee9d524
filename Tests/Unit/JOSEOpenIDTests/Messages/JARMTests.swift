// Signed authorization responses (JARM): made and verified, and every invalid variant.

import JOSE
import JOSEOpenID
import Testing

@Suite("JARM responses")
struct JARMTests {
    static let signedModes: [ResponseMode] = [.jwt, .queryJWT, .fragmentJWT, .formPostJWT]

    static func profile(
        _ layers: TokenLayers = .signed, _ mode: ResponseMode = .jwt,
        among modes: [ResponseMode] = signedModes
    ) -> OpenIDProfile {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = modes
        profile.authorization.defaultResponseMode = mode
        profile.jarm.layers = layers
        return profile
    }

    private func said(_ login: Login) -> [String: JSONValue] {
        [
            "iss": .issuer, "aud": .clientID, "exp": .now(300), "code": "c",
            "state": .string(login.started.session.state),
        ]
    }

    private func read(
        _ env: TestEnvironment, _ claims: [String: JSONValue], _ session: AuthorizationSession,
        _ layers: TokenLayers = .signed, by key: JWK = TestKeys.providerSigning
    ) async throws -> AuthorizationResponse {
        let token = try env.sealed(claims, layers, by: key)
        return try await env.party.authorizationResponse(
            query: "response=" + token, for: session, at: .testNow)
    }

    @Test("a full URL, or its query with the ?, is not confused with another response mode")
    func more() async throws {
        let env = try TestEnvironment(Self.profile())
        let login = try await Login(env)
        let session = login.started.session
        let back = try await env.client.redirect(code: "c", for: login.received, at: .testNow)
        let text = back.parameters.encoded
        let plain = ["code=c", "error=access_denied"].map { $0 + "&state=" + session.state }
        for (query, rule) in ["?" + text, back.url, "", "x=y"].map({
            ($0, "there is no response parameter: pass the text after the ? or the #")
        })
            + plain.map({
                ($0, "the response came by another response_mode than the requested one")
            })
        {
            let reported = await JOSEOpenIDTests.said {
                _ = try await env.party.response(query, login.started)
            }
            #expect(reported == "malformed at message: " + rule)
        }
        #expect(
            try await env.party.authorizationResponse(query: text, for: session, at: .testNow)
                == .code("c"))
    }

    @Test(
        "codes, errors and rejections are returned in one token, by each mode and layering",
        arguments: signedModes, [TokenLayers.signed, .signedThenEncrypted])
    func roundTrip(_ mode: ResponseMode, _ layers: TokenLayers) async throws {
        let env = try TestEnvironment(Self.profile(layers, mode))
        let login = try await Login(env)
        let session = login.started.session
        #expect(login.received.responseMode == mode && session.responseMode == mode)
        let code = try await env.client.redirect(code: "c", for: login.received, at: .testNow)
        let denied = try await env.client.redirect(
            error: AuthorizationError(.accessDenied), for: login.received, at: .testNow)
        let bad = query(login.started.url).replacing("scope=openid", with: "scope=email")
        let rejected = try await env.client.browse(bad).rejected()
        for redirect in [code, denied, rejected.redirect] {
            #expect(redirect.responseMode == mode)
            #expect(redirect.parameters.all.map(\.name) == ["response"])
        }
        #expect(try await env.response(code, for: session) == .code("c"))
        guard case .error(let error) = try await env.response(denied, for: session),
            case .error(let scope) = try await env.response(rejected.redirect, for: session)
        else { throw Login.NoCode() }
        #expect(error.code == .accessDenied && error.description != nil)
        #expect(scope.code == .invalidScope)

        let response = try code.response()
        let mark = "https://rp.example/callback" + (mode.carrier == .fragment ? "#" : "?")
        switch mode.carrier {
        case .form:
            #expect(response.status == 200 && response.body.contains(#"name="response" value="ey"#))
            #expect(!response.body.contains(#"name="code""#))
        case .query, .fragment:
            #expect(response.status == 303)
            #expect(response.header("location")?.hasPrefix(mark + "response=ey") == true)
        }
    }

    @Test("JARM 2.1: iss, aud and a short exp next to the response parameters, and nothing else")
    func made() async throws {
        let env = try TestEnvironment(
            Self.profile(), additional: ["authorization_response_iss_parameter_supported": true])
        let login = try await Login(env)
        let redirect = try await env.client.redirect(code: "c", for: login.received, at: .testNow)
        let token = try JWTVerifier(
            policy: ClaimsPolicy(
                issuer: .exactly(TestEnvironment.issuer),
                audience: .anyOf([TestEnvironment.clientID])),
            signature: .required(
                key: TestKeys.providerSigning.publicKey, algorithms: [.rs256])
        ).verify(try need(redirect.parameters["response"]), at: .testNow)
        #expect(token["code"] == "c" && token["aud"] == .clientID)
        #expect(token["state"]?.string == login.started.session.state)
        #expect(token["exp"] == .now(300))
        for name in ["sub", "nonce", "scope", "response_mode"] { #expect(token[name] == nil) }
        #expect(try await env.response(redirect, for: login.started.session) == .code("c"))
    }

    @Test("each wrong claim has one error code") func wrong() async throws {
        let env = try TestEnvironment(Self.profile())
        let login = try await Login(env)
        let (good, session) = (said(login), login.started.session)
        #expect(try await read(env, good, session) == .code("c"))
        let rejected: [(String, JSONValue?)] = [
            ("iss", nil), ("iss", "https://evil.example"), ("iss", "https://idp.example/v2/"),
            ("aud", nil), ("aud", "client-2"), ("aud", ["client-2", "client-3"]), ("exp", nil),
            ("exp", .now(-60)), ("exp", .now(661)), ("exp", "soon"), ("nbf", .now(61)),
            ("state", nil), ("state", "other"), ("sub", "user-1"), ("nonce", "n"), ("at_hash", "a"),
            ("c_hash", "a"),
        ]
        let malformed: [(String, JSONValue?)] = [
            ("state", 1), ("state", .null), ("code", nil), ("code", 1), ("code", ["c"]),
            ("code", "é"), ("code", ""), ("error", "access_denied"), ("error", "\""),
            ("error_description", 1),
        ]
        for (name, value, code) in rejected.map({ ($0, $1, "claim-rejected \($0)") })
            + malformed.map({ ($0, $1, "malformed") })
        {
            await expectRejection(code, "\(name) \(String(describing: value))") {
                _ = try await read(env, good.with([name: value]), session)
            }
        }
        var further = good
        further["session_state"] = ["of": "any type"]
        further["exp"] = .now(660)
        further["aud"] = [.clientID]
        #expect(try await read(env, further, session) == .code("c"))
    }

    @Test("another key, another algorithm, other layers, no signature, corruption")
    func signatures() async throws {
        let env = try TestEnvironment(Self.profile())
        let login = try await Login(env)
        let session = login.started.session
        await expectRejection("key-not-found") {
            _ = try await read(env, said(login), session, by: TestKeys.unrelated)
        }
        var masked = TestKeys.unrelated
        masked.keyID = TestKeys.providerSigning.keyID
        await expectRejection("signature-invalid") {
            _ = try await read(env, said(login), session, by: masked)
        }
        await expectRejection("malformed") {
            _ = try await read(env, said(login), session, .signedThenEncrypted)
        }
        // The profile allows only RS256.
        let other = try JWTIssuer(key: TestKeys.providerSigning, algorithm: .ps256)
            .issue(JSONValue.object(JSONObject(said(login))))
        await expectRejection("algorithm-not-allowed") {
            _ = try await env.party.authorizationResponse(
                query: "response=" + other, for: session, at: .testNow)
        }
        let good = try env.sealed(said(login), .signed)
        let parts = good.split(separator: ".")
        for (text, code) in [
            ("eyJhbGciOiJub25lIn0.\(parts[1]).", "algorithm-not-allowed"),
            ("\(parts[0]).\(parts[1]).", "signature-invalid"),
            (good.dropLast(8) + "AAAAAAAA", "signature-invalid"), ("", "malformed"),
            ("a", "malformed"),
            ("e30.e30.e30", "malformed"),
        ] {
            await expectRejection(code, "\(text.prefix(40))") {
                _ = try await env.party.authorizationResponse(
                    query: "response=\(text)", for: session, at: .testNow)
            }
        }
        let nested = try TestEnvironment(Self.profile(.signedThenEncrypted))
        let second = try await Login(nested)
        await expectRejection("malformed") {
            _ = try await read(nested, said(second), second.started.session)
        }
    }

    @Test("a plain response is rejected where a signed one was requested, and the reverse")
    func modes() async throws {
        let env = try TestEnvironment(
            Self.profile(.signed, .query, among: [.query, .formPost] + Self.signedModes))
        func session(_ mode: ResponseMode) async throws -> AuthorizationSession {
            return try await env.start { $0.responseMode = mode }.session
        }
        for mode in [.query, .formPost] + Self.signedModes {
            let session = try await session(mode)
            let token = try env.sealed(
                [
                    "iss": .issuer, "aud": .clientID, "exp": .now(300), "code": "c",
                    "state": .string(session.state),
                ], .signed)
            let (signed, plain) = ("response=\(token)", "code=c&state=\(session.state)")
            for (carrier, text) in [
                ResponseMode.Carrier.query, .fragment, .form,
            ].flatMap({ [($0, signed), ($0, plain)] }) {
                let matches = carrier == mode.carrier && (text == signed) == mode.isSigned
                await expectResult(
                    matches ? nil : "malformed", "\(mode) \(carrier) \(text == signed)"
                ) {
                    let response = try await env.response(text, by: carrier, for: session)
                    #expect(response == .code("c"))
                }
            }
            // Parameters next to the token are ignored.
            guard mode.isSigned, mode.carrier == .query else { continue }
            #expect(
                try await env.party.authorizationResponse(
                    query: signed + "&code=evil&state=evil&error=access_denied&iss=x", for: session,
                    at: .testNow) == .code("c"))
        }
    }

    @Test("mix-up: another provider's response is rejected, even if signed with the same key")
    func mixedUp() async throws {
        let env = try TestEnvironment(Self.profile())
        let login = try await Login(env)
        let evil = "https://evil.example"
        let metadata = try TestEnvironment.metadata(at: evil, env.profile)
        let provider = try TestEnvironment.provider(env.profile, metadata)
        let client = try provider.client(TestEnvironment.registration())
        let received = try await client.receive(login.started)
        let back = try await client.redirect(code: "c", for: received, at: .testNow)
        await expectRejection("claim-rejected iss") {
            _ = try await env.response(back, for: login.started.session)
        }
        // A response to another client of the right provider.
        let other = try env.provider.client(TestEnvironment.registration("client-2"))
        let theirs = query(login.started.url).replacing("client-1", with: "client-2")
        let request = try await other.browse(theirs).accepted()
        let response = try await other.redirect(code: "c", for: request, at: .testNow)
        await expectRejection("claim-rejected aud") {
            _ = try await env.response(response, for: login.started.session)
        }
    }

    @Test("ID Tokens and signed responses are not interchangeable") func kinds() async throws {
        let env = try TestEnvironment(Self.profile())
        let login = try await Login(env)
        let idToken = try await login.idToken()
        await expectRejection("claim-rejected sub") {
            _ = try await env.party.response("response=" + idToken, login.started)
        }
        let back = try await env.client.redirect(code: "c", for: login.received, at: .testNow)
        await expectRejection("claim-rejected sub") {
            _ = try await login.open(try need(back.parameters["response"]))
        }
    }
}
