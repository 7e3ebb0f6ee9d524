// Endpoint errors that are read with their HTTP status.

import JOSE
import JOSEOpenID
import Testing

@Suite("Errors with an HTTP status")
struct StatusErrorTests {
    private func response(
        _ status: Int, _ body: String = "", challenge: String? = nil
    ) throws -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: challenge.map { [OpenIDParameter("www-authenticate", $0)] } ?? [], body: body)
    }

    @Test("a token endpoint error keeps its status") func token() throws {
        let body = #"{"error":"invalid_client","error_description":"no"}"#
        for status in [200, 400, 401, 500, 503] {
            let error = try TokenError(response: response(status, body))
            #expect(error.httpStatus == status && error.code == .invalidClient)
            #expect(error == TokenError(.invalidClient, description: "no"))
            #expect("\(error)".contains("\(status)"))
        }
        #expect(try TokenError(json: body).httpStatus == nil)
    }

    @Test(
        "a response that is no OAuth error is named by its status, and an outage stays an outage",
        arguments: [
            "<html>Bad Gateway</html>", "", "{}", #"{"error":1}"#, #"{"error":"a","error":"b"}"#,
        ]
    )
    func unreadable(_ body: String) async throws {
        for (status, verdict) in [
            (302, "malformed"), (400, "malformed"), (404, "malformed"), (429, "malformed"),
            (500, "unavailable"), (502, "unavailable"), (503, "unavailable"), (504, "unavailable"),
        ] {
            let error = await expectRejection(verdict) {
                _ = try TokenError(response: response(status, body))
            }
            #expect(error?.message.contains("HTTP status \(status)") == true)
        }
        await expectRejection("unavailable") { _ = try TokenError(response: response(599, body)) }
    }

    @Test("a UserInfo endpoint error keeps its status, which names it if there is no challenge")
    func bearer() async throws {
        let error = try BearerError(
            response: response(401, challenge: #"Bearer error="invalid_token""#))
        #expect(error.httpStatus == 401 && error.code == .invalidToken)
        #expect(try BearerError(response: response(401, challenge: "Bearer")).code == nil)
        for (status, verdict) in [(400, "malformed"), (401, "malformed"), (502, "unavailable")] {
            for challenge in [nil, "=", #"Bearer error="a"#] {
                let error = await expectRejection(verdict) {
                    _ = try BearerError(response: response(status, "<html>", challenge: challenge))
                }
                #expect(error?.message.contains("\(status)") == true)
            }
        }
    }

    @Test("a missing token_type is reported, and a wrong one names the expected type")
    func type() async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.start()
        let request = try await env.party.tokenRequest("c", started.session)
        let missing = await expectRejection("malformed") {
            _ = try TokenResponse(json: #"{"access_token":"a","id_token":"b"}"#, to: request)
        }
        #expect(missing?.message.contains("token_type is missing") == true)
        let other = await expectRejection("malformed") {
            _ = try TokenResponse(
                json: #"{"access_token":"a","id_token":"b","token_type":"DPoP"}"#, to: request)
        }
        #expect(other?.message.contains("not Bearer") == true)
    }

    @Test("the error codes of prompt=none have names, a page text and a sentence")
    func prompts() throws {
        for (code, name) in [
            (OAuthErrorCode.loginRequired, "login_required"),
            (.consentRequired, "consent_required"),
            (.accountSelectionRequired, "account_selection_required"),
        ] {
            #expect(try code == OAuthErrorCode(name: name))
            #expect(code.pageText == OAuthErrorCode.interactionRequired.pageText)
            #expect(
                try TokenError(json: TokenError(code).json()).description?.contains("must")
                    == true)
        }
    }
}
