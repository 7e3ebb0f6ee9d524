// Many concurrent callers on one set, for the thread sanitizer (`tools/run tsan-check`): few
// rounds, everything shared.

import JOSE
import JOSERemote
import Testing

@Suite("Remote key set: concurrency", .serialized)
struct RemoteConcurrencyTests {
    @Test("callers, refreshes, rotation and outage at the same time") func everything() async throws
    {
        let transport = FakeTransport("a", "b")
        let clock = TestClock()
        let log = EventLog()
        let set = try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport,
            observe: { log.note($0) }, clock: { clock.now })
        await withTaskGroup { group in
            for caller in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        let names = ["a", "b", "c", "random-\(caller)-\(round)", nil] as [String?]
                        _ = try? await set.keys(keyID: names[round % names.count])
                    }
                }
            }
            group.addTask {
                for round in 0..<50 {
                    let reply: FakeTransport.Reply =
                        round % 5 == 0 ? .failure(.unreachable) : .success(.set(["a", "c"]))
                    transport.reply(reply)
                    clock.advance(31)
                    await Task.yield()
                }
            }
        }
        transport.reply(.success(.set(["a"])))
        clock.advance(120)
        #expect(try await set.keys(keyID: "a").count >= 1)
        // An early refresh is reported before its request is made, and no caller waits for it.
        let started = log.count(.started)
        #expect(started >= 1)
        #expect(await eventually { transport.requests.count == started })
    }

    @Test("one transport with many requests and an early shutdown") func transport() async throws {
        let server = try TestServer()
        try server.tell(["body": setText(["a"])])
        let transport = try CurlTransport(
            certificateAuthorities: TestAuthority.path("root.pem"))
        let url = "https://127.0.0.1:\(server.port)/jwks"
        let served = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    // Separate sets, which share only the transport's thread.
                    guard let set = try? RemoteJWKSet(url: url, transport: transport) else {
                        return 0
                    }
                    return (try? await set.keys(keyID: "a").count) ?? 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(served == 16)
        #expect(try server.tell().requests == 16)
    }

    @Test("one certified set used concurrently at different times") func certified()
        async throws
    {
        let key = try CertifiedProvider.certified(CertifiedProvider.key("1"), until: 1_000)
        let fixture = try CertifiedFixture(
            FakeTransport(.success(try CertifiedProvider.response([key]))))
        let issuer = try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(80_000))
        let token = try issuer.issue(["sub": "s"], at: CertifiedProvider.date(0))
        let (early, late) = (try CertifiedProvider.date(500), try CertifiedProvider.date(1_001))
        await withTaskGroup { group in
            for caller in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        let isLate = (caller + round) % 2 == 0
                        let verdict = await code { () throws(JOSEError) in
                            _ = try await fixture.verifier.verify(token, at: isLate ? late : early)
                        }
                        #expect(verdict == (isLate ? "untrusted-key" : nil))
                    }
                }
            }
        }
    }
}
