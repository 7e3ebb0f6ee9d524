// Parameter encoding and decoding, and timestamps inside claims.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Form encoding, lists and timestamps")
struct TextTests {
    @Test("any string survives encoding, in the one spelling that Foundation also reads")
    func parameters() throws {
        let pieces = [
            "a", "Z", "0", "-", ".", "_", "~", " ", "+", "&", "=", "%", "%41", "é", "😀", "e\u{301}",
            "/", "?", "#", "\"", "'", ";", ",",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let value = (0..<Int.random(in: 1...12, using: &generator))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            let encoded = urlForm(["name": value, "b": "c"]).encoded
            let decoded = try OpenIDParameters(decoding: encoded)
            #expect(decoded.all.count == 2)
            #expect(Array(try need(decoded["name"]).utf8) == Array(value.utf8))
            let items = URLComponents(string: "https://a.b/?" + encoded)?.queryItems
            #expect(items?.first?.value == value)
        }
    }

    @Test("only unreserved characters stay unescaped") func spelling() {
        let all = String(String.UnicodeScalarView((0x20...0x7e).compactMap { Unicode.Scalar($0) }))
        #expect(
            urlForm(["a": all]).encoded
                == "a=%20%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40"
                + "ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~")
    }

    @Test("parameter names are compared byte for byte") func names() throws {
        let parameters = try OpenIDParameters(decoding: "state%CC%81=a&e%CC%81=x")
        #expect(parameters["state"] == nil)
        #expect(parameters["\u{e9}"] == nil)
        #expect(parameters["e\u{301}"] == "x")
    }

    @Test("login_hint may repeat, every other parameter occurs once") func repeated() async throws {
        let parameters = try OpenIDParameters(decoding: "login_hint=b&login_hint=a&x=1")
        #expect(parameters.values("login_hint") == ["b", "a"])
        await expectRejection("malformed") { _ = try OpenIDParameters(decoding: "x=1&y=2&x=1") }
        await expectRejection("malformed") { _ = try OpenIDParameters(decoding: "x=&x=1") }
    }

    @Test(
        "a list has at most 256 values, in a plain request and in a request object",
        arguments: [
            "scope", "acr_values", "prompt", "ui_locales", "claims_locales", "display",
            "response_type",
        ])
    func words(_ name: String) async throws {
        for (count, isGood) in [(256, true), (257, false), (10_000, false)] {
            let list = Array(repeating: "a", count: count).joined(separator: " ")
            let form = urlForm([name: list]).encoded
            if isGood {
                #expect(try OpenIDParameters(decoding: form)[name] == list)
            } else {
                await expectRejection("limit-exceeded") { _ = try OpenIDParameters(decoding: form) }
            }
            #expect(try await inObject([name: .string(list)]) == (isGood ? nil : "limit-exceeded"))
        }
        // A parameter that is not a list may have any number of spaces.
        let text = String(repeating: " a", count: 1_000)
        #expect(
            try OpenIDParameters(decoding: urlForm(["purpose": text]).encoded)["purpose"]
                == text)
    }

    @Test(
        "JSON in a request object has at most 512 names and values",
        arguments: ["claims", "idp_params", "registration"])
    func values(_ name: String) async throws {
        for (count, isGood) in [(200, true), (300, false), (2_000, false)] {
            var members: JSONObject = [:]
            for index in 0..<count { members["c\(index)"] = .null }
            let value: JSONValue =
                name == "claims" ? ["userinfo": .object(members)] : .object(members)
            #expect(
                try await inObject([name: value]) == (isGood ? nil : "limit-exceeded"), "\(count)")
        }
    }

    /// The rejection of a request object with these members as too large. Nil if it is accepted.
    private func inObject(_ further: [String: JSONValue]) async throws -> String? {
        let env = try TestEnvironment(.openID)
        let claims: [String: JSONValue] = [
            "iss": .string(TestEnvironment.clientID), "aud": .string(TestEnvironment.issuer),
            "exp": .now(60),
            "client_id": .string(TestEnvironment.clientID),
            "redirect_uri": .string(TestEnvironment.redirectURI),
        ]
        let object = try env.partySealed(claims.merging(further) { $1 })
        let request = urlForm([
            "client_id": TestEnvironment.clientID, "response_type": "code", "scope": "openid",
            "redirect_uri": TestEnvironment.redirectURI, "request": object,
        ]).encoded
        switch try await env.client.browse(request) {
        case .accepted: return nil
        case .rejected(let rejected):
            guard rejected.cause.code == .limitExceeded else { return nil }
            #expect(rejected.error.code == .invalidRequestObject)
            return rejected.cause.code.name
        }
    }

    @Test(
        "ISO 8601 timestamps of card readings are read",
        arguments: [
            ("2017-04-01T19:43:37+0000", 1_491_075_817), ("2017-04-01T19:43:37Z", 1_491_075_817),
            ("2017-04-01T21:43:37+02:00", 1_491_075_817),
            ("2017-04-01T14:13:37-0530", 1_491_075_817),
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T00:00:00Z", 951_782_400),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func timestamps(_ text: String, _ seconds: Int64) async throws {
        #expect(try await readDate(text) == NumericDate(exactly: seconds))
    }

    @Test(
        "invalid timestamps are rejected",
        arguments: [
            "2017-04", "2017-04-01T19:43:37", "2017-04-01 19:43:37Z", "2017-13-01T00:00:00Z",
            "2017-02-29T00:00:00Z", "2017-04-31T00:00:00Z", "2017-04-01T24:00:00Z",
            "2017-04-01T19:60:00Z", "2017-04-01T19:43:60Z", "2017-04-01T19:43:37+00",
            "2017-04-01T19:43:37+2400", "2017-04-01T19:43:37*0000", "1969-12-31T23:59:59Z",
            "2017-04-01T19:43:37+00:0", "2017-04-0aT19:43:37Z", "+017-04-01T19:43:37Z",
        ])
    func badTimestamps(_ text: String) async throws {
        await expectRejection("claim-rejected tag:sixdots.be,2016-06:claim_eid.read_date", text) {
            _ = try await readDate(text)
        }
    }

    private func readDate(_ text: String) async throws -> NumericDate? {
        let login = try await Login(TextTests.env)
        let idToken = try await login.open(login.forged(login.goodClaims))
        let claims: [String: JSONValue] = [
            "sub": "user-1-of-32-characters-in-total",
            "tag:sixdots.be,2016-06:claim_eid": ["read_date": .string(text)],
        ]
        let response = try TextTests.env.sealed(claims, .signedThenEncrypted)
        let info = try await TextTests.env.party.userInfo(response, idToken)
        return try need(try info.identityCard?.readDate)
    }

    private static let env = {
        do {
            return try TestEnvironment(.itsme1)
        } catch {
            preconditionFailure("no world: \(error)")
        }
    }()
}
