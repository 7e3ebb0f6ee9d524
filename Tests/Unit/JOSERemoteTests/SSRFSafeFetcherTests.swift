// Documents at untrusted URLs: limits, rejections, and no access to non-public addresses.

import Foundation
import JOSE
import JOSERemote
import Testing

@Suite("SSRF-safe fetcher", .serialized)
struct SSRFSafeFetcherTests {
    private func fetch(
        _ addressPolicy: AddressPolicy, _ time: Duration = .seconds(5), limit: Int? = nil,
        authority: String = "root.pem"
    ) throws -> SSRFSafeFetcher {
        var limits = JOSELimits.standard
        if let limit { limits.tokenBytes = limit }
        return SSRFSafeFetcher(
            transport: try CurlTransport(
                certificateAuthorities: TestAuthority.path(authority)),
            addressPolicy: addressPolicy, requestTime: time, limits: limits)
    }

    private func text(_ fetch: SSRFSafeFetcher, _ url: String) async -> String {
        do throws(JOSEError) {
            return try await fetch.requestObject(at: url)
        } catch {
            return error.code.name
        }
    }

    @Test("the document is returned unchanged, of either kind, and nothing else is sent")
    func documents() async throws {
        let server = try TestServer()
        let url = "https://127.0.0.1:\(server.port)/jwks"
        let fetch = try fetch(.anyAddress)
        for body in ["a.b.c", "", "{\"issuer\":\"x\"}\n", "\u{e9}"] {
            try server.tell(["body": body])
            #expect(try await fetch.requestObject(at: url) == body)
            #expect(try await fetch.discoveryDocument(at: url) == body)
        }
        let counts = try server.tell()
        #expect((counts.requests, counts.strange) == (8, 0))
    }

    @Test(
        "local addresses are not reached under any name, unless allowed",
        arguments: [
            "127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]",
        ])
    func local(_ host: String) async throws {
        let server = try TestServer()
        let guarded = try fetch(.publicAddresses)
        let url = "https://\(host):\(server.port)/jwks"
        #expect(await text(guarded, url) == "unsupported")
        #expect(try server.tell().requests == 0)
        // The same with the address allowed: the policy rejected it, not the name.
        guard ["127.0.0.1", "localhost"].contains(host) else { return }
        let response = await text(try fetch(.anyAddress), url)
        #expect(response == (host == "localhost" ? "untrusted-key" : "{}"))
    }

    @Test(
        "another spelling of a host is rejected, whatever the policy",
        arguments: [
            "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "017700000001",
            "0177.0.0.1", "127.0.0.01", "127.0.0.1.", "localhost.", "localhost..", "%6cocalhost",
            "127.0.0.%31", "[::1%25lo]", "[::1].", "[::127.0.0.01]", "local_host",
        ])
    func spellings(_ host: String) async throws {
        let server = try TestServer()
        let url = "https://\(host):\(server.port)/jwks"
        for addressPolicy in [AddressPolicy.publicAddresses, .anyAddress] {
            #expect(await text(try fetch(addressPolicy), url) == "malformed")
        }
        #expect(try server.tell().requests == 0)
    }

    @Test("http needs the loopback policy, and is of this machine in exactly three spellings")
    func plain() async throws {
        let server = try TestServer(newestTLS: "plain")
        let local = try fetch(.loopbackAddresses)
        for host in ["127.0.0.1", "localhost"] {
            let url = "http://\(host):\(server.port)/jwks"
            #expect(await text(local, url) == "{}", "\(host)")
            for policy in [AddressPolicy.publicAddresses, .anyAddress] {
                #expect(await text(try fetch(policy), url) == "malformed")
            }
        }
        #expect(try server.tell().requests == 2)
        for host in [
            "127.1", "127.0.0.2", "2130706433", "0x7f000001", "0.0.0.0", "LOCALHOST", "localhost.",
            "a@localhost", "localhost@127.0.0.1", "127.0.0.1.", "app.localhost", "[::]",
            "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "%6cocalhost", "10.0.0.1",
            "169.254.169.254", "127.0.0.1\\", "",
        ] {
            let url = "http://\(host):\(server.port)/jwks"
            #expect(await text(local, url) == "malformed", "\(host)")
        }
        for scheme in ["HTTP", "ftp", "file", "ws"] {
            let url = "\(scheme)://127.0.0.1:\(server.port)/jwks"
            #expect(await text(local, url) == "malformed", "\(scheme)")
        }
        // The port of a server with another protocol, and no server.
        #expect(await text(local, "https://127.0.0.1:\(server.port)/jwks") == "untrusted-key")
        #expect(await text(local, "http://[::1]:1/jwks") == "unavailable")
        #expect(try server.tell().requests == 2)
    }

