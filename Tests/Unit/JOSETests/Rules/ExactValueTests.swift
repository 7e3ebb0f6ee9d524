// Values with strings are compared by bytes, with `==`, in sets and as dictionary keys.

import JOSE
import JOSEBytes
import JOSEOpenID
import Testing

@Suite("Values with strings are compared by bytes")
struct ExactValueTests {
    /// Equal for Swift's `==`, different in bytes.
    private static let pairs = [
        ("\u{e9}", "e\u{301}"), ("K", "\u{212a}"), (";", "\u{37e}"), ("`", "\u{1fef}"),
        ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
        ("https://\u{c5}.example/a-longer-name", "https://\u{212b}.example/a-longer-name"),
    ]

    private struct Maker: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (String) throws -> AnyHashable

        init(_ name: String, _ make: @escaping @Sendable (String) throws -> AnyHashable) {
            testDescription = name
            self.make = make
        }
    }

    /// Values that differ only in a string.
    private static let makers = [
        Maker("purpose") { use(purpose: $0) }, Maker("issuer") { use(issuer: $0) },
        Maker("audience") { use(audience: $0) }, Maker("jti") { use(tokenID: $0) },
        Maker("IssuerRule") { IssuerRule.exactly($0) },
        Maker("AudienceRule") { AudienceRule.contains($0) },
        Maker("TypeRule") { MediaTypeRule.exactly($0) },
        Maker("TypeRule, several") { MediaTypeRule.jwtOr(["x", $0]) },
        Maker("policy's iss") { ClaimsPolicy(issuer: .exactly($0), audience: "a") },
        Maker("policy's aud") { ClaimsPolicy(issuer: "i", audience: .contains($0)) },
        Maker("policy's azp") { text in policy { $0.authorizedParty = text } },
        Maker("policy's trusted audience") { text in
            policy { $0.trustedAudiences = ["x", text] }
        },
        Maker("policy's typ") { text in policy { $0.type = .exactly(text) } },
        Maker("policy's claims") { text in policy { $0.requiredClaims = ["exp", text] } },
        Maker("use") { text in
            try need(
                JWK(json: "{\"kty\":\"oct\",\"k\":\"AAECAwQFBgcICQoLDA0ODw\",\"use\":\"\(text)\"}")
                    .use)
        },
        Maker("JSON text") { JSONValue.string($0) },
        Maker("JSON array") { JSONValue.array([1, .string($0)]) },
        Maker("JSON name") { JSONValue.object([$0: 1, "x": 2]) },
        Maker("JSONObject") { JSONObject([$0: 1, "x": 2]) },
        Maker("common name") { CertificateSubject(commonName: $0) },
        Maker("organisation") { CertificateSubject(commonName: "c", organization: $0) },
        Maker("country") { CertificateSubject(commonName: "c", country: $0) },
        Maker("message's aud") { MessageAudience.exactly($0) },
        Maker("request_uri") { RequestObjectDelivery.byReference($0) },
        Maker("token error") { TokenError(.invalidRequest, description: $0) },
        Maker("token error's page") { TokenError(.invalidRequest, uri: $0) },
        Maker("bearer error") { BearerError(.invalidRequest, description: $0) },
        Maker("authorization error") { AuthorizationError(.invalidRequest, description: $0) },
        Maker("authorization error's page") { AuthorizationError(.invalidRequest, uri: $0) },
        Maker("code") { AuthorizationResponse.code($0) },
        Maker("activation code") { activation(code: $0) },
        Maker("activation's status") { activation(status: $0) },
        Maker("activation's end") { activation(end: $0) },
        Maker("beginnings of a hint") { LoginHintRule.Format.operations([["a", $0]]) },
        Maker("skipped key") { SkippedKey(index: 0, reason: $0) },
        Maker("claim's name") { ClaimName($0) }, Maker("spelling") { ClaimName("a", or: [$0]) },
        Maker("names of claims") { text in
            var names = ClaimNames()
            names.photo = ClaimName(text)
            return names
        },
        Maker("claims of a scope") { text in
            var claims = ScopeClaims()
            claims["a"] = [text]
            return claims
        },
        Maker("body of an answer") { try OpenIDHTTPResponse(status: 200, body: $0) },
        Maker("error of an activation") { ActivationResponse.failed(code: $0, message: nil) },
        Maker("message of an activation") { ActivationResponse.failed(code: "c", message: $0) },
        Maker("claim asked for") { ClaimsRequest(userInfo: [$0: .essential]) },
        Maker("ExactString") { ExactString($0) },
        Maker("claim of an error") { JOSEError.claimRejected($0, "it is missing") },
        Maker("parameter's name") { OpenIDParameter($0, "v") },
        Maker("parameter's value") { OpenIDParameter("n", $0) },
        Maker("parameters") { OpenIDParameters([OpenIDParameter("n", $0)]) },
    ]

    private static func use(
        purpose: String = "p", issuer: String = "i", audience: String = "a", tokenID: String = "t"
    ) -> ReplayEntry {
        ReplayEntry(
            purpose: purpose, issuer: issuer, audience: audience, tokenID: tokenID,
            expires: .latest)
    }

    private static func activation(
        code: String? = nil, status: String? = nil, end: String = "e"
    ) -> ActivationStart {
        ActivationStart(activationCode: code, statusURL: status, completeURL: end)
    }

    private static func policy(_ change: (inout ClaimsPolicy) -> Void) -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        change(&policy)
        return policy
    }

    @Test(
        "canonically equivalent strings are two to == and in a set, and hash differently",
        arguments: makers)
    private func values(_ maker: Maker) throws {
        for (a, b) in Self.pairs {
            #expect(a == b, "Swift takes them for one")
            let (one, other) = (try maker.make(a), try maker.make(b))
            #expect(one != other)
            #expect(try maker.make(a) == one)
            #expect(try maker.make(a).hashValue == one.hashValue)
            #expect(one.hashValue != other.hashValue, "many spellings of one text would collide")
            #expect(try Set([one, other, maker.make(b), maker.make(a)]).count == 2)
        }
    }

    @Test("values that differ otherwise are different, equal ones are equal") func others() {
        func foreign(_ start: NumericDate?, _ leeway: Duration) -> ReplayEntry {
            ReplayEntry(
                purpose: "p", issuer: "i", audience: "a", tokenID: "t", issuedAt: start,
                leeway: leeway, expires: .latest)
        }
        let uses = [foreign(nil, .zero), foreign(.latest, .zero), foreign(nil, .seconds(1))]
        #expect(Set(uses + uses).count == 3)
        let own = ReplayEntry(
            purpose: "p", issuer: "i", audience: "a", tokenID: "t", issuedHere: .latest,
            expires: .latest)
        #expect(uses[1] != own && own.isIssuedHere && !uses[1].isIssuedHere)
        #expect(own.issuedAt == .latest && own.leeway == .zero)
        #expect(Set([Self.activation(), Self.activation(code: "e"), Self.activation()]).count == 2)
        let forms: [LoginHintRule.Format] = [
            .any, .telephone, .operations([]), .operations([["a"]]), .operations([["a", "b"]]),
            .operations([["a"], ["b"]]),
        ]
        #expect(Set(forms + forms).count == forms.count)
        #expect(SkippedKey(index: 0, reason: "r") != SkippedKey(index: 1, reason: "r"))
        // Two that look the same: the kid is shortened.
        let long = String(repeating: "k", count: 128)
        let keys = ["a", "b"].map { SkippedKey(index: 0, keyID: long + $0, reason: "r") }
        #expect(keys[0].keyID == keys[1].keyID && Set(keys + keys).count == 2)
        #expect(IssuerRule.any != "a" && IssuerRule.exactly("a") == "a")
        #expect(AudienceRule.any != "a" && AudienceRule.any != .anyOf([]))
        #expect(AudienceRule.contains("a") == "a" && AudienceRule.contains("a") == .anyOf(["a"]))
        #expect(Set([MediaTypeRule.any, .jwt, .exactly("jwt"), .jwt]).count == 3)
        var policies: Set<ClaimsPolicy> = [Self.policy { _ in }, Self.policy { _ in }]
        let changes: [(inout ClaimsPolicy) -> Void] = [
            { $0.leewaySeconds = 1 }, { $0.maxLifetimeSeconds = 1 }, { $0.requiredClaims = [] },
            { $0.authorizedParty = "c" }, { $0.trustedAudiences = ["c"] },
            { $0.trustedAudiences = ["c", "d"] }, { $0.maxSubjectBytes = 255 },
            { $0.maxSubjectBytes = 256 },
        ]
        for change in changes { policies.insert(Self.policy(change)) }
        #expect(policies.count == changes.count + 1)
        let values: [JSONValue] = [
            nil, true, false, 0, 1, .double(0.5), .double(1), .number("1.50"), "1.50", "", [], [[]],
            [1, 2], [2, 1], [:], ["a": 1], ["a": 2], ["a": 1, "b": 1], ["b": 1],
        ]
        #expect(Set(values).count == values.count)
        for (position, a) in values.enumerated() {
            for (other, b) in values.enumerated() { #expect((a == b) == (position == other)) }
        }
        #expect(JSONValue.double(0) == .double(-0.0))
        #expect(JSONValue.double(0).hashValue == JSONValue.double(-0.0).hashValue)
        #expect(JSONValue.object(["a": 1, "b": ["c": 2]]) == ["b": ["c": 2], "a": 1])
    }

    @Test("strings of every length differ if one byte differs") func lengths() {
        var seen: Set<ExactString> = []
        var count = 0
        for length in 0...130 {
            var texts = [[UInt8](repeating: 0x61, count: length)]
            for position in Set([0, length / 2, length - 1]) where texts[0].indices ~= position {
                texts.append(texts[0])
                texts[texts.count - 1][position] = 0x62
            }
            for bytes in texts {
                #expect(seen.insert(ExactString(String(decoding: bytes, as: UTF8.self))).inserted)
                #expect(!seen.insert(ExactString(String(decoding: bytes, as: UTF8.self))).inserted)
            }
            count += texts.count
        }
        #expect(seen.count == count)
    }

    /// Finds every name of the pairs in one object.
    private struct Found: Decodable {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let values: [Int?]

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            values = try ExactValueTests.pairs.flatMap { [$0.0, $0.1] }.map {
                try members.decodeIfPresent(Int.self, forKey: Name(stringValue: $0))
            }
        }
    }

    @Test("a member is found by its exact name, in small and large objects")
    func members() throws {
        let verifier = try JWTVerifier.checking()
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        for (position, (a, b)) in Self.pairs.enumerated() {
            let value = JSONValue.object([a: 1])
            #expect(value[a] == 1 && value.object?[a] == 1)
            #expect(value[b] == nil && value.object?[b] == nil)
            for count in [0, 10, 40, 400] {
                let others = (0..<count).map { "\"m\($0)\":0," }.joined() + "\"exp\":4102444800"
                for (both, text) in [(true, "\"\(a)\":1,\"\(b)\":2,"), (false, "\"\(a)\":1,")] {
                    let token = try signer.sign("{\(text)\(others)}")
                    let verified = try verifier.verify(token)
                    #expect(verified[a]?.integer == 1 && verified[b]?.integer == (both ? 2 : nil))
                    let found = try verified.decode(Found.self).values
                    var wanted = [Int?](repeating: nil, count: Self.pairs.count * 2)
                    wanted[position * 2] = 1
                    wanted[position * 2 + 1] = both ? 2 : nil
                    #expect(found == wanted)
                }
            }
        }
    }

    @Test("a parameter is a duplicate only if its bytes are equal") func parameters() throws {
        #expect(try OpenIDParameters(decoding: "%C3%A9=1&e%CC%81=2").all.count == 2)
        expectRejection("malformed") { _ = try OpenIDParameters(decoding: "%C3%A9=1&%C3%A9=2") }
    }

    @Test("a store that keeps uses in a set never confuses two tokens", arguments: pairs)
    func store(_ a: String, _ b: String) async throws {
        let memory = MemoryReplayStore()
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let later = try need(NumericDate(exactly: 1_760_000_060))
        var set: Set<ReplayEntry> = []
        for (issuer, tokenID) in [(a, "t"), (b, "t"), ("i", a), ("i", b)] {
            let use = ReplayEntry(
                purpose: "p", issuer: issuer, audience: "a", tokenID: tokenID, expires: later)
            #expect(set.insert(use).inserted)
            try await memory.markUsed(use, at: now)
            await #expect(throws: ReplayStoreError.used) { try await memory.markUsed(use, at: now) }
        }
    }
}
