// The token endpoint's responses to each kind of invalid request (RFC 6749 5.2).

import JOSE
import JOSEOpenID
import Testing

@Suite("Token errors")
struct TokenErrorTests {
    private static let basic = "Basic Y2xpZW50LTE6czNjciUzQXQlMjAlMjYlMjBtb3JlJTJGJUMzJUE5"

    /// The response to our own request after a change. Nil if it is accepted.
    private func response(
        _ profile: OpenIDProfile, body change: (String) -> String = { $0 },
        authorization: (String?) -> String? = { $0 }
    ) async throws -> OAuthErrorCode? {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        let header = request.header("Authorization")
        do {
            _ = try await env.client.receiveTokenRequest(
                change(request.body), authorization: authorization(header), at: .testNow)
            return nil
        } catch {
            return TokenError(rejecting: error).code
        }
    }

    @Test("a valid request, and one that is not a form", arguments: TestEnvironment.all)
    func forms(_ profile: OpenIDProfile) async throws {
        #expect(try await response(profile) == nil)
        for bad in ["", "{", "code=%", "code=a&code=b", "grant_type=authorization_code"] {
            #expect(try await response(profile, body: { _ in bad }) == .invalidRequest, "\(bad)")
        }
        #expect(
            try await response(profile, body: { $0.replacing("&code=c", with: "") })
                == .invalidRequest)
        #expect(
            try await response(
                profile, body: { $0.replacing("grant_type=authorization_code&", with: "") })
                == .invalidRequest)
    }

    @Test("an unknown grant type is unsupported_grant_type", arguments: TestEnvironment.all)
    func grants(_ profile: OpenIDProfile) async throws {
        for other in [
            "refresh_token", "password", "client_credentials", "implicit", "Authorization_code",
            "authorization_code%20", "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
        ] {
            #expect(
                try await response(
                    profile,
                    body: {
                        $0.replacing(
                            "grant_type=authorization_code", with: "grant_type=" + other)
                    }) == .unsupportedGrantType, "\(other)")
        }
    }

    @Test("a client that fails to authenticate is invalid_client", arguments: TestEnvironment.all)
    func clients(_ profile: OpenIDProfile) async throws {
        func plain(_ body: String) -> String {
            body.split(separator: "&").filter { !$0.hasPrefix("client_assertion") }
                .joined(separator: "&")
        }
        let isBasic = profile.client.authentication == .basic
        let assertion = "&client_assertion=x&client_assertion_type=" + TokenRequest.assertionType
        // Other than the registered method, one at a time.
        for (more, header) in [
            ("", nil), ("&client_secret=x", nil), ("", "Bearer abc"), ("", ""), ("", "Basic"),
            ("", "Basic !"), ("", "Basic Yg=="), ("", "Basic YTpi"),
            isBasic ? (assertion, nil) : ("", Self.basic),
        ] as [(String, String?)] {
            #expect(
                try await response(
                    profile, body: { plain($0) + more }, authorization: { _ in header })
                    == .invalidClient, "\(more) \(header ?? "none")")
        }
        // As another client.
        #expect(
            try await response(
                profile,
                body: { plain($0.replacing("&client_id=client-1", with: "")) + "&client_id=x" })
                == .invalidClient)
    }

    @Test("a client that authenticates in two ways is invalid_request (RFC 6749 2.3)")
    func several() async throws {
        for profile in TestEnvironment.all {
            #expect(
                try await response(profile, body: { $0 + "&client_secret=x" }) == .invalidRequest)
            #expect(
                try await response(
                    profile,
                    body: { $0.contains("client_assertion") ? $0 : $0 + "&client_assertion=x" },
                    authorization: { _ in Self.basic }) == .invalidRequest)
        }
    }

    @Test("an unknown client is invalid_client, a malformed form is not")
    func lookup() async throws {
        for profile in TestEnvironment.all {
            let provider = try TestEnvironment(profile).provider
            for (body, header) in [
                ("", nil), ("code=c", nil), ("client_assertion=a.b.c", nil),
                ("client_assertion=a.e30.c", nil), ("client_assertion=x", nil),
                ("", "Bearer x"), ("", "Basic !"), ("", "Basic OmI="),
            ] as [(String, String?)] {
                do {
                    _ = try provider.unverifiedClientID(tokenRequest: body, authorization: header)
                    Issue.record("\(body) \(header ?? "")")
                } catch {
                    #expect(
                        TokenError(rejecting: error).code == .invalidClient, "\(body) \(error)")
                }
            }
            do {
                _ = try provider.unverifiedClientID(tokenRequest: "a=%")
            } catch {
                #expect(TokenError(rejecting: error).code == .invalidRequest)
            }
        }
    }
}
