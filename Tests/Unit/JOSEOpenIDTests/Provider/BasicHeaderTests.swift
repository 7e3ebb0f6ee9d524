// HTTP Basic as clients write it: many spellings of one client_id and secret.

import Foundation
import JOSE
import Testing

@testable import JOSEOpenID

@Suite("HTTP Basic")
struct BasicHeaderTests {
    private static func header(_ pair: String, scheme: String = "Basic ") -> String {
        scheme + Data(pair.utf8).base64EncodedString()
    }

    private func receive(_ header: String) async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        _ = try await env.client.receiveTokenRequest(
            request.body, authorization: header, at: .testNow)
        #expect(
            try env.provider.unverifiedClientID(
                tokenRequest: request.body, authorization: header) == TestEnvironment.clientID)
    }

    @Test(
        "every spelling of the form encoding yields the same secret",
        arguments: [
            header("client-1:s3cr%3At%20%26%20more%2F%C3%A9"),
            header("client-1:s3cr%3at+%26+more%2f%c3%a9"), header("client-1:s3cr:t+&+more/%C3%A9"),
            header("client%2D1:%733cr:t+&+more/%C3%a9"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "basic "),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "BASIC  "),
        ]) func good(_ header: String) async throws
    { try await receive(header) }

    @Test("an empty secret, as from an unset setting, is misuse for client and relying party")
    func empty() async throws {
        let env = try TestEnvironment(.openID)
        let none = ClientSecret("")
        let registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [TestEnvironment.redirectURI],
            secret: none)
        await expectRejection("misuse") { _ = try env.provider.client(registration) }
        await expectRejection("misuse") {
            _ = try TestEnvironment.party(.openID, env.metadata, secret: none)
        }
        #expect(!none.accepts(Self.header("client-1:"), clientID: "client-1"))
    }

    @Test(
        "a wrong secret, a wrong name and lenient encodings are rejected",
        arguments: [
            header("client-1:"), header("client-1"), header(":s3cr:t+&+more/%C3%A9"),
            header("client-2:s3cr:t+&+more/%C3%A9"), header("Client-1:s3cr:t+&+more/%C3%A9"),
            header("client-1:s3cr:t+&+more/%C3%A8"), header("client-1:s3cr:t+&+more/e%CC%81"),
            header("client-1:s3cr:t & more/%C3%A9"), header("client-1:s3cr:t+&+more/é"),
            header("client-1:s3cr:t+&+more/%C3%A"), header("client-1:s3cr:t+&+more/%C3%A9%00"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "Bearer "),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "Basic"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: " Basic "),
            header("client-1:s3cr:t+&+more/%C3%A9") + " ",
            header("client-1:s3cr:t+&+more/%C3%A9") + "=", "", "Basic", "Basic ",
        ]) func bad(_ header: String) async
    {
        await expectRejection("claim-rejected client_secret") { try await receive(header) }
    }

    /// A client with this client_id and secret, its relying party, and its token request.
    private struct Side {
        let client: RegisteredClient
        let request: TokenRequest

        init(_ clientID: String, _ secret: String, isEncoded: Bool = true) async throws {
            let profile = OpenIDProfile.openID.with { $0.client.encodesBasic = isEncoded }
            let env = try TestEnvironment(profile)
            client = try env.provider.client(
                ClientRegistration(
                    clientID: clientID, redirectURIs: [TestEnvironment.redirectURI],
                    secret: ClientSecret(secret)))
            let party = try TestEnvironment.party(
                profile, env.metadata, clientID: clientID, secret: ClientSecret(secret))
            request = try await party.tokenRequest("c", party.start(env.request).session)
        }

        var header: String? { request.header("Authorization") }

        func accepts(_ header: String?) async throws -> Bool {
            do {
                _ = try await client.receiveTokenRequest(
                    request.body, authorization: header, at: .testNow)
                return true
            } catch {
                #expect(TokenError(rejecting: error).code == .invalidClient)
                return false
            }
        }
    }

    @Test(
        "credentials are accepted raw and form-encoded, in any spelling",
        arguments: [
            ("c", "a/b+c=d", ["c:a/b+c=d", "c:a%2Fb%2Bc%3Dd", "c:a%2fb%2bc%3dd", "c:a/b%2Bc=d"]),
            ("c", "~*x y", ["c:~*x y", "c:%7E*x+y", "c:~%2Ax%20y", "%63:%7e%2a%78+%79"]),
            ("c", "100%", ["c:100%", "c:100%25"]), ("c", "a b", ["c:a b", "c:a+b", "c:a%20b"]),
            ("c", "a+b", ["c:a+b", "c:a%2Bb"]), ("c", "a%2Fb", ["c:a%2Fb", "c:a%252Fb"]),
            ("c", "p:q:", ["c:p:q:", "c:p%3Aq%3a"]), ("c", "\u{e9}", ["c:\u{e9}", "c:%C3%A9"]),
            ("c d", "s", ["c d:s", "c+d:s", "c%20d:s"]), ("c+d", "s", ["c+d:s", "c%2Bd:s"]),
            ("c:d", "s", ["c%3Ad:s"]), ("c%", "s", ["c%:s", "c%25:s"]),
        ] as [(String, String, [String])])
    func spellings(_ clientID: String, _ secret: String, _ pairs: [String]) async throws {
        let side = try await Side(clientID, secret)
        for pair in pairs {
            for scheme in ["Basic ", "basic ", "bASIC  "] {
                #expect(try await side.accepts(Self.header(pair, scheme: scheme)), "\(pair)")
            }
            // Nothing next to, before or after it.
            for other in [
                pair + "x", "x" + pair, String(pair.dropLast()), pair + "%00", pair + "+",
            ] { #expect(!(try await side.accepts(Self.header(other))), "\(other)") }
        }
    }

    @Test(
        "name and secret must use the same encoding",
        arguments: [
            ("a b", "c+d", "a+b:c+d"), ("a+b", "c d", "a+b:c+d"), ("a%20b", "c d", "a%20b:c%20d"),
            ("a b", "c%20d", "a%20b:c%20d"), ("a:b", "c", "a:b:c"), ("a", "%zz d", "a:%zz+d"),
        ]) func mixed(_ clientID: String, _ secret: String, _ pair: String) async throws
    { #expect(!(try await Side(clientID, secret).accepts(Self.header(pair)))) }

    @Test("each changed byte of either spelling is rejected")
    func changes() async throws {
        let side = try await Side("client-1", "s3cr/t+")
        for pair in ["client-1:s3cr/t+", "client-1:s3cr%2Ft%2B"] {
            let bytes = Array(pair.utf8)
            for index in bytes.indices {
                for bit in 0..<7 {
                    var changed = bytes
                    changed[index] ^= 1 << bit
                    // The hexadecimal digits of `%2F` and `%2B` are case-insensitive.
                    if bit == 5, bytes[index] == 0x46 || bytes[index] == 0x42 { continue }
                    let header = "Basic " + Data(changed).base64EncodedString()
                    #expect(!(try await side.accepts(header)), "\(index) \(bit)")
                }
            }
        }
    }

    @Test(
        "a client encodes unless the provider does not decode, and our provider accepts both",
        arguments: [true, false])
    func ours(_ isEncoded: Bool) async throws {
        let side = try await Side("client-1", "s/+=~*% :", isEncoded: isEncoded)
        let pair = isEncoded ? "client-1:s%2F%2B%3D~%2A%25%20%3A" : "client-1:s/+=~*% :"
        #expect(side.header == Self.header(pair))
        #expect(try await side.accepts(side.header))
        #expect(!(try await side.accepts(nil)))
    }

    @Test("a client_id with a colon cannot be sent unencoded") func colon() async throws {
        await expectRule("colon") { _ = try await Side("a:b", "s", isEncoded: false) }
        _ = try await Side("a:b", "s")
    }

    @Test("the client is looked up by its decoded name") func lookup() throws {
        let provider = try TestEnvironment(.openID).provider
        for (pair, body, expected) in [
            ("a+b:s", "", "a b"), ("a+b:s", "client_id=a%2Bb", "a+b"),
            ("a+b:s", "client_id=a+b", "a b"), ("a+b:s", "client_id=x", "a b"),
            ("a%:s", "", "a%"), ("c:d:e", "client_id=c%3Ad", "c"),
        ] {
            #expect(
                try provider.unverifiedClientID(
                    tokenRequest: body, authorization: Self.header(pair)) == expected)
        }
    }
}
