// Limits on what other parties can make us store, trust or report.

import JOSE
import JOSEOpenID
import Testing

@Suite("Limits and requirements from the field")
struct BoundTests {
    @Test(
        "the store keeps a logout token without exp whose iat is ahead by the leeway",
        arguments: [(540, 60), (300, 300), (3_000, 60), (1, 0)])
    func logoutStore(_ maxAge: Int, _ leeway: Int) async throws {
        var profile = OpenIDProfile.openID
        profile.leeway = .seconds(leeway)
        profile.logout = .withoutTypeOrExpiration
        profile.logout.maxAge = .seconds(maxAge)
        let env = try TestEnvironment(profile)
        // A store that was accepted with the profile can keep every token.
        let maxValidity = Int(profile.logout.maxValidity.components.seconds)
        let least = max(maxValidity, maxAge + 2 * leeway) + 301
        await expectRule("logout.maxAge") {
            _ = try await env.party.verifyLogout(
                form: "logout_token=x", once: BoundedStore(.seconds(least - 1)),
                at: TestEnvironment.now)
        }
        for ahead in [0, leeway] {
            let claims: [String: JSONValue] = [
                "iss": .string(TestEnvironment.issuer), "aud": .string(TestEnvironment.clientID),
                "sub": "user-1",
                "jti": "j", "iat": .integer(TestEnvironment.now.seconds + Int64(ahead)),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]
            _ = try await env.party.logout(
                env.sealed(claims, .signed), once: BoundedStore(.seconds(least)))
        }
    }