    @Test("with the loopback policy, https reaches no other address than loopback")
    func elsewhere() async throws {
        let local = try fetch(.loopbackAddresses, .milliseconds(500))
        for host in ["192.0.2.1", "10.0.0.1", "[2001:db8::1]", "0.0.0.0", "[::ffff:127.0.0.1]"] {
            #expect(await text(local, "https://\(host)/jwks") == "unsupported", "\(host)")
        }
    }

    @Test("a redirect to another scheme or host is not followed, over http too")
    func redirects() async throws {
        let server = try TestServer(newestTLS: "plain")
        let local = try fetch(.loopbackAddresses)
        for mode in ["redirectScheme", "redirectHost", "redirectFile"] {
            try server.tell(["mode": mode])
            #expect(
                await text(local, "http://127.0.0.1:\(server.port)/jwks") == "malformed", "\(mode)")
        }
        let counts = try server.tell()
        #expect((counts.requests, counts.strange) == (3, 0))
    }

    @Test("a remote set with an untrusted URL keeps the address policy") func sets()
        async throws
    {
        let server = try TestServer()
        try server.tell(["body": setText(["a"])])
        for (addressPolicy, failure) in [
            (AddressPolicy.publicAddresses, "forbidden-address"), (.anyAddress, nil),
        ] {
            let log = EventLog()
            let set = try RemoteJWKSet(
                untrustedURL: "https://127.0.0.1:\(server.port)/jwks", addressPolicy: addressPolicy,
                transport: CurlTransport(certificateAuthorities: TestAuthority.path("root.pem")),
                observe: { log.note($0) })
            let verdict = await code { () throws(JOSEError) in _ = try await set.keys(keyID: "a") }
            #expect(verdict == (failure == nil ? nil : "unavailable"))
            #expect(log.lastFailure == failure)
        }
    }

    @Test(
        "each server failure has its error code, in time",
        arguments: [
            ("silent", "unavailable"), ("slow", "unavailable"), ("endless", "limit-exceeded"),
            ("oversized", "limit-exceeded"), ("chunked", "limit-exceeded"),
            ("header", "limit-exceeded"), ("cut", "malformed"), ("noise", "malformed"),
            ("error", "unavailable"), ("redirectPath", "malformed"),
            ("redirectScheme", "malformed"), ("redirectFile", "malformed"),
            ("redirectHost", "malformed"), ("redirectSame", "malformed"),
            ("unasked", "malformed"), ("binary", "malformed"),
        ])
    func failures(_ mode: String, _ wanted: String) async throws {
        let server = try TestServer()
        try server.tell(["mode": mode, "body": String(repeating: "x", count: 60)])
        let begun = ContinuousClock.now
        let url = "https://127.0.0.1:\(server.port)/jwks"
        #expect(await text(try fetch(.anyAddress, .milliseconds(1_500)), url) == wanted)
        #expect(begun.duration(to: .now) < .seconds(6))
        let counts = try server.tell()
        #expect((counts.requests, counts.strange) == (1, 0), "no redirect was followed")
    }

    @Test("concurrent fetches are limited, in total and per host, and resume when others end")
    func bounds() async throws {
        let server = try TestServer()
        try server.tell(["mode": "silent"])
        let transport = try CurlTransport(certificateAuthorities: TestAuthority.path("root.pem"))
        let urls = ["https://127.0.0.1", "HTTPS://127.0.0.1", "https://localhost"].map {
            "\($0):\(server.port)/jwks?x"
        }
        /// The results of concurrent fetches, and their duration.
        func fetchAll(_ urls: [String], _ most: Int, _ maxOfHost: Int) async -> [String] {
            await withTaskGroup(of: String.self) { group in
                for url in urls {
                    // Each has its own fetcher: they only share the transport.
                    var fetch = SSRFSafeFetcher(
                        transport: transport, addressPolicy: .anyAddress,
                        requestTime: .milliseconds(1_500))
                    fetch.maxRequests = most
                    fetch.maxRequestsPerHost = maxOfHost
                    group.addTask { [fetch] in
                        let begun = ContinuousClock.now
                        do throws(JOSEError) {
                            return try await fetch.discoveryDocument(at: url)
                        } catch {
                            let isAtOnce = begun.duration(to: .now) < .seconds(1)
                            let bounds = ["maxRequestsPerHost", "maxRequests"]
                            let bound = bounds.first { error.message.contains($0) }
                            guard let bound else { return error.code.name }
                            #expect(isAtOnce && error.code == .unavailable)
                            return bound
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.sorted()
            }
        }
        let numeric = Array(repeating: urls[0], count: 3) + [urls[1]]
        #expect(
            await fetchAll(numeric, 128, 3)
                == ["maxRequestsPerHost", "unavailable", "unavailable", "unavailable"])
        #expect(
            await fetchAll(numeric, 3, 16)
                == ["maxRequests", "unavailable", "unavailable", "unavailable"])
        // A limit below one counts as one.
        #expect(
            await fetchAll(Array(numeric.prefix(2)), 0, 16) == ["maxRequests", "unavailable"])
        #expect(
            await fetchAll(Array(numeric.prefix(2)), 128, -1)
                == ["maxRequestsPerHost", "unavailable"])
        // Another host has its own count.
        let others = await fetchAll([urls[0], urls[2]], 128, 1)
        #expect(!others.contains("maxRequestsPerHost"), "\(others)")
        // All finished fetches freed their slot, those that failed at once too.
        try server.tell(["mode": "ok", "body": "x"])
        for _ in 0..<3 {
            #expect(await fetchAll([urls[0]], 1, 1) == ["x"])
            #expect(await fetchAll(["https://127.0.0.1:1/"], 1, 1) == ["unavailable"])
        }
    }

    @Test("the document size limit is that of tokens") func limit() async throws {
        let server = try TestServer()
        let url = "https://127.0.0.1:\(server.port)/jwks"
        try server.tell(["body": String(repeating: "x", count: 1_000)])
        #expect(await text(try fetch(.anyAddress, limit: 1_000), url).utf8.count == 1_000)
        #expect(await text(try fetch(.anyAddress, limit: 999), url) == "limit-exceeded")
    }

    @Test("TLS: another CA, another name, and an expired certificate are rejected")
    func trust() async throws {
        for certificate in ["wrongCA", "wrongName", "expired"] {
            let server = try TestServer(certificate: certificate)
            let url = "https://127.0.0.1:\(server.port)/jwks"
            #expect(await text(try fetch(.anyAddress), url) == "untrusted-key")
            #expect(try server.tell().requests == 0)
        }
    }

    @Test(
        "a URL that is not https is not requested",
        arguments: [
            "", "http://127.0.0.1/", "file:///etc/passwd", "https://", "https://u@127.0.0.1/",
            "https://127.0.0.1/#f", "https://127.0.0.1/\r\nX: y", "https://127.0.0.1/ x",
            "ftp://127.0.0.1/", "https://\u{e9}/",
        ])
    func addresses(_ url: String) async throws {
        #expect(await text(try fetch(.anyAddress), url) == "malformed")
    }

    @Test("a refused connection is unreachable") func unreachable() async throws {
        var server: TestServer? = try TestServer()
        let port = try #require(server?.port)
        server = nil
        #expect(await text(try fetch(.anyAddress), "https://127.0.0.1:\(port)/") == "unavailable")
    }

    @Test("a custom request that would inject a header line is not sent") func requests()
        async throws
    {
        let server = try TestServer()
        let url = "https://127.0.0.1:\(server.port)/jwks"
        let transport = try CurlTransport(
            certificateAuthorities: TestAuthority.path("root.pem"))
        let good = JWKSetRequest(url: url)
        #expect(try await transport.fetch(good).status == 200)
        for change: (inout JWKSetRequest) -> Void in [
            { $0.url = "http://127.0.0.1/" }, { $0.url += "\r\nX: y" }, { $0.url += "\0" },
            { $0.entityTag = "\"a\"\r\nX: y" }, { $0.entityTag = "\"\u{e9}\"" },
            { $0.mediaTypes = "a/b\nX: y" }, { $0.timeLimit = .zero },
            { $0.timeLimit = .seconds(3_601) }, { $0.timeLimit = .seconds(Int64.max) },
            { $0.bodyLimitBytes = -1 },
        ] {
            var request = good
            change(&request)
            await #expect(throws: JWKSetTransportError.internal) {
                _ = try await transport.fetch(request)
            }
        }
        #expect(try server.tell().requests == 1)
    }
}
