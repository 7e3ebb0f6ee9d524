// The layers, headers and claims of accepted request objects, with every lenient option.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Request objects: layers, headers, optional claims")
struct RequestObjectLayerTests {
    static func claims(_ env: TestEnvironment) async throws -> [String: JSONValue] {
        var plain = env.request
        plain.delivery = RequestObjectDelivery.none
        let started = try await env.party.start(plain, at: .testNow)
        var claims: [String: JSONValue] = [
            "iss": .clientID, "exp": .now(60), "aud": .string(env.objectAudience),
        ]
        let all = try urlParameters(started.url)
        for name in Set(all.all.map(\.name)) {
            let values = all.values(name).map(JSONValue.string)
            claims[name] = values.count == 1 ? values[0] : .array(values)
        }
        return claims
    }

    /// A token with these headers, encrypted if `outer` is given.
    static func token(
        _ claims: [String: JSONValue], type: String? = nil, outer: HeaderParameters? = nil,
        by key: JWK = TestKeys.partySigning
    ) throws -> String {
        let signed = try jwt(claims, by: key, type: type)
        guard let outer else { return signed }
        return try encrypted(signed, outer)
    }

    static func encrypted(_ text: String, _ header: HeaderParameters) throws -> String {
        try JWEEncrypter(
            key: TestKeys.providerDecrypting.publicKey, algorithm: .rsaOAEP,
            content: .a128CBCHS256, header: header
        ).encrypt(text)
    }

    static let nested = HeaderParameters(contentType: "JWT")

    /// The rejection of an object, by value and by reference. Nil if it is accepted.
    static func rejection(
        _ env: TestEnvironment, _ token: String,
        outer: [String] = ["response_type", "scope", "redirect_uri"]
    ) async throws -> String? {
        var plain = env.request
        plain.delivery = RequestObjectDelivery.none
        let all = try await urlParameters(env.party.start(plain).url).all
        let rest = all.filter { ["client_id"].contains($0.name) || outer.contains($0.name) }
        var verdicts: [String?] = []
        var ways = [OpenIDParameter("request", token)]
        if env.profile.requestObject.allowsReference {
            ways.append(OpenIDParameter("request_uri", TestEnvironment.requestURI))
        }
        for way in ways {
            do {
                let verdict = try await env.client.browse(rest + [way], fetch: { _ in token })
                _ = try verdict.accepted()
                verdicts.append(nil)
            } catch let error as JOSEError {
                verdicts.append(JOSEOpenIDTests.verdict(error))
            }
        }
        #expect(Set(verdicts).count == 1)
        return verdicts[0]
    }

    @Test("itsme's first generation accepts signed and nested objects, the second only nested")
    func layers() async throws {
        for (profile, accepted) in [
            (OpenIDProfile.itsme1, [TokenLayers.signed, .signedThenEncrypted]),
            (.itsme2, [.signedThenEncrypted]), (.netsEIDBroker, [.signed]), (.openID, [.signed]),
        ] {
            let env = try TestEnvironment(profile)
            let claims = try await Self.claims(env)
            for layers in [TokenLayers.signed, .signedThenEncrypted] {
                let token = try Self.token(claims, outer: layers == .signed ? nil : Self.nested)
                let rejection = try await Self.rejection(env, token)
                #expect((rejection == nil) == accepted.contains(layers), "\(profile) \(layers)")
            }
            let offers = env.metadata.list("request_object_encryption_alg_values_supported")
            #expect((offers != nil) == accepted.contains(.signedThenEncrypted), "\(profile)")
        }
        // A relying party of the first generation that chooses to encrypt.
        let sender = try TestEnvironment(
            .itsme1.with { $0.requestObject.layers = .signedThenEncrypted })
        var request = sender.request
        request.delivery = .byReference(TestEnvironment.requestURI)
        let object = try await need(try sender.party.start(request, at: .testNow).requestObject)
        #expect(object.split(separator: ".").count == 5)
        #expect(try await Self.rejection(TestEnvironment(.itsme1), object) == nil)
    }

