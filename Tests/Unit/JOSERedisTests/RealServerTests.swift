// The store with a real server: one winner, expiry, rejections at connect, quotas, access control.

import JOSE
import JOSERedis
import Testing

@Suite("Redis store, real server", .serialized)
struct RealServerTests {
    @Test("a name works once on all servers, and each part makes another name") func names()
        async throws
    {
        let server = try TestRedis()
        let machines = try [Fixture(server.port), Fixture(server.port)]
        let uses = [
            use("1"), use("2"), use("1", purpose: "q"), use("1", issuer: "j"),
            use("1", audience: "b"), use("11", audience: ""), use("é\u{0}\r\n"), use("e\u{301}"),
        ]
        for use in uses { #expect(await machines[0].markUsed(use) == nil) }
        for machine in machines {
            for use in uses { #expect(await machine.markUsed(use) == .used) }
        }
        let other = try Fixture(server.port) { $0.prefix = "other" }
        #expect(await other.markUsed(uses[0]) == nil, "another prefix is another store")
        let database = try Fixture(RedisServer(host: "localhost", port: server.port, database: 3))
        #expect(await database.markUsed(uses[0]) == nil, "another database is another store")
        #expect(try server.tell("-n", "3", "dbsize") == "3", "the entry, the epoch, the counter")
        let local = try Fixture(RedisServer(socketPath: server.socketPath))
        #expect(await local.markUsed(uses[0]) == .used, "the same server by its socket")
        #expect(machines[0].log.all.map(\.kind).prefix(2) == [.connected, .newEpoch])
        #expect(machines[1].log.all.first?.kind == .connected)
        #expect(machines[1].log.count(.newEpoch) == 0)
        #expect(machines[1].log.all.first?.epoch == start)
    }

    @Test("catalogue 107: of 64 callers on four servers exactly one wins", arguments: [300])
    func oneWins(_ rounds: Int) async throws {
        let server = try TestRedis()
        let machines = try (0..<4).map { _ in try Fixture(server.port, limit: ample) }
        for round in 0..<rounds {
            let use = use("r\(round)")
            let outcomes = await withTaskGroup(of: ReplayStoreError?.self) { group in
                for caller in 0..<64 {
                    group.addTask { await machines[caller % 4].markUsed(use) }
                }
                return await group.reduce(into: [ReplayStoreError?]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.count { $0 == .used } == 63)
        }
        #expect(machines.allSatisfy { $0.log.count(.connected) == 1 }, "one connection each")
    }

    @Test("many claims share a connection, and a single claim takes one round trip")
    func pipelining() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port, limit: ample)
        let won = await withTaskGroup(of: Bool.self) { group in
            for token in 0..<5_000 {
                group.addTask { await fixture.markUsed(use("t\(token)")) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 5_000)
        #expect(fixture.log.count(.connected) == 1)
    }

    @Test("an entry lives until it expires and no longer") func expiry() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port) { $0.clockTolerance = .zero }
        let end = later.advanced(by: .milliseconds(400))
        #expect(await fixture.markUsed(use("short", expires: end)) == nil)
        #expect(await fixture.markUsed(use("long")) == nil)
        #expect(await fixture.markUsed(use("short", expires: end), at: end) == .used, "expired")
        // The name is free once the server removes it, and not much earlier.
        let begun = ContinuousClock.now
        while await fixture.markUsed(use("short")) == .used {
            try await Task.sleep(for: .milliseconds(10))
            #expect(begun.duration(to: .now) < ample)
        }
        #expect(await fixture.markUsed(use("long")) == .used)
        let names = try server.tell("keys", "jose:use:*").split(separator: "\n")
        for name in names {
            let left = try #require(Int(try server.tell("pttl", String(name))))
            #expect(1...120_001 ~= left)
        }
    }

    @Test("clocks may differ: entries stay longer by the tolerance") func tolerance() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        let name = try server.tell("keys", "jose:use:*")
        #expect(name.count == "jose:use:".count + 64)
        let left = try #require(Int(try server.tell("pttl", name)))
        #expect(120_000...180_001 ~= left)
    }

