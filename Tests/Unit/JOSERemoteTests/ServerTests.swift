// The set with a real HTTPS server on loopback: failures, rotation, outage, floods (catalogue 114,
// 115).

import Foundation
import JOSE
import JOSERemote
import Testing

@Suite("Remote key set: real server", .serialized)
struct ServerTests {
    @Test("a set is fetched, revalidated by ETag, and replaced") func story() async throws {
        let fixture = try RemoteFixture(TestServer())
        try fixture.server.tell([
            "body": setText(["a"]), "etag": "\"v1\"", "cacheControl": "max-age=600",
        ])
        #expect(try await fixture.set.keys(keyID: "a").count == 1)
        fixture.clock.advance(539)
        #expect(try await fixture.set.keys(keyID: "a").count == 1)
        #expect(try fixture.server.tell().requests == 1, "fresh: nothing is asked")
        fixture.clock.advance(61)
        #expect(try await fixture.set.keys(keyID: "a").count == 1)
        var counts = try fixture.server.tell(["body": setText(["b", "c"]), "etag": "\"v2\""])
        #expect((counts.requests, counts.revalidations) == (2, 1))
        fixture.clock.advance(600)
        #expect(try await fixture.set.keys(keyID: "b").count == 2)
        counts = try fixture.server.tell()
        #expect((counts.requests, counts.revalidations, counts.strange) == (3, 1, 0))
        #expect(
            fixture.log.all.filter { $0.kind != .started }.map(\.kind) == [
                .replaced, .unchanged, .replaced,
            ])
        #expect(fixture.log.all.compactMap(\.status) == [200, 304, 200])
    }

    @Test(
        "each server failure is reported in time, and leaves the old set in place",
        arguments: [
            ("silent", "time-limit"), ("slow", "time-limit"), ("endless", "size-limit"),
            ("oversized", "size-limit"), ("chunked", "size-limit"), ("header", "size-limit"),
            ("cut", "broken"), ("noise", "broken"), ("html", "malformed"), ("error", "status"),
            ("redirectPath", "status"), ("redirectScheme", "status"), ("redirectFile", "status"),
            ("redirectHost", "status"), ("redirectSame", "status"), ("private", "key-unusable"),
            ("twice", "malformed"), ("nothing", "malformed"), ("unasked", "status"),
        ])
    func failures(_ mode: String, _ failure: String) async throws {
        let fixture = try RemoteFixture(TestServer(), requestTime: .milliseconds(1_500))
        try fixture.server.tell(["body": setText(["a"])])
        #expect(await fixture.rejection("a") == nil)
        try fixture.server.tell(["mode": mode])
        fixture.clock.advance(301)
        let begun = ContinuousClock.now
        #expect(await fixture.rejection("a") == nil, "the old set serves")
        let took = begun.duration(to: .now)
        #expect(fixture.log.lastFailure == failure)
        // The limit, the second until a transport is abandoned, and time for a busy machine.
        #expect(took < .seconds(6))
        let counts = try fixture.server.tell(["mode": "ok"])
        #expect((counts.requests, counts.strange) == (2, 0), "no redirect was followed")
        // Recovery after the cooldown.
        fixture.clock.advance(10)
        _ = await fixture.rejection("a")
        #expect(await eventually { fixture.log.all.last?.kind == .unchanged })
    }

    @Test(
        "TLS errors are failures",
        arguments: [
            ("wrongName", nil, "root.pem"), ("wrongCA", nil, "root.pem"),
            ("expired", nil, "root.pem"),
            ("good", nil, nil), ("good", nil, "other.pem"), ("good", nil, "missing.pem"),
            ("good", "TLSv1_1", "root.pem"),
        ] as [(String, String?, String?)])
    func brokenTLS(_ certificate: String, _ newest: String?, _ authority: String?) async throws {
        let fixture = try RemoteFixture(
            TestServer(certificate: certificate, newestTLS: newest), authority: authority)
        try fixture.server.tell(["body": setText(["a"])])
        #expect(await fixture.rejection("a") == "unavailable")
        #expect(fixture.log.lastFailure == "untrusted")
        #expect(try fixture.server.tell().requests == 0, "nothing was sent")
    }

    @Test("a refused connection is a failure") func unreachable() async throws {
        var server: TestServer? = try TestServer()
        let port = try #require(server?.port)
        server = nil
        let log = EventLog()
        let set = try RemoteJWKSet(
            url: "https://127.0.0.1:\(port)/jwks", transport: CurlTransport(),
            observe: { log.note($0) })
        let verdict = await code { () throws(JOSEError) in _ = try await set.keys(keyID: nil) }
        #expect(verdict == "unavailable")
        #expect(log.lastFailure == "unreachable")
    }

    @Test("64 callers with 100,000 random kids cause one request per interval")
    func flood() async throws {
        let fixture = try RemoteFixture(TestServer())
        try fixture.server.tell(["body": setText(["a"]), "cacheControl": "max-age=86400"])
        #expect(await fixture.rejection("a") == nil)
        let set = fixture.set
        let begun = ContinuousClock.now
        for (round, pause) in [0, 10, 299, 1, 300].enumerated() {
            fixture.clock.advance(Double(pause))
            await withTaskGroup(of: Int.self) { group in
                for caller in 0..<64 {
                    group.addTask {
                        var served = 0
                        for index in 0..<313 where index * 64 + caller < 20_000 {
                            let keyID = "\(round)-\(index)-\(UInt64.random(in: 0 ... .max))"
                            guard let keys = try? await set.keys(keyID: keyID) else { continue }
                            served += keys.count
                        }
                        return served
                    }
                }
                var served = 0
                for await count in group { served += count }
                #expect(served == 20_000, "each caller has the set, in which its kid is not")
            }
            // The first; after 10 s one; at 309 s none; at 310 s one; at 610 s one.
            #expect(try fixture.server.tell().requests == [1, 2, 2, 3, 4][round])
        }
        print("flood: 100,000 random kids, 4 requests, \(begun.duration(to: .now))")
    }
}
