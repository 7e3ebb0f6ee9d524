// The example of the page about one-time tokens, word for word, and its behaviour.

import JOSE
import JOSERedis
import Testing

/// The store of all machines, made once. `connect` throws the reason, such as `denied`.
func sharedStore(
    host: String, port: Int = 6_379, password: String,
    settings: RedisReplaySettings = RedisReplaySettings()
) async throws -> RedisReplayStore {
    let store = try RedisReplayStore(
        server: RedisServer(host: host, port: port, password: password), settings: settings,
        observe: { print($0) })
    try await store.connect()  // optional: fails now if the server cannot be used
    return store
}

@Suite("Examples of the Redis store")
struct RedisExampleTests {
    @Test("a store connects with its password, and is rejected with another")
    func connects() async throws {
        let server = try TestRedis(password: "of the test")
        var settings = RedisReplaySettings()
        settings.timeLimit = ample
        _ = try await sharedStore(
            host: "127.0.0.1", port: server.port, password: "of the test", settings: settings)
        await #expect(throws: (any Error).self) {
            _ = try await sharedStore(
                host: "127.0.0.1", port: server.port, password: "another", settings: settings)
        }
    }
}
