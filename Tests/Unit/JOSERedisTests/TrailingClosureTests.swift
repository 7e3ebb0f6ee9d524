// A trailing closure is the event observer, never a clock.

import JOSE
import JOSERedis
import Synchronization
import Testing

@Suite("Redis store: trailing closure")
struct TrailingClosureTests {
    @Test("the closure receives the event of an unreachable server") func observer() async throws {
        let heard = Mutex(0)
        let server = try RedisServer(socketPath: "/nonexistent/redis.sock")
        let store = try RedisReplayStore(server: server) { _ in heard.withLock { $0 += 1 } }
        await #expect(throws: RedisError.self) { try await store.connect() }
        store.close()
        #expect(heard.withLock { $0 } > 0)
    }
}