    @Test("a token that lives longer than allowed is rejected") func lifetime() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        let end = later.advanced(by: .seconds(901))
        #expect(await fixture.markUsed(use("1", expires: end)) == nil)
        let longer = use("2", expires: end.advanced(by: .milliseconds(1)))
        #expect(await fixture.markUsed(longer) == .lifetimeTooLong)
        #expect(fixture.log.failures == [.lifetime])
        #expect(await fixture.markUsed(use("3", expires: .latest)) == .lifetimeTooLong)
    }

    @Test(
        "a server that evicts is rejected at connect",
        arguments: [
            "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
            "volatile-random", "volatile-ttl",
        ])
    func eviction(_ policy: String) async throws {
        let server = try TestRedis("--maxmemory-policy", policy)
        let fixture = try Fixture(server.port)
        #expect(await fixture.connect() == .evicts)
        #expect(await fixture.markUsed(use("1")) == .unavailable)
        #expect(try server.tell("dbsize") == "0")
        try server.tell("config", "set", "maxmemory-policy", "noeviction")
        #expect(await fixture.recovers("after"))
    }

    @Test("a replica and a cluster member are rejected at connect") func roles() async throws {
        let replica = try TestRedis("--replicaof", "127.0.0.1 1")
        #expect(try await Fixture(replica.port).connect() == .notPrimary)
        let member = try TestRedis("--cluster-enabled", "yes")
        #expect(try await Fixture(member.port).connect() == .cluster)
    }

    @Test("a server out of memory rejects claims, and accepts again when it has some") func memory()
        async throws
    {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        try server.tell("config", "set", "maxmemory", "1")
        for token in 2..<40 { #expect(await fixture.markUsed(use("\(token)")) == .full) }
        #expect(fixture.log.failures.allSatisfy { $0 == .full })
        #expect(try await Fixture(server.port) { $0.prefix = "new" }.connect() == .full)
        try server.tell("config", "set", "maxmemory", "0")
        #expect(await fixture.markUsed(use("2")) == nil, "nothing was stored")
        #expect(await fixture.markUsed(use("1")) == .used)
        #expect(fixture.log.count(.connected) == 1)
    }

    @Test("a server that stops accepting writes rejects claims") func readOnly() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        try server.tell("config", "set", "min-replicas-to-write", "1")
        #expect(await fixture.markUsed(use("2")) == .unavailable)
        #expect(fixture.log.failures.contains { $0.description == "server: NOREPLICAS" })
        try server.tell("config", "set", "min-replicas-to-write", "0")
        #expect(await fixture.recovers("writes"))
        try server.tell("replicaof", "127.0.0.1", "1")
        #expect(await fixture.markUsed(use("3")) == .unavailable)
        #expect(await fixture.markUsed(use("1")) != nil)
        try server.tell("replicaof", "no", "one")
        #expect(await fixture.recovers("primary"))
    }

    @Test("the user and password are required") func access() async throws {
        let server = try TestRedis(password: "pass:word")
        for password in [nil, "wrong", "pass:word\r\n", ""] as [String?] {
            let fixture = try Fixture(server.port, password: password)
            #expect(await fixture.connect() == .denied)
            #expect(await fixture.markUsed(use("1")) == .unavailable)
        }
        let fixture = try Fixture(server.port, password: "pass:word")
        #expect(await fixture.markUsed(use("1")) == nil)

        // The minimum that the page about one-time tokens lists.
        let rules = "on >secret ~jose:* +auth +select +info +get +set +incr +expire"
        let words = rules.split(separator: " ").map(String.init)
        try server.tell(["-a", "pass:word", "acl", "setuser", "op"] + words)
        func user(_ name: String, _ password: String, _ prefix: String = "jose") throws -> Fixture {
            let login = try RedisServer(
                host: "127.0.0.1", port: server.port, user: name, password: password)
            return try Fixture(login) { $0.prefix = prefix }
        }
        #expect(try await user("op", "secret").markUsed(use("2")) == nil)
        #expect(try await user("op", "secret").markUsed(use("1")) == .used)
        #expect(try await user("op", "wrong").connect() == .denied)
        #expect(try await user("nobody", "secret").connect() == .denied)
        #expect(try await user("op", "secret", "other").connect() == .denied)
        let open = try TestRedis()
        #expect(try await Fixture(open.port, password: "useless").connect() == .denied)
        let far = try Fixture(RedisServer(host: "127.0.0.1", port: open.port, database: 16))
        #expect(await far.connect()?.description == "server: ERR")
    }

    @Test("an issuer's quota counts accepted claims of all servers, and blocks no other issuer")
    func quota() async throws {
        let server = try TestRedis()
        let machines = try (0..<2).map { _ in try Fixture(server.port) { $0.quota = 6 } }
        for token in 0..<6 {
            #expect(await machines[token % 2].markUsed(use("\(token)")) == nil)
            // Replays do not count for the issuer's quota.
            for _ in 0..<3 { #expect(await machines[0].markUsed(use("\(token)")) != nil) }
        }
        // The machine that claimed the sixth knows at its next claim, the other after at most one
        // more.
        #expect(await eventually { (try? server.tell("keys", "jose:quota:*").isEmpty) == false })
        var accepted = 0
        for token in 6..<40 where await machines[token % 2].markUsed(use("\(token)")) == nil {
            accepted += 1
        }
        #expect(accepted <= 2, "the quota, and what was under way")
        for machine in machines {
            #expect(await machine.markUsed(use("x")) == .quotaExceeded)
            #expect(await machine.markUsed(use("x", issuer: "j\(machine.log.all.count)")) == nil)
        }
        // The next window.
        let next = later.advanced(by: .seconds(600))
        let fresh = use("y", issuedAt: next, expires: next.advanced(by: .seconds(60)))
        #expect(await machines[0].markUsed(fresh, at: next) == nil)
    }
}
