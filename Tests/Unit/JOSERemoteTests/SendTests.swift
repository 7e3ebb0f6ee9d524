// Requests with headers and bodies: what reaches the server, and what is rejected before.

import Foundation
import JOSE
import JOSERemote
import Testing

@Suite("Requests with headers and bodies", .serialized)
struct SendTests {
    struct Echo: Decodable {
        let method, path, body: String
        let headers: [[String]]

        /// The values of a header field, in order.
        func values(_ name: String) -> [String] {
            headers.filter { $0[0].lowercased() == name }.map { $0[1] }
        }
    }

    private func transport() throws -> CurlTransport {
        try CurlTransport(certificateAuthorities: TestAuthority.path("root.pem"))
    }

    private func server(_ mode: String) throws -> (TestServer, String) {
        let server = try TestServer()
        try server.tell(["mode": mode])
        return (server, "https://127.0.0.1:\(server.port)/token")
    }

    @Test("a body makes a POST, also an empty one, and every header arrives once")
    func post() async throws {
        let (server, url) = try server("echo")
        let form = "grant_type=authorization_code&code=\u{e9}\u{0}b"
        for body in [form, "", String(repeating: "a", count: 70_000)] {
            let response = try await transport().send(
                HTTPSRequest(
                    url: url,
                    headers: [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("DPoP", "a.b.c"),
                    ], body: body))
            #expect(response.status == 201)
            #expect(response.header("dpop-nonce") == "one")
            #expect(response.header("WWW-Authenticate") == "Bearer, DPoP")
            #expect(response.header("X-None") == nil)
            let echo = try JSONDecoder().decode(Echo.self, from: Data(response.body))
            #expect((echo.method, echo.path, echo.body) == ("POST", "/token", body))
            #expect(echo.values("content-type") == ["application/x-www-form-urlencoded"])
            #expect(echo.values("dpop") == ["a.b.c"])
            #expect(echo.values("content-length") == ["\(body.utf8.count)"])
            #expect(echo.values("expect") == [])
        }
        #expect(try server.tell().requests == 3)
    }

    @Test("without a body it is a GET") func get() async throws {
        let (server, url) = try server("echo")
        let response = try await transport().send(
            HTTPSRequest(url: url, headers: [("Authorization", "Bearer abc")]))
        #expect(try server.tell().requests == 1)
        let echo = try JSONDecoder().decode(Echo.self, from: Data(response.body))
        #expect((echo.method, echo.body) == ("GET", ""))
        #expect(echo.values("authorization") == ["Bearer abc"])
    }

    @Test("a POST is not redirected, and obeys the address policy and the limits")
    func limits() async throws {
        let (server, url) = try server("redirectSame")
        let transport = try transport()
        var request = HTTPSRequest(url: url, body: "a=b")
        #expect(try await transport.send(request).status == 302)
        request.addressPolicy = .publicAddresses
        await #expect(throws: JWKSetTransportError.forbiddenAddress) {
            try await transport.send(request)
        }
        request.addressPolicy = .anyAddress
        try server.tell(["mode": "silent"])
        request.timeLimit = .milliseconds(300)
        await #expect(throws: JWKSetTransportError.timeLimit) { try await transport.send(request) }
        try server.tell(["mode": "chunked"])
        request.timeLimit = .seconds(5)
        await #expect(throws: JWKSetTransportError.sizeLimit) { try await transport.send(request) }
        try server.tell(["mode": "trailer"])
        let response = try await transport.send(request)
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response.header("DPoP-Nonce") == nil)
    }

    @Test("requests beyond a bound fail at once, and an ended request frees its slot")
    func bounds() async throws {
        let (server, url) = try server("silent")
        for (total, ofHost) in [(2, 100), (100, 2)] {
            let transport = try CurlTransport(
                certificateAuthorities: TestAuthority.path("root.pem"), maxRequests: total,
                maxRequestsPerHost: ofHost)
            func outcomes(of count: Int) async -> [JWKSetTransportError?] {
                await withTaskGroup(of: JWKSetTransportError?.self) { group in
                    for _ in 0..<count {
                        group.addTask {
                            var request = HTTPSRequest(url: url, body: "a=b")
                            request.timeLimit = .seconds(2)
                            do throws(JWKSetTransportError) {
                                _ = try await transport.send(request)
                                return nil
                            } catch {
                                return error
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            let all = await outcomes(of: 5)
            #expect(all.prefix(3) == [.tooManyRequests, .tooManyRequests, .tooManyRequests])
            #expect(all.suffix(2) == [.timeLimit, .timeLimit])
            #expect(await outcomes(of: 2) == [.timeLimit, .timeLimit])
        }
        // The documents and keys of the transport have bounds of their own.
        let transport = try CurlTransport(
            certificateAuthorities: TestAuthority.path("root.pem"), maxRequests: 0)
        let pending = Task { try await transport.send(HTTPSRequest(url: url)) }
        await #expect(throws: JWKSetTransportError.timeLimit) {
            _ = try await transport.fetch(JWKSetRequest(url: url, timeLimit: .seconds(1)))
        }
        _ = try? await pending.value
        #expect(try server.tell().requests == 10)
    }

    @Test(
        "a header that could end its line or vanish is rejected before anything is sent",
        arguments: [
            ("X", "a\r\nInjected: b"), ("X", "a\nb"), ("X", "\u{e9}"), ("X", ""), ("X", "  "),
            ("", "a"), ("X:", "a"), ("X\r\nY", "a"), ("X Y", "a"), ("X;", "a"), ("X\u{0}", "a"),
        ])
    func malformed(_ name: String, _ value: String) async throws {
        let (server, url) = try server("echo")
        let request = HTTPSRequest(url: url, headers: [(name, value)], body: "")
        await #expect(throws: JWKSetTransportError.internal) {
            try await transport().send(request)
        }
        #expect(try server.tell().requests == 0)
    }

    @Test("descriptions have neither headers nor bodies") func redacted() async throws {
        let (server, url) = try server("echo")
        let request = HTTPSRequest(url: url, headers: [("A", "secret")], body: "secret")
        #expect(!"\(request)".contains("secret"))
        let response = try await transport().send(request)
        #expect(try server.tell().requests == 1)
        #expect(!"\(response)".contains("secret"))
        #expect("\(response)".contains("201"))
    }
}