    @Test("a response names its issuer if the profile requires it, whatever the metadata say")
    func issuerByProfile() async throws {
        var profile = OpenIDProfile.openID
        let metadata = try TestEnvironment.metadata(profile)
        #expect(!metadata.sendsIssuerInResponse)
        for isDemanded in [false, true] {
            profile.authorization.sendsIssuerInResponse = isDemanded
            let party = try TestEnvironment.party(profile, metadata)
            let fetched = try TestEnvironment.fetching(profile, metadata)
            let session = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
                .session
            let query = "code=c&state=" + session.state
            let named = query + "&iss=" + TestEnvironment.issuer
            #expect(
                try await party.authorizationResponse(
                    query: named, for: session, at: TestEnvironment.now) == .code("c"))
            guard isDemanded else {
                #expect(
                    try await party.authorizationResponse(
                        query: query, for: session, at: TestEnvironment.now)
                        == .code("c"))
                continue
            }
            for text in [query, "error=access_denied&state=" + session.state] {
                await expectRejection("claim-rejected iss") {
                    _ = try await party.authorizationResponse(
                        query: text, for: session, at: TestEnvironment.now)
                }
                await expectRejection("claim-rejected iss") {
                    _ = try await fetched.authorizationResponse(
                        query: text, for: session, at: TestEnvironment.now)
                }
            }
        }
    }

    @Test("a metadata flag that is not a boolean is reported and counts as absent")
    func flags() async throws {
        for name in [
            "authorization_response_iss_parameter_supported", "require_signed_request_object",
            "require_pushed_authorization_requests", "request_parameter_supported",
            "request_uri_parameter_supported", "claims_parameter_supported",
            "backchannel_user_code_parameter_supported",
        ] {
            func read(_ value: JSONValue) throws -> ProviderMetadata {
                var members = try TestEnvironment.metadata(.openID).members
                members[name] = value
                return try TestEnvironment.read(members, .openID)
            }
            for value in ["true", 1, [], [:], "", 0] as [JSONValue] {
                let read = try read(value)
                #expect(read.ignored.map(\.member) == [name], "\(name) \(value)")
                #expect(read.ignored.first?.reason == "it is not a boolean" && read[name] == nil)
            }
            for value in [true, false, .null] as [JSONValue] {
                #expect(try read(value).ignored.isEmpty, "\(name) \(value)")
            }
        }
        // A profile that requires the flag does not accept a string for it.
        var members = try TestEnvironment.metadata(.fapi2).members
        members["authorization_response_iss_parameter_supported"] = "true"
        let text = try jsonText(members)
        await expectRejection("claim-rejected authorization_response_iss_parameter_supported") {
            _ = try ProviderMetadata(json: text, issuer: TestEnvironment.issuer, profile: .fapi2)
        }
    }

    @Test("a document of an externally chosen issuer contains no local URL")
    func untrusted() async throws {
        let document = try TestEnvironment.metadata(.openID).members
        func read(_ members: JSONObject, _ issuer: String) throws -> ProviderMetadata {
            try ProviderMetadata(
                json: jsonText(members), untrustedIssuer: issuer,
                profile: .openID)
        }
        #expect(try read(document, TestEnvironment.issuer).issuer == TestEnvironment.issuer)
        let local = [
            "https://127.0.0.1/x", "https://[::1]/x", "https://10.0.0.1/x", "https://8.8.8.8/x",
            "https://169.254.169.254/x", "https://localhost/x", "https://LOCALHOST:8443/x",
            "https://vault/x", "https://a.internal/x", "https://a.b.local/x",
            "https://x.localhost/x", "https://[::ffff:10.0.0.1]/x",
        ]
        for name in [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
            "pushed_authorization_request_endpoint", "backchannel_authentication_endpoint",
            "introspection_endpoint", "revocation_endpoint", "registration_endpoint",
            "end_session_endpoint", "check_session_iframe", "own_endpoint",
        ] {
            for url in local {
                let members = document.with([name: .string(url)])
                await expectRejection("claim-rejected \(name)", url) {
                    _ = try read(members, TestEnvironment.issuer)
                }
            }
        }
        for url in local {
            let members = document.with(["issuer": .string(url)])
            await expectRejection("claim-rejected issuer", url) { _ = try read(members, url) }
            // A provider in one's own network is read as before.
            _ = try ProviderMetadata(
                json: jsonText(members), issuer: url, profile: .openID)
        }
        // A value that is not an https URL is ignored or rejected as everywhere.
        let members = document.with(["userinfo_endpoint": "http://127.0.0.1/x"])
        #expect(try read(members, TestEnvironment.issuer).ignored.count == 1)
        await expectRejection("claim-rejected issuer") {
            _ = try read(members, TestEnvironment.issuer + "/")
        }
    }

    @Test("a flood of members or scopes is limited") func floods() async throws {
        let base = String(try TestEnvironment.metadata(.openID).json().dropLast())
        for count in [64, 65, 5_000] {
            let more = (0..<count).map { ",\"a\($0)_endpoint\":\"\"" }.joined()
            let read = try ProviderMetadata(
                json: base + more + "}", issuer: TestEnvironment.issuer, profile: .openID)
            #expect(read.ignored.count == 64)
            // Members that are not listed still count as absent.
            #expect(read["a\(count - 1)_endpoint"] == nil)
        }
        for count in [256, 257, 100_000] {
            let scope = Array(repeating: "a", count: count).joined(separator: " ")
            let json =
                #"{"access_token":"a","token_type":"Bearer","id_token":"i","scope":"\#(scope)"}"#
            guard count > 256 else {
                #expect(try TokenResponse(json: json).scopes?.count == count)
                #expect(try AccessTokenResponse(json: json).scopes?.count == count)
                continue
            }
            await expectRejection("limit-exceeded") { _ = try TokenResponse(json: json) }
            await expectRejection("limit-exceeded") { _ = try AccessTokenResponse(json: json) }
        }
    }

    @Test("an error member that is empty or null is ignored in a successful response")
    func emptyError() async throws {
        let start = #"{"access_token":"a","token_type":"Bearer","id_token":"i""#
        for none in ["\"\"", "null"] {
            let json = start + #","error":"# + none + "}"
            #expect(try TokenResponse(json: json).accessToken == "a")
            #expect(try AccessTokenResponse(json: json).accessToken == "a")
            await expectRejection("malformed") { _ = try TokenError(json: json) }
        }
        for error in [#"" ""#, #""invalid_grant""#, "0", "{}", "[]", "false"] {
            await expectRejection("malformed", error) {
                _ = try TokenResponse(json: start + #","error":"# + error + "}")
            }
        }
    }

    @Test(
        "with signed responses an error without state is reported too, and is not authenticated",
        arguments: [ResponseMode.jwt, .queryJWT, .formPostJWT, .fragmentJWT])
    func unsignedErrors(_ mode: ResponseMode) async throws {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [mode]
        profile.authorization.defaultResponseMode = mode
        let login = try await Login(TestEnvironment(profile))
        let (party, session) = (login.env.party, login.started.session)
        func response(_ text: String, _ carrier: String) async throws -> AuthorizationResponse {
            switch carrier {
            case "form":
                try await party.authorizationResponse(
                    form: text, for: session, at: TestEnvironment.now)
            case "fragment":
                try await party.authorizationResponse(
                    fragment: text, for: session, at: TestEnvironment.now)
            default:
                try await party.authorizationResponse(
                    query: text, for: session, at: TestEnvironment.now)
            }
        }
        let own = mode == .formPostJWT ? "form" : mode == .fragmentJWT ? "fragment" : "query"
        for carrier in Set(["query", own]) {
            let read = try await response("error=invalid_request_object", carrier)
            guard case .unauthenticatedError(let error) = read else {
                Issue.record("\(carrier): \(read)")
                continue
            }
            #expect(error.code == .invalidRequestObject && !error.isAuthenticated)
        }
        // Other parameters of an unsigned response are not accepted.
        for text in [
            "code=c&state=" + session.state, "error=access_denied&state=" + session.state,
            "error=access_denied&code=c", "code=c", "state=" + session.state,
        ] {
            await expectRejection("malformed", text) { _ = try await response(text, own) }
        }
        await expectRejection("claim-rejected iss") {
            _ = try await response("error=access_denied&iss=https://evil.example", "query")
        }
        for other in Set(["form", "fragment"]).subtracting([own]) {
            await expectRejection("malformed", other) {
                _ = try await response("error=access_denied", other)
            }
        }
    }

    @Test("an http redirect URI must have a host") func hosts() async throws {
        func make(_ address: String) throws {
            _ = try TestEnvironment(.openID).provider.client(
                ClientRegistration(
                    clientID: "c", redirectURIs: [address], secret: ClientSecret("s")),
                keys: PublicJWKSet(keys: []))
        }
        for address in [
            "http://", "http:///", "http:///cb", "http://?x", "http://:80", "http://:80/cb",
            "http://u@", "http://u@/cb", "http://u:p@:80/cb", "http:/cb", "http:cb", "http:",
            "HTTP:///cb", "Http:cb", "http:////rp.example", "https:///cb", "https://",
        ] {
            await expectRule("absolute URI") { try make(address) }
        }
        for address in [
            "http://a", "http://rp.example/cb", "HTTP://rp.example?x=/", "http://[::1]:8/cb",
            "http://127.0.0.1", "com.example.app:/cb", "com.example.app:///cb", "urn:x:y",
        ] {
            try make(address)
        }
    }
}

/// A store that keeps nothing, and accepts entries that end within its lifetime.
private struct BoundedStore: ReplayStore {
    let maxLifetime: Duration?

    init(_ lifetime: Duration) { maxLifetime = lifetime }

    func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
        if let maxLifetime, use.expires.duration(since: now) > maxLifetime {
            throw .lifetimeTooLong
        }
    }
}
