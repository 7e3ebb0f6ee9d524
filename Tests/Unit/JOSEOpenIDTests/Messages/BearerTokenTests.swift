// The access token of a UserInfo request: written by the relying party, read by the provider.

import JOSE
import JOSEOpenID
import Testing

@Suite("Bearer tokens in requests")
struct BearerTokenTests {
    static let form = "application/x-www-form-urlencoded"

    private func read(_ request: OpenIDHTTPRequest) throws -> BearerToken {
        try BearerToken(
            method: request.method, authorization: request.header("Authorization"),
            contentType: request.header("Content-Type"), body: request.body)
    }

    @Test(
        "each sending method of a relying party is read",
        arguments: [OpenIDHTTPRequest.Method.get, .post, .postForm])
    func methods(_ method: OpenIDHTTPRequest.Method) async throws {
        let env = try TestEnvironment(.itsme2)
        let token = "aZ09-._~+/=="
        let request = try await env.party.userInfoRequest(accessToken: token, method: method)
        #expect(request.url == "https://idp.example/v2/userinfo")
        #expect(request.method == (method == .get ? "GET" : "POST"))
        #expect(request.body.isEmpty == (method != .postForm))
        #expect(!request.url.contains(token) && !"\(request)".contains(token))
        #expect(try read(request).text == token)
        #expect(!"\(try read(request))".contains(token))
    }

    @Test("a new token has 256 random bits and can be sent by each method")
    func fresh() async throws {
        let tokens = try (0..<64).map { _ in try BearerToken.fresh().text }
        #expect(Set(tokens).count == 64)
        let env = try TestEnvironment(.openID)
        for (token, method) in zip(tokens, [OpenIDHTTPRequest.Method.get, .post, .postForm]) {
            #expect(token.utf8.count == 43)
            let request = try await env.party.userInfoRequest(accessToken: token, method: method)
            #expect(try read(request).text == token)
        }
    }

    @Test("a token that a request cannot carry is rejected before it is sent")
    func unsendable() async throws {
        let env = try TestEnvironment(.itsme2)
        for token in ["", "a b", "a\r\nX: y", "é", "=", "a=b", "a,b", "a\u{0}"] {
            await expectRejection("malformed", token) {
                _ = try await env.party.userInfoRequest(accessToken: token)
            }
        }
        let metadata = try ProviderMetadata(
            issuer: TestEnvironment.issuer, authorizationEndpoint: "https://idp.example/a",
            tokenEndpoint: "https://idp.example/t", jwksURI: "https://idp.example/k",
            profile: .openID)
        let party = try TestEnvironment.party(
            .openID, metadata, clientID: "c", secret: ClientSecret("s"))
        await expectRejection("misuse") { _ = try await party.userInfoRequest(accessToken: "a") }
    }

    @Test("the scheme may have any case and spacing, and the form content type a charset")
    func spelling() throws {
        for header in ["Bearer t", "bearer t", "BEARER   t"] {
            #expect(try BearerToken(method: "GET", authorization: header).text == "t")
        }
        for type in [Self.form + "; charset=UTF-8", "Application/X-WWW-Form-Urlencoded"] {
            let token = try BearerToken(
                method: "POST", authorization: nil, contentType: type, body: "access_token=t&x=y")
            #expect(token.text == "t")
        }
        // A body of another type is not parsed, and a query may have other parameters.
        let token = try BearerToken(
            method: "POST", query: "schema=openid", authorization: "Bearer t",
            contentType: "application/json", body: "access_token=u")
        #expect(token.text == "t")
    }

    struct Call: Sendable, CustomTestStringConvertible {
        var verdict: String
        var method = "GET"
        var query = ""
        var authorization: String?
        var type: String?
        var body = ""
        var testDescription: String {
            "\(method) \(query) \(authorization ?? "-") \(body)".prefix(60) + ""
        }
    }

