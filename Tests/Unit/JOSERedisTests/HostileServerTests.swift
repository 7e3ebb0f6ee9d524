// Slow, broken or lying servers: each is rejected in time, and leaves nothing hanging.

import JOSE
import JOSERedis
import Testing

@Suite("Redis store, hostile server", .serialized)
struct HostileServerTests {
    @Test("the fake server is accepted while it responds like Redis") func usual() async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        let seen = server.seen
        try #require(seen.prefix(4).map { $0[0] } == ["INFO", "GET", "SET", "GET"])
        let set = seen[2]
        #expect(set.count == 6 && set[2...4] == ["1", "NX", "PX"] && set[5] == "180001")
    }

    static let nonsense: [FakeRedis.Response] = [
        .text("garbage\r\n"), .text("HTTP/1.1 400 Bad Request\r\n\r\n"), .text("\r\n"),
        .text("+OKAY\r\n"), .text("+O\u{212a}\r\n"), .text("+ok\r\n"), .text("+QUEUED\r\n"),
        .text("+\r\n"),
        .text("$2\r\nOK\r\n"), .text(":1\r\n"), .text(":0\r\n"), .text("$-5\r\n"),
        .text("*0\r\n"), .text("*1\r\n+OK\r\n"), .text("*1000000000\r\n"),
        .text("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"),
        .text("$99999999999999999999\r\n"), .text("$-1\r\n$-1\r\n$-1\r\n"), .text("$0\r\n\r\n"),
        .text(",1.5\r\n"), .text("#t\r\n"), .text("_\r\n"), .text("%1\r\n+a\r\n+b\r\n"),
        .text("-\r\n"), .text("-err\r\n"), .text("-LOADING Redis is loading\r\n"),
        .text("-MISCONF no\r\n"), .text("-READONLY no\r\n"), .text("-NOAUTH no\r\n"),
        .text("-BUSY no\r\n"), .text("-MOVED 1 127.0.0.1:1\r\n"), .text("-\u{1b}[31mX\r\n"),
        .bytes([0, 0, 0, 0, 0x0d, 0x0a]), .bytes([0x2b, 0xff, 0xfe, 0x0d, 0x0a]),
        .bytes([UInt8](repeating: 0x0d, count: 1_000)), .endless("$536870912\r\n"), .endless("+"),
        .endless("-"), .hangUp,
    ]

    @Test("an invalid reply to any command rejects the claim", arguments: nonsense.indices)
    func oddities(_ index: Int) async throws {
        let server = try FakeRedis()
        let response = HostileServerTests.nonsense[index]
        for command in ["INFO", "GET", "SET"] {
            let fixture = try Fixture(server.port, limit: .seconds(1))
            server.response { $0[0] == command ? response : nil }
            // "$-1" is a valid reply: to SET another claim was first, to GET there is no epoch.
            let failure = await fixture.markUsed(use("1"))
            #expect(
                [.unavailable, .used, .issuedBeforeStore].contains(failure),
                "\(command) \(response)")
            #expect(await fixture.markUsed(use("2")) != nil)
            server.response(nil)
            #expect(await fixture.recovers(command), "\(command) \(response)")
        }
    }

    @Test("later invalid replies reject too, and the connection is closed")
    func later() async throws {
        let server = try FakeRedis()
        for (round, command) in ["GET", "SET", "INCR", "EXPIRE"].enumerated() {
            let fixture = try Fixture(server.port, limit: .seconds(2))
            #expect(await fixture.markUsed(use("before")) == nil)
            server.response { $0[0] == command ? .text("$3\r\nabc\r\n") : nil }
            let first = await fixture.markUsed(use("\(round)"))
            if command != "INCR", command != "EXPIRE" { #expect(first == .unavailable) }
            #expect(await eventually { fixture.log.count(.lost) >= 1 })
            server.response(nil)
            #expect(await fixture.recovers("after"))
        }
    }

    @Test(
        "a server with missing or repeated INFO values is rejected",
        arguments: [
            ("maxmemory_policy:noeviction", "", "broken"), ("role:master", "", "broken"),
            ("redis_mode:standalone", "", "broken"), ("run_id:", "run_id:0", "broken"),
            ("run_id:0f", "run_id:ZZ", "broken"), ("role:master", "role:slave", "not-primary"),
            ("role:master", "role:master\r\nrole:master", "broken"),
            ("role:master", "role:MASTER", "not-primary"),
            ("noeviction", "noeviction\r\nmaxmemory_policy:allkeys-lru", "broken"),
            ("noeviction", "noeviction ", "evicts"), ("noeviction", "", "evicts"),
            ("standalone", "cluster", "cluster"), ("run_id:", "run_id", "broken"),
        ])
    func information(_ part: String, _ other: String, _ failure: String) async throws {
        let info = FakeRedis.info.replacing(part, with: other)
        #expect(info != FakeRedis.info)
        let server = try FakeRedis {
            $0[0] == "INFO" ? .text("$\(info.utf8.count)\r\n\(info)\r\n") : nil
        }
        let fixture = try Fixture(server.port)
        #expect(await fixture.connect()?.description == failure)
        #expect(await fixture.markUsed(use("1")) == .unavailable)
        #expect(!server.seen.contains { $0[0] == "SET" })
    }

    @Test(
        "an invalid epoch is rejected",
        arguments: [
            "", " ", "1760000000", "0f 1760000000", "RUN", "RUN ", "RUN  1760000000",
            "RUN 1760000000 ", "RUN -1", "RUN +1", "RUN 1e9", "RUN 999999999999999", "RUN 1.5",
            "RUN \u{661}", "run 1760000000\n", "XRUN 1760000000",
        ])
    func epoch(_ text: String) async throws {
        let value = text.replacing("RUN", with: FakeRedis.run)
        let server = try FakeRedis {
            $0[0] == "GET" ? .text("$\(value.utf8.count)\r\n\(value)\r\n") : nil
        }
        let fixture = try Fixture(server.port)
        #expect(await fixture.connect() == .broken)
        #expect(await fixture.markUsed(use("1")) == .unavailable)
    }

    @Test(
        "an outage of any kind is unavailable to the caller, without blaming the token",
        arguments: ["nobody listens", "hangs up", "is silent", "answers nonsense", "evicts"])
    func outage(_ kind: String) async throws {
        let info = FakeRedis.info.replacing("noeviction", with: "allkeys-lru")
        let server = try FakeRedis { command in
            switch kind {
            case "hangs up": command[0] == "SET" ? .hangUp : nil
            case "is silent": command[0] == "SET" ? .silence : nil
            case "answers nonsense": command[0] == "SET" ? .text(":7\r\n") : nil
            case "evicts":
                command[0] == "INFO" ? .text("$\(info.utf8.count)\r\n\(info)\r\n") : nil
            default: nil
            }
        }
        let port = kind == "nobody listens" ? 1 : server.port
        let fixture = try Fixture(port, limit: .milliseconds(300))
        let now = start.advanced(by: .seconds(600))
        let key = try JWK.generate(.symmetric(bits: 256))
        let claims: [String: JSONValue] = [
            "iss": "i", "jti": "j", "exp": .integer(now.seconds + 120),
            "iat": .integer(now.seconds),
        ]
        let token = try JWTVerifier(
            policy: ClaimsPolicy(issuer: .any, audience: .any),
            signature: .required(key: key, algorithms: [.hs256])
        ).verify(
            JWTIssuer(key: key, algorithm: .hs256).issue(JSONValue.object(claims)),
            at: now)
        do throws(JOSEError) {
            try await fixture.store.markUsed(token, purpose: "p", audience: "a", at: now)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .unavailable && error.code.name == "unavailable", "\(error)")
        }
    }

    @Test("an unsolicited reply closes the connection, and answers no later claim")
    func unasked() async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        // Until its count is answered, an early reply would be taken for it.
        #expect(await eventually { server.seen.last?[0] == "EXPIRE" })
        try await Task.sleep(for: .milliseconds(200))
        server.response { $0[0] == "SET" ? .text("$-1\r\n") : nil }
        server.blurt("+OK\r\n")
        #expect(await eventually { fixture.log.count(.lost) == 1 })
        #expect(fixture.log.failures.contains(.broken))
        #expect(await fixture.markUsed(use("2")) != nil)
    }

    @Test(
        "a slow server is rejected within the limit", arguments: ["INFO", "GET", "SET", "any"])
    func slow(_ command: String) async throws {
        let server = try FakeRedis { $0[0] == command || command == "any" ? .deaf : nil }
        let fixture = try Fixture(server.port, limit: .milliseconds(200))
        let begun = ContinuousClock.now
        let failures = await withTaskGroup(of: ReplayStoreError?.self) { group in
            for token in 0..<64 { group.addTask { await fixture.markUsed(use("\(token)")) } }
            return await group.reduce(into: [ReplayStoreError?]()) { $0.append($1) }
        }
        #expect(begun.duration(to: .now) < ample)
        #expect(failures.allSatisfy { $0 == .unavailable })
        #expect(fixture.log.failures.contains(.timeLimit))
        server.response(nil)
        #expect(await fixture.recovers("awake"))
    }

    @Test("a late reply is discarded, and the connection stays usable") func late()
        async throws
    {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port, limit: .milliseconds(1_500)) { $0.quota = nil }
        #expect(await fixture.markUsed(use("0")) == nil)
        server.response { _ in .silence }
        #expect(await fixture.markUsed(use("1")) == .unavailable)
        #expect(fixture.log.failures == [.timeLimit])
        // Two replies for the timed-out claim: if the next claim took them, it would have won.
        server.response { $0[0] == "SET" ? .text("$-1\r\n") : nil }
        server.blurt("+OK\r\n$51\r\n\(FakeRedis.run) 1760000000\r\n")
        #expect(await fixture.markUsed(use("2")) == .used)
        server.response(nil)
        #expect(await fixture.markUsed(use("3")) == nil)
        #expect(server.accepted == 1)
    }

    @Test("a connection with overdue replies is closed") func dead() async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port, limit: .milliseconds(300))
        #expect(await fixture.markUsed(use("0")) == nil)
        server.response { _ in .silence }
        #expect(await fixture.markUsed(use("1")) == .unavailable)
        #expect(await eventually { fixture.log.count(.lost) == 1 })
        server.response(nil)
        #expect(await fixture.recovers("again"))
        #expect(server.accepted >= 2)
    }

    @Test("closing rejects waiting and later claims", arguments: ["INFO", "SET"])
    func closing(_ command: String) async throws {
        let server = try FakeRedis { $0[0] == command ? .silence : nil }
        let fixture = try Fixture(server.port)
        let begun = ContinuousClock.now
        let failures = await withTaskGroup(of: ReplayStoreError?.self) { group in
            for token in 0..<64 { group.addTask { await fixture.markUsed(use("\(token)")) } }
            group.addTask {
                _ = await eventually { server.seen.contains { $0[0] == command } }
                fixture.store.close()
                return .unavailable
            }
            return await group.reduce(into: [ReplayStoreError?]()) { $0.append($1) }
        }
        #expect(failures.count == 65 && failures.allSatisfy { $0 == .unavailable })
        #expect(begun.duration(to: .now) < ample, "nobody waited for the limit")
        #expect(await fixture.markUsed(use("after")) == .unavailable)
        #expect(await fixture.connect() == .closed)
        fixture.store.close()
        #expect(await eventually { server.accepted == 1 })
    }

    @Test("an unreachable server rejects at once, and attempts become rare")
    func absent() async throws {
        let fixture = try Fixture(try freePort()) { $0.maxRetryDelay = .seconds(60) }
        for token in 0..<200 { #expect(await fixture.markUsed(use("\(token)")) == .unavailable) }
        #expect(Set(fixture.log.failures) == [.unreachable, .backingOff])
        let waits = fixture.log.all.compactMap(\.retryAfter)
        #expect(!waits.isEmpty && waits.count < 20)
        for (round, wait) in waits.enumerated() {
            let longest = Duration.milliseconds(100) * (1 << round)
            #expect(wait <= longest && wait >= longest / 2)
        }
        let nowhere = try Fixture(RedisServer(socketPath: "/nonexistent/socket"))
        #expect(await nowhere.connect() == .unreachable)
        let name = try Fixture(RedisServer(host: "no-such-host.invalid"), limit: .seconds(2))
        let failure = await name.connect()
        #expect(failure == .unreachable || failure == .timeLimit)
    }

    @Test("the store reports its maximum lifetime, and the timeout has limits")
    func settings() throws {
        var settings = RedisReplaySettings()
        #expect(settings.timeLimit == .seconds(1))
        settings.timeLimit = .seconds(31)
        #expect(settings.timeLimit == .seconds(30))
        settings.timeLimit = .zero
        #expect(settings.timeLimit == .milliseconds(10))
        settings.maxLifetime = .seconds(4_000)
        let store = try RedisReplayStore(
            server: RedisServer(host: "127.0.0.1", port: 1), settings: settings)
        #expect(store.maxLifetime == .seconds(4_000))
        let usual: any ReplayStore = try RedisReplayStore(
            server: RedisServer(host: "127.0.0.1", port: 1))
        #expect(usual.maxLifetime == .seconds(901))
    }

    @Test("impossible settings are misuse, and no description shows a password")
    func misuse() throws {
        let bad: [(host: String, port: Int, user: String?, database: Int)] = [
            ("", 1, nil, 0), ("a\u{0}b", 1, nil, 0), ("a", 0, nil, 0), ("a", 65_536, nil, 0),
            ("a", 1, "user", 0), ("a", 1, nil, -1), (String(repeating: "a", count: 256), 1, nil, 0),
        ]
        for (host, port, user, database) in bad {
            #expect(throws: JOSEError.self) {
                _ = try RedisServer(host: host, port: port, user: user, database: database)
            }
        }
        #expect(throws: JOSEError.self) {
            _ = try RedisServer(socketPath: String(repeating: "a", count: 101))
        }
        let server = try RedisServer(host: "a", user: "me", password: "hush")
        for prefix in ["", "a b", "a\r\n", "é", String(repeating: "a", count: 65)] {
            var settings = RedisReplaySettings()
            settings.prefix = prefix
            #expect(throws: JOSEError.self) {
                _ = try RedisReplayStore(server: server, settings: settings)
            }
        }
        var text = ""
        dump(server, to: &text)
        for text in [text, "\(server)", String(reflecting: server)] {
            #expect(!text.contains("hush") && text.contains("a:6379/0"))
        }
    }
}
