// The set with a fake transport and a simulated clock: which callers wait or are served, and what
// is sent.

import JOSE
import Testing

@testable import JOSERemote

@Suite("Remote key set: simulated server")
struct RemoteJWKSetTests {
    private let clock = TestClock()
    private let log = EventLog()

    private func remote(_ transport: FakeTransport) throws -> RemoteJWKSet {
        try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport,
            observe: { [log] in log.note($0) }, clock: { [clock] in clock.now })
    }

    @Test("1,000 callers at once make one request") func oneFlight() async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        transport.hold()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 { group.addTask { try await remote.keys(keyID: "a").count } }
            #expect(await eventually { transport.externalCount == 1 })
            transport.release()
            for try await count in group { #expect(count == 1) }
        }
        #expect(transport.requests.count == 1)
        #expect(log.all.map(\.kind) == [.started, .replaced])
    }

    @Test("each initializer's address policy applies to its requests")
    func addressPolicies() async throws {
        func sent(_ make: (FakeTransport) throws -> RemoteJWKSet) async throws -> [AddressPolicy] {
            let transport = FakeTransport("a")
            _ = try await make(transport).keys(keyID: "a")
            return transport.requests.map(\.addressPolicy)
        }
        let url = "https://op.example/jwks"
        #expect(try await sent { try RemoteJWKSet(url: url, transport: $0) } == [.anyAddress])
        for policy in [AddressPolicy.publicAddresses, .anyAddress] {
            let reaches = try await sent {
                try RemoteJWKSet(untrustedURL: url, addressPolicy: policy, transport: $0)
            }
            #expect(reaches == [policy])
        }
        // http: only with the loopback policy, and only of this machine.
        for url in ["http://localhost:9400/jwks", "http://127.0.0.1/", "http://[::1]:1/k?x"] {
            let policies = try await sent {
                try RemoteJWKSet(url: url, addressPolicy: .loopbackAddresses, transport: $0)
            }
            #expect(policies == [.loopbackAddresses])
            for policy in [AddressPolicy.publicAddresses, .anyAddress] {
                #expect(throws: JOSEError.self) {
                    try RemoteJWKSet(url: url, addressPolicy: policy, transport: FakeTransport())
                }
            }
        }
        for bad in ["http://op.example/jwks", "http://localhost.example/", "http://127.0.0.2/"] {
            #expect(throws: JOSEError.self, "\(bad)") {
                try RemoteJWKSet(
                    untrustedURL: bad, addressPolicy: .loopbackAddresses,
                    transport: FakeTransport())
            }
        }
        for bad in ["http://op.example/jwks", "https://u@op.example/", "file:///etc/passwd", ""] {
            #expect(throws: JOSEError.self, "\(bad)") {
                try RemoteJWKSet(
                    untrustedURL: bad, addressPolicy: .publicAddresses, transport: FakeTransport())
            }
        }
    }

    @Test("ETag is sent back, 304 renews the set, and prepared keys stay") func etag()
        async throws
    {
        let transport = FakeTransport(.success(.set(["a"], tag: "\"v1\"")))
        let remote = try remote(transport)
        let first = try await remote.keys(keyID: "a")
        clock.advance(301)
        transport.reply(.success(JWKSetResponse(status: 304, cacheControl: "max-age=7200")))
        let second = try await remote.keys(keyID: "a")
        #expect(second.storage === first.storage)
        clock.advance(6_000)
        _ = try await remote.keys(keyID: "a")
        #expect(transport.requests.map(\.entityTag) == [nil, "\"v1\""])
        #expect(log.count(.unchanged) == 1)
    }

    @Test("an unexpected 304 is a failure") func strange304() async throws {
        let remote = try remote(FakeTransport(.success(JWKSetResponse(status: 304))))
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: nil) }
                == "unavailable")
        #expect(log.lastFailure == "status")
    }

    @Test(
        "an invalid ETag is not sent",
        arguments: [
            "x", "\"", "\"a\r\nX: y\"", "\"a b\"", "\"ä\"",
            "\"\(String(repeating: "x", count: 300))\"",
        ])
    func hostileTag(_ tag: String) async throws {
        let transport = FakeTransport(.success(.set(["a"], tag: tag)))
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        #expect(transport.requests.map(\.entityTag) == [nil, nil])
    }

    @Test("the same document keeps the prepared keys, another replaces all") func replaced()
        async throws
    {
        let transport = FakeTransport("a", "b")
        let remote = try remote(transport)
        let first = try await remote.keys(keyID: "a")
        clock.advance(301)
        #expect(try await remote.keys(keyID: "a").storage === first.storage)
        clock.advance(301)
        transport.reply(.success(.set(["b", "c"])))
        let third = try await remote.keys(keyID: "a")
        #expect(
            !third.hasKey(withID: "a") && third.hasKey(withID: "b") && third.hasKey(withID: "c"))
    }

    @Test(
        "responses without a valid set leave the old one in place",
        arguments: [
            JWKSetResponse(status: 200, body: Array("<html>".utf8)),
            JWKSetResponse(status: 200, body: []),
            JWKSetResponse(status: 200, body: Array(#"{"keys":[{"kty":"oct","k":"AA"}]}"#.utf8)),
            JWKSetResponse(status: 200, body: Array(repeating: 0x20, count: 524_289)),
            JWKSetResponse(status: 302), JWKSetResponse(status: 404), JWKSetResponse(status: 500),
            JWKSetResponse(status: 206, body: Array(setText(["b"]).utf8)),
        ])
    func rejected(_ response: JWKSetResponse) async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(301)
        transport.reply(.success(response))
        #expect(try await remote.keys(keyID: "a").hasKey(withID: "a"))
        #expect(log.count(.failed) == 1)
        clock.advance(3_600)
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: "a") }
                == "unavailable")
        #expect(log.count(.rejected) == 1)
    }

    @Test("an early refresh blocks no caller") func ahead() async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(280)
        transport.hold()
        transport.reply(.success(.set(["b"])))
        #expect(try await remote.keys(keyID: "a").hasKey(withID: "a"))
        #expect(await eventually { transport.externalCount == 1 })
        #expect(try await remote.keys(keyID: "a").hasKey(withID: "a"))
        transport.release()
        #expect(await eventually { log.count(.replaced) == 2 })
        #expect(try await remote.keys(keyID: "b").hasKey(withID: "b"))
        #expect(transport.requests.count == 2)
    }

    @Test("cancelling one caller does not cancel the request of the others") func cancelled()
        async throws
    {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        transport.hold()
        let impatient = Task { try await remote.keys(keyID: "a").count }
        #expect(await eventually { transport.externalCount == 1 })
        let other = Task { try await remote.keys(keyID: "a").count }
        impatient.cancel()
        transport.release()
        #expect(try await other.value == 1)
        #expect(transport.requests.count == 1)
    }

    @Test("a hanging transport times out") func hung() async throws {
        let transport = FakeTransport("a")
        var settings = RemoteJWKSetSettings()
        settings.requestTime = .zero
        #expect(settings.requestTime == .milliseconds(100))
        let remote = try RemoteJWKSet(
            url: "https://op.example/", settings: settings, transport: transport,
            observe: { [log] in log.note($0) }, clock: { [clock] in clock.now })
        transport.hold()
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: "a") }
                == "unavailable")
        #expect(log.lastFailure == "time-limit")
        transport.release()
        clock.advance(10)
        #expect(try await remote.keys(keyID: "a").count == 1)
    }

    /// The rejection code for a kid, by the set itself or by a set that lacks it.
    private func outcome(_ remote: RemoteJWKSet, _ keyID: String?) async -> String? {
        await code { () throws(JOSEError) in
            let keys = try await remote.keys(keyID: keyID)
            guard let keyID, keys.hasKey(withID: keyID) else {
                throw .keyNotFound("the set lacks it")
            }
        }
    }

    @Test(
        "any outage is unavailable, and a kid missing in the response is not found",
        arguments: [
            .failure(.unreachable), .failure(.untrusted), .failure(.timeLimit),
            .failure(.sizeLimit), .failure(.broken), .failure(.internal),
            .success(JWKSetResponse(status: 500)), .success(JWKSetResponse(status: 404)),
            .success(JWKSetResponse(status: 200, body: Array("<html>".utf8))),
        ] as [FakeTransport.Reply])
    func outage(_ failure: FakeTransport.Reply) async throws {
        let transport = FakeTransport(failure)
        let remote = try remote(transport)
        // Nothing was ever fetched.
        #expect(await outcome(remote, "a") == "unavailable")
        #expect(await outcome(remote, nil) == "unavailable")
        #expect(log.all.last?.kind == .rejected)
        clock.advance(10)
        transport.reply(.success(.set(["a"])))
        #expect(await outcome(remote, "a") == nil)
        // The server responds without such a key: at the first request, and within the interval.
        clock.advance(10)
        #expect(await outcome(remote, "b") == "key-not-found")
        #expect(await outcome(remote, "b") == "key-not-found")
        #expect(await outcome(remote, "c") == "key-not-found")
        let requests = transport.requests.count
        // The server fails: the set's keys still serve, and any other kid is undetermined, however
        // often it is requested. The server may have an earlier rejected kid by now.
        transport.reply(failure)
        clock.advance(299)
        #expect(await outcome(remote, "a") == nil)
        #expect(await eventually { log.count(.failed) == 2 })
        #expect(transport.requests.count == requests + 1)
        #expect(await outcome(remote, "a") == nil)
        for keyID in ["b", "c", "d", "e", "c"] {
            #expect(await outcome(remote, keyID) == "unavailable")
        }
        #expect(transport.requests.count == requests + 1, "nobody asks in the pause")
        let long = String(repeating: "k", count: 1_025)
        #expect(await outcome(remote, long) == "key-not-found", "no server is asked for it")
        // A failing kid request leaves it undetermined too.
        clock.advance(100)
        #expect(await outcome(remote, "c") == "unavailable")
        #expect(transport.requests.count > requests + 1)
        // The server returns, and now the result is known.
        transport.reply(.success(.set(["a", "d"])))
        clock.advance(400)
        #expect(await outcome(remote, "d") == nil)
        #expect(await outcome(remote, "c") == "key-not-found")
        // Too long an outage.
        transport.reply(failure)
        clock.advance(4_000)
        #expect(await outcome(remote, "a") == "unavailable")
        #expect(await outcome(remote, nil) == "unavailable")
    }

    @Test("callers that wait for a failing kid request get the same error as later callers")
    func waiters() async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(20)
        transport.reply(.failure(.unreachable))
        transport.hold()
        let codes = await withTaskGroup(of: String?.self) { group in
            for index in 0..<64 { group.addTask { await self.outcome(remote, "k\(index)") } }
            #expect(await eventually { transport.externalCount == 1 })
            transport.release()
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(codes == ["unavailable"])
        #expect(await outcome(remote, "later") == "unavailable")
        #expect(await outcome(remote, "a") == nil)
    }
}