    static let missing = "claim-rejected access_token"
    static let rejected: [Call] = [
        Call(verdict: missing), Call(verdict: missing, authorization: "Basic AAAA"),
        Call(verdict: missing, authorization: ""), Call(verdict: missing, authorization: "Bearert"),
        // A GET has no form (RFC 6750, 2.2).
        Call(verdict: missing, type: form, body: "access_token=t"),
        Call(verdict: missing, method: "POST", type: "application/json", body: "access_token=t"),
        Call(verdict: missing, method: "POST", type: form, body: "access_token="),
        // White space within a media type makes it invalid (RFC 9110 8.3.1).
        Call(
            verdict: missing, method: "POST", type: "application/x-www-form -urlencoded",
            body: "access_token=t"),
        Call(
            verdict: missing, method: "POST", type: form + "\u{37e}a=b", body: "access_token=t"),
        Call(verdict: missing, method: "POST", type: nil, body: "access_token=t"),
        Call(verdict: "malformed", query: "access_token=t"),
        Call(verdict: "malformed", query: "access_token=t", authorization: "Bearer t"),
        Call(verdict: "malformed", query: "access%5Ftoken=t", authorization: "Bearer t"),
        Call(verdict: "malformed", query: "a=%", authorization: "Bearer t"),
        Call(
            verdict: "malformed", method: "POST", authorization: "Bearer t", type: form,
            body: "access_token=t"),
        Call(
            verdict: "malformed", method: "POST", type: form, body: "access_token=t&access_token=t"),
        Call(verdict: "malformed", method: "POST", type: form, body: "access_token=t%00"),
        Call(verdict: "malformed", method: "POST", type: form, body: "access_token=a%20b"),
        Call(verdict: "malformed", authorization: "Bearer"),
        Call(verdict: "malformed", authorization: "Bearer "),
        Call(verdict: "malformed", authorization: "Bearer a b"),
        Call(verdict: "malformed", authorization: "Bearer a, Bearer b"),
        Call(verdict: "malformed", authorization: "Bearer a,Basic b"),
        Call(verdict: "malformed", authorization: "Bearer a "),
        Call(verdict: "malformed", authorization: "Bearer =a"),
        Call(verdict: "malformed", authorization: "Bearer é"),
        Call(verdict: "malformed", authorization: "Bearer \"a\""),
        Call(verdict: "malformed", method: "PUT", authorization: "Bearer t"),
        Call(verdict: "malformed", method: "get", authorization: "Bearer t"),
        Call(
            verdict: "limit-exceeded",
            authorization: "Bearer " + String(repeating: "a", count: 16_385)),
    ]

    @Test("each rejection has its response", arguments: rejected)
    func rejections(_ call: Call) async throws {
        let error = await expectRejection(call.verdict) {
            _ = try BearerToken(
                method: call.method, query: call.query, authorization: call.authorization,
                contentType: call.type, body: call.body)
        }
        let response = BearerError(rejecting: try need(error))
        let isMissing = call.verdict == Self.missing
        #expect(response == BearerError(isMissing ? nil : .invalidRequest))
        #expect(response.status == (isMissing ? 401 : 400))
        #expect(
            try response.response().header("www-authenticate")?.contains("error=") == !isMissing)
    }

    @Test("a failure after reading the token is reported as the provider's fault")
    func ours() async throws {
        let env = try TestEnvironment(.openID)
        let tokenIssuer = try await env.client.tokenIssuer()
        for claims: [String: JSONValue] in [["nonce": "x"], ["a": .null], ["sub": "twice"]] {
            let error = await expectRejection("misuse") {
                _ = try tokenIssuer.userInfoResponse(subject: "u", claims: claims, at: .testNow)
            }
            #expect(BearerError(rejecting: try need(error)).status == 500)
        }
        var profile = OpenIDProfile.openID
        profile.userInfo.requiredClaims.append("name")
        let error = await expectRejection("claim-rejected name") {
            _ = try await TestEnvironment(profile).client.tokenIssuer().userInfoResponse(
                subject: "u", at: .testNow)
        }
        #expect(BearerError(rejecting: try need(error)).code == .serverError)
    }
}