    @Test("in either layering the signature is required", arguments: TestEnvironment.all)
    func forged(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile.lenient)
        let claims = try await Self.claims(env)
        for outer in [nil, Self.nested] {
            let good = try Self.token(claims, outer: outer)
            #expect(try await Self.rejection(env, good) == nil)
            let strange = try Self.token(claims, outer: outer, by: TestKeys.unrelated)
            #expect(try await Self.rejection(env, strange) == "key-not-found")
        }
        for text in ["x", ".", "..", "...", "....", ".....", "a.b.c", "a.b.c.d.e"] {
            #expect(try await Self.rejection(env, text) != nil, "\(text)")
        }
    }

    @Test(
        "an unsecured object is always rejected, whatever the profile allows",
        arguments: TestEnvironment.all)
    func unsecured(_ profile: OpenIDProfile) async throws {
        let claims = try await Self.claims(TestEnvironment(profile))
        let json = try JSONEncoder().encode(claims)
        let body = json.base64EncodedString().replacing("=", with: "")
            .replacing("+", with: "-").replacing("/", with: "_")
        for profile in [profile, profile.lenient] {
            let env = try TestEnvironment(profile)
            for header in [#"{"alg":"none"}"#, #"{"alg":"none","typ":"oauth-authz-req+jwt"}"#] {
                let head = Data(header.utf8).base64EncodedString().replacing("=", with: "")
                for signature in ["", "AA"] {
                    let token = "\(head).\(body).\(signature)"
                    #expect(try await Self.rejection(env, token) != nil)
                    let nested = try Self.encrypted(token, Self.nested)
                    #expect(try await Self.rejection(env, nested) != nil)
                }
            }
            // Encrypted only, which anybody can do.
            let text = String(decoding: json, as: UTF8.self)
            for header in [HeaderParameters(), Self.nested] {
                let token = try Self.encrypted(text, header)
                #expect(try await Self.rejection(env, token) != nil)
            }
        }
    }

    @Test("iss, aud and exp can each be made optional, and must match if present")
    func absent() async throws {
        let names = ["iss", "aud", "exp"]
        for missing in names {
            var profile = OpenIDProfile.netsEIDBroker
            profile.requestObject.requiredClaims.removeAll { $0 == missing }
            let env = try TestEnvironment(profile)
            let claims = try await Self.claims(env)
            for name in names {
                let less = claims.with([name: nil])
                let token = try Self.token(less)
                let rejection = try await Self.rejection(env, token)
                #expect(rejection == (name == missing ? nil : "claim-rejected \(name)"))
            }
            for (name, value) in [
                ("iss", "client-2"), ("iss", ""), ("iss", 1), ("iss", .null), ("aud", "x"),
                ("aud", []), ("aud", ["x"]), ("aud", .null), ("aud", 1),
                ("exp", .now(-61)), ("exp", .null), ("exp", "1"),
            ] as [(String, JSONValue)] {
                let wrong = claims.with([name: value])
                #expect(
                    try await Self.rejection(env, Self.token(wrong)) == "claim-rejected \(name)",
                    "\(name) \(value)")
            }
            var several = claims
            several["aud"] = ["x", try need(claims["aud"])]
            #expect(try await Self.rejection(env, Self.token(several)) == nil)
        }
    }

    @Test("presets make these claims optional") func switches() {
        #expect(OpenIDProfile.itsme1.requestObject.requiredClaims == [])
        #expect(OpenIDProfile.itsme2.requestObject.requiredClaims == ["iss", "aud"])
        for profile in [OpenIDProfile.signicatMobileID, .netsEIDBroker, .openID] {
            #expect(profile.requestObject.requiredClaims == ["iss", "aud", "exp"])
        }
    }

    @Test(
        "an object must contain a request and no sub, however lenient the profile",
        arguments: TestEnvironment.all)
    func empty(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile.lenient)
        for claims in [
            [:], ["iss": .clientID], ["own": "x"], ["own": 1, "nonces": "x"],
            ["iss": .clientID, "events": .object([:]), "sid": "s"],
        ] as [[String: JSONValue]] {
            #expect(try await Self.rejection(env, Self.token(claims)) == "malformed")
        }
        var claims = try await Self.claims(env)
        claims["sub"] = .clientID
        #expect(try await Self.rejection(env, Self.token(claims)) == "claim-rejected sub")
    }

    @Test("an object's parameters contain no control characters, not even JSON's")
    func controls() async throws {
        let env = try TestEnvironment(.itsme1)
        for (name, value) in [
            ("claims", ["id_token": ["a\u{7f}": nil]]),
            ("claims", ["userinfo": ["a": ["value": "\u{7f}"]]]),
            ("nonce", "a\u{7f}"), ("nonce", "a\nb"),
        ] as [(String, JSONValue)] {
            let claims = try await Self.claims(env).with([name: value])
            #expect(
                try await Self.rejection(env, Self.token(claims, outer: Self.nested)) == "malformed"
            )
        }
    }

    @Test("an object's parameter has at most 64 values, and an empty one counts as absent")
    func values() async throws {
        let env = try TestEnvironment(.netsEIDBroker)
        var claims = try await Self.claims(env)
        for (count, wanted) in [(64, nil), (65, "limit-exceeded")] as [(Int, String?)] {
            claims["resource"] = .array((0..<count).map { .string("https://a.example/\($0)") })
            #expect(try await Self.rejection(env, Self.token(claims)) == wanted)
        }
        claims["resource"] = nil
        for name in ["nonce", "state"] {
            let empty = claims.with([name: ""])
            #expect(try await Self.rejection(env, Self.token(empty)) == "malformed")
        }
    }

    @Test("RFC 6749 4.1.2.1: a rejection returns state, from query or object")
    func state() async throws {
        let env = try TestEnvironment(.itsme1.with { $0.requestObject.isSelfContained = false })
        var claims = try await Self.claims(env)
        claims["prompt"] = "login"
        for inObject in [true, false] {
            claims["state"] = inObject ? "s" : nil
            let token = try Self.token(claims, outer: Self.nested)
            let form = TestEnvironment.form(["request": token], scope: "openid service:LOGIN")
            let rejected = try await env.client.browse(form + (inObject ? "" : "&state=s"))
                .rejected()
            #expect(rejected.redirect.parameters["state"] == "s")
        }
    }

    @Test("an object has at most 256 members") func members() async throws {
        let env = try TestEnvironment(.openID)
        let claims = try await Self.claims(env)
        for (count, wanted) in [(256, nil), (257, "limit-exceeded")] as [(Int, String?)] {
            var many = claims
            for index in 0..<(count - claims.count) { many["x\(index)"] = .integer(Int64(index)) }
            #expect(many.count == count)
            #expect(try await Self.rejection(env, Self.token(many)) == wanted)
        }
    }

    @Test("unknown members are kept unchanged, and the query does not override them")
    func others() async throws {
        let odd: [String: JSONValue] = [
            "number": 1, "half": 1.5, "flag": true, "none": .null, "list": ["a", 1],
            "deep": ["a": ["b": [.null]]], "text": "t", "lines": "a\nb",
        ]
        for profile in [OpenIDProfile.itsme1, .netsEIDBroker, .openID.lenient] {
            let env = try TestEnvironment(profile)
            let claims = try await Self.claims(env).merging(odd) { $1 }
            let token = try Self.token(claims)
            let outer = urlForm([
                "response_type": "code", "client_id": TestEnvironment.clientID,
                "scope": try need(claims["scope"]?.string),
                "request_uri": TestEnvironment.requestURI,
                "number": "2", "lines": "c",
            ])
            let received = try await env.client.browse(outer.encoded, fetch: { _ in token })
                .accepted()
            let kept = try coded(received)
            for received in [received, kept] {
                #expect(received.otherMembers == JSONObject(odd))
                #expect(received.parameters["number"] == nil)
                #expect(received.parameters["lines"] == nil)
                #expect(received.isSigned("text"))
            }
        }
        let plain = try await Login(TestEnvironment(.openID)).received
        #expect(plain.otherMembers.isEmpty)
    }

    @Test("RFC 9101 5: the query is client_id and the object only, if the profile says so")
    func bare() async throws {
        for profile in TestEnvironment.all {
            let strict = try TestEnvironment(profile)
            let token = try await Self.token(
                try Self.claims(strict),
                outer: profile.requestObject.layers == .signed ? nil : Self.nested)
            for outer in [[], ["response_type"], ["scope"]] {
                #expect(try await Self.rejection(strict, token, outer: outer) != nil)
            }
            var bare = profile
            bare.requestObject.queryParameters = ["client_id"]
            let env = try TestEnvironment(bare)
            for outer in [[], ["response_type"], ["response_type", "scope", "redirect_uri"]] {
                #expect(try await Self.rejection(env, token, outer: outer) == nil)
            }
            let sent = try await urlParameters(env.start { $0.delivery = .byValue }.url)
            #expect(sent.all.map(\.name) == ["client_id", "request"])
            // All parameters must then be in the object.
            for name in ["response_type", "scope", "redirect_uri"] {
                let less = try await Self.claims(env).with([name: nil])
                let token = try Self.token(
                    less, outer: profile.requestObject.layers == .signed ? nil : Self.nested)
                #expect(try await Self.rejection(env, token, outer: []) != nil)
            }
        }
    }

    @Test("cty may be absent if the profile allows it, and may not be another value")
    func contentType() async throws {
        var lax = OpenIDProfile.itsme2
        lax.requestObject.header.requiresContentType = false
        for (profile, absent) in [(OpenIDProfile.itsme2, "malformed"), (lax, nil)] {
            let env = try TestEnvironment(profile)
            let claims = try await Self.claims(env)
            for (content, wanted) in [
                (nil, absent), ("JWT", nil), ("jwt", nil), ("application/jwt", nil),
                ("JWE", "malformed"), ("", "malformed"), ("json", "malformed"),
                ("oauth-authz-req+jwt", "malformed"),
            ] as [(String?, String?)] {
                #expect(
                    try await Self.rejection(
                        env, Self.token(claims, outer: HeaderParameters(contentType: content)))
                        == wanted, "\(content ?? "none")")
            }
        }
    }
}
