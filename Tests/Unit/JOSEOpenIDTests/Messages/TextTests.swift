// Parameter encoding and decoding.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Form encoding and lists")
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
            "iss": .clientID, "aud": .issuer, "exp": .now(60), "client_id": .clientID,
            "redirect_uri": .redirectURI,
        ]
        let object = try env.partySealed(claims.merging(further) { $1 })
        let request = TestEnvironment.form(["request": object])
        switch try await env.client.browse(request) {
        case .accepted: return nil
        case .rejected(let rejected):
            guard rejected.cause.code == .limitExceeded else { return nil }
            #expect(rejected.error.code == .invalidRequestObject)
            return rejected.cause.code.name
        }
    }
}
