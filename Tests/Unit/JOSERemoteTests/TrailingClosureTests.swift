// A trailing closure is the event observer, never a clock.

import JOSE
import JOSERemote
import Testing

@Suite("Remote key set: trailing closure")
struct TrailingClosureTests {
    @Test("the closure receives events, and the clock is the system's")
    func observer() async throws {
        let log = EventLog()
        let remote = try RemoteJWKSet(url: "https://op.example/", transport: FakeTransport("a")) {
            log.note($0)
        }
        #expect(try await remote.keys(keyID: "a").count == 1)
        #expect(log.all.map(\.kind) == [.started, .replaced])
    }
}
