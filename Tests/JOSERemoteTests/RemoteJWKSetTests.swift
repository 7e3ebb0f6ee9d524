// The set with a fake transport and a simulated clock: who waits, who is served, what is sent.

import JOSE
import Testing

@testable import JOSERemote

@Suite("Remote set, simulated")
struct RemoteJWKSetTests {
    private let clock = TestClock()
    private let log = EventLog()

    private func remote(_ transport: FakeTransport) throws -> RemoteJWKSet {
        try RemoteJWKSet(
            "https://op.example/jwks", transport: transport, clock: { [clock] in clock.now },
            observe: { [log] in log.note($0) })
    }

    @Test("1,000 callers at once make one request") func oneFlight() async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        transport.hold()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 { group.addTask { try await remote.keys(keyID: "a").count } }
            #expect(await eventually { transport.heldCount == 1 })
            transport.release()
            for try await count in group { #expect(count == 1) }
        }
        #expect(transport.requests.count == 1)
        #expect(log.all.map(\.kind) == [.started, .replaced])
    }

    @Test("ETag is sent back and 304 renews the set; keys that are prepared stay") func etag()
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

    @Test("a 304 that nobody asked for is a failure") func strange304() async throws {
        let remote = try remote(FakeTransport(.success(JWKSetResponse(status: 304))))
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: nil) }
                == "key-not-found")
        #expect(log.lastFault == "status")
    }

    @Test(
        "an ETag that is none is not sent",
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

    @Test("the same text keeps the prepared keys, another text replaces all") func replaced()
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
        #expect(!third.names("a") && third.names("b") && third.names("c"))
    }

    @Test(
        "answers that are no set leave the old one in place",
        arguments: [
            JWKSetResponse(status: 200, body: Array("<html>".utf8)),
            JWKSetResponse(status: 200, body: []),
            JWKSetResponse(status: 200, body: Array(#"{"keys":[{"kty":"oct","k":"AA"}]}"#.utf8)),
            JWKSetResponse(status: 200, body: Array(repeating: 0x20, count: 524_289)),
            JWKSetResponse(status: 302), JWKSetResponse(status: 404), JWKSetResponse(status: 500),
            JWKSetResponse(status: 206, body: Array(setText(["b"]).utf8)),
        ])
    func refused(_ answer: JWKSetResponse) async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(301)
        transport.reply(.success(answer))
        #expect(try await remote.keys(keyID: "a").names("a"))
        #expect(log.count(.failed) == 1)
        clock.advance(3_600)
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: "a") }
                == "key-not-found")
        #expect(log.count(.refused) == 1)
    }

    @Test("a refresh ahead makes nobody wait") func ahead() async throws {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        clock.advance(280)
        transport.hold()
        transport.reply(.success(.set(["b"])))
        #expect(try await remote.keys(keyID: "a").names("a"))
        #expect(await eventually { transport.heldCount == 1 })
        #expect(try await remote.keys(keyID: "a").names("a"))
        transport.release()
        #expect(await eventually { log.count(.replaced) == 2 })
        #expect(try await remote.keys(keyID: "b").names("b"))
        #expect(transport.requests.count == 2)
    }

    @Test("a caller's cancellation does not end the request of the others") func cancelled()
        async throws
    {
        let transport = FakeTransport("a")
        let remote = try remote(transport)
        transport.hold()
        let impatient = Task { try await remote.keys(keyID: "a").count }
        #expect(await eventually { transport.heldCount == 1 })
        let other = Task { try await remote.keys(keyID: "a").count }
        impatient.cancel()
        transport.release()
        #expect(try await other.value == 1)
        #expect(transport.requests.count == 1)
    }

    @Test("a transport that hangs is given up") func hung() async throws {
        let transport = FakeTransport("a")
        var settings = RemoteJWKSetSettings()
        settings.requestTime = .zero
        #expect(settings.requestTime == .milliseconds(100))
        let remote = try RemoteJWKSet(
            "https://op.example/", settings: settings, transport: transport,
            clock: { [clock] in clock.now }, observe: { [log] in log.note($0) })
        transport.hold()
        #expect(
            await code { () throws(JOSEError) in _ = try await remote.keys(keyID: "a") }
                == "key-not-found")
        #expect(log.lastFault == "time-limit")
        transport.release()
        clock.advance(10)
        #expect(try await remote.keys(keyID: "a").count == 1)
    }
}
