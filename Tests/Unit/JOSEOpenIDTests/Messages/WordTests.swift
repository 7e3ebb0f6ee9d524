// Lists are split by bytes, and their values contain only the characters that the RFCs allow.

import JOSE
import JOSEOpenID
import Testing

@Suite("Parameter values with spaces")
struct WordTests {
    /// After a space each of them combines with it into one Character, is not ASCII, or is
    /// invisible.
    static let marks = [
        "\u{301}", "\u{200d}", "\u{fe0f}", "\u{20dd}", "\u{37e}", "\u{212a}", "\u{a0}", "\u{3000}",
        "é", "\u{1f600}",
    ]
    static let lists = ["scope", "acr_values", "prompt", "display", "ui_locales", "claims_locales"]

    private var profile: OpenIDProfile {
        var profile = OpenIDProfile.openID
        profile.authorization.forbiddenScopes = ["admin"]
        profile.authorization.requiresPKCE = false
        return profile
    }

    private func parameters(_ name: String, _ value: String) -> [OpenIDParameter] {
        [
            OpenIDParameter("response_type", "code"),
            OpenIDParameter("client_id", TestEnvironment.clientID),
            OpenIDParameter("redirect_uri", TestEnvironment.redirectURI),
            OpenIDParameter("state", "s"),
            OpenIDParameter("scope", name == "scope" ? value : "openid"),
        ] + (name == "scope" ? [] : [OpenIDParameter(name, value)])
    }

    private func code(_ verdict: AuthorizationResult)
        -> OAuthErrorCode?
    {
        guard case .rejected(let rejected) = verdict else { return nil }
        return rejected.error.code
    }

    @Test("a space separates words, whatever combining mark follows it", arguments: marks)
    func spaces(_ mark: String) {
        let parameters = urlForm(["scope": "openid  admin \(mark)x \(mark)"])
        #expect(
            parameters.words("scope").map { Array($0.utf8) }
                == ["openid", "admin", mark + "x", mark].map { Array($0.utf8) })
    }

    @Test("a forbidden scope is rejected, whatever combining mark follows it", arguments: marks)
    func forbidden(_ mark: String) async throws {
        let env = try TestEnvironment(profile)
        for value in ["openid admin \(mark)", "openid admin \(mark)x", "openid \(mark) admin"] {
            let verdict = try await env.client.browse(parameters("scope", value))
            #expect(code(verdict) == .invalidScope, "\(value)")
        }
    }

    @Test(
        "list values in a query contain only the characters that the RFCs allow",
        arguments: lists)
    func query(_ name: String) async throws {
        let env = try TestEnvironment(profile)
        let first = name == "scope" ? "openid " : ""
        for bad in Self.marks.map({ "a" + $0 }) + (name == "scope" ? ["a\"", "a\\b"] : []) {
            let verdict = try await env.client.browse(parameters(name, first + bad))
            #expect(
                code(verdict) == (name == "scope" ? .invalidScope : .invalidRequest), "\(bad)")
        }
        let good = first + "urn:a/b#[]^_`{|}~!$&'()*+,;=?@"
        let verdict = try await env.client.browse(parameters(name, good))
        #expect(code(verdict) == nil)
    }

    @Test(
        "list values in a signed object contain only the characters that the RFCs allow",
        arguments: lists)
    func object(_ name: String) async throws {
        var profile = profile
        profile.requestObject.requiredClaims = []
        let env = try TestEnvironment(profile)
        let first = name == "scope" ? "openid " : ""
        for bad in Self.marks {
            var claims: [String: JSONValue] = [
                "iss": .clientID, "aud": .string(env.objectAudience), "exp": .now(60),
            ]
            for parameter in parameters(name, first + "a " + bad) {
                claims[parameter.name] = .string(parameter.value)
            }
            let object = try env.partySealed(claims)
            let outer =
                parameters("scope", claims["scope"]?.string ?? "")
                + [OpenIDParameter("request", object)]
            let verdict = try await env.client.browse(outer)
            #expect(
                code(verdict) == (name == "scope" ? .invalidScope : .invalidRequest), "\(bad)")
        }
    }

    @Test("a relying party sends no invalid list value", arguments: marks)
    func sent(_ mark: String) async throws {
        let env = try TestEnvironment(profile)
        let changes: [(inout AuthorizationRequest) -> Void] = [
            { $0.scopes = ["a" + mark] }, { $0.acrValues = ["a" + mark] },
            { $0.prompt = ["login" + mark] }, { $0.display = "page" + mark },
            { $0.locales = ["nl" + mark] },
            { $0.additional = [OpenIDParameter("claims_locales", "nl" + mark)] },
        ]
        for change in changes {
            await expectRejection("misuse") { _ = try await env.start(change) }
        }
    }

    @Test(
        "RFC 6749 3.3: a scope is one token, wherever scopes are accepted",
        arguments: ["accounts payments", "", " ", " a", "a ", "a\"b", "a\\b", "é", "a\tb"])
    func oneWord(_ scope: String) async throws {
        let env = try TestEnvironment(profile)
        let party = env.party
        let login = try await Login(env)
        let sides = try BackchannelEnvironment()
        let said = "a scope must be one word"
        await expectRule(said) { _ = try await party.start(AuthorizationRequest(scopes: [scope])) }
        await expectRule(said) { _ = try await party.push(AuthorizationRequest(scopes: [scope])) }
        await expectRule(said) {
            _ = try await party.refreshRequest(refreshToken: "r", scopes: ["openid", scope])
        }
        await expectRule(said) {
            _ = try await sides.send(BackchannelRequest(.name("a"), scopes: [scope]))
        }
        await expectRule(said) {
            _ = try await env.client.tokenIssuer().accessToken(
                AccessGrant(subject: "u", audience: ["https://api.example"], scopes: [scope]))
        }
        await expectRule(said) {
            _ = try env.client.refreshFamily(
                for: login.received, granting: [scope], lifetime: .seconds(60))
        }
    }

    @Test("an ignored list is accepted only if all readers split it equally", arguments: marks)
    func ignored(_ mark: String) async throws {
        for profile in [OpenIDProfile.itsme0, .itsme1, .itsme2] {
            let env = try TestEnvironment(profile)
            let started = try await env.start()
            var all = try OpenIDParameters(decoding: JOSEOpenIDTests.query(started.url)).all
            guard let place = all.firstIndex(where: { $0.name == "scope" }) else { continue }
            all[place].value += " other \(mark)x"
            let verdict = try await env.client.browse(all)
            if case .accepted = verdict { Issue.record("accepted \(mark) under \(profile.name)") }
        }
    }
}
