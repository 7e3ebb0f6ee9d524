// Events of a remote set about skipped entries and floods, which come before their effect.

import JOSE
import JOSEBytes
import Testing

@testable import JOSERemote

@Suite("Remote key set events: skipped entries, floods, order")
struct SkippedKeyEventTests {
    private let clock = TestClock()
    private let log = EventLog()

    private func remote(_ transport: FakeTransport) throws -> RemoteJWKSet {
        try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport,
            observe: { [log] in log.note($0) },
            clock: { [clock] in clock.now })
    }

    private func response(_ entries: [String], mark: Bool = false) -> FakeTransport.Reply {
        let text = (mark ? "\u{feff}" : "") + "{\"keys\":[\(entries.joined(separator: ","))]}"
        return .success(JWKSetResponse(status: 200, body: Array(text.utf8)))
    }

    private func good(_ keyID: String) throws -> String {
        try JWK.generate(.curve(.p256), keyID: keyID).publicJSON()
    }

    @Test("a set with broken entries serves its good keys, and one event lists the skipped ones")
    func skipped() async throws {
        let key = try good("a")
        let transport = FakeTransport(
            response(["null", key, #"{"kty":"RSA","kid":"z","e":"AQAB"}"#]))
        let remote = try remote(transport)
        #expect(try await remote.keys(keyID: "a").keys().map(\.keyID) == ["a"])
        let event = try #require(log.all.last)
        #expect(event.kind == .replaced && event.keyCount == 3 && event.skippedCount == 2)
        #expect(event.skipped.map(\.index) == [0, 2])
        #expect(event.skipped.map(\.keyID) == [nil, "z"])
        #expect(event.skipped.map(\.member) == [nil, "n"])
        let text = event.description
        #expect(text.contains("key 3, kid 'z', member n: n is missing from an RSA key"), "\(text)")
        // The same document again is not a changed set.
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        #expect(log.all.last?.kind == .unchanged && log.all.last?.skipped == [])
        #expect(log.all.last?.skippedCount == 2)
        #expect(log.count(.replaced) == 1)
        // Nor is it with a byte order mark.
        transport.reply(
            response(["null", key, #"{"kty":"RSA","kid":"z","e":"AQAB"}"#], mark: true))
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        #expect(log.all.last?.kind == .unchanged)
        // Another set has its own event.
        transport.reply(response([key]))
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        #expect(log.all.last?.kind == .replaced && log.all.last?.skipped == [])
    }

    @Test("of many skipped entries the first 16 are listed, and all are counted")
    func many() async throws {
        let entries = try (0..<100).map { "{\"kid\":\"\($0)\"}" } + [good("a")]
        let remote = try remote(FakeTransport(response(entries)))
        _ = try await remote.keys(keyID: "a")
        let event = try #require(log.all.last)
        #expect(event.skippedCount == 100 && event.skipped.map(\.index) == Array(0..<16))
        #expect(event.description.utf8.count < 16 * 256)
    }

    @Test("a provider's kid is escaped and limited in the event") func hostile() async throws {
        let wild = "\\u001b[31m\\u202e\\n" + String(repeating: "x", count: 1_000)
        let remote = try remote(FakeTransport(response(["{\"kid\":\"\(wild)\"}", good("a")])))
        _ = try await remote.keys(keyID: "a")
        let text = try #require(log.all.last).description
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e })
        #expect(text.utf8.count < 600)
    }

    @Test("a flood of unknown kids is one warning per interval, with the number of callers")
    func flood() async throws {
        let transport = FakeTransport(response([try good("a")]))
        let remote = try remote(transport)
        _ = try await remote.keys(keyID: "a")
        transport.reply(.failure(.unreachable))
        clock.advance(11)
        for index in 0..<1_000 {
            await #expect(throws: JOSEError.self) { _ = try await remote.keys(keyID: "x\(index)") }
        }
        #expect(log.count(.unknownKeyID) == 1 && log.count(.rejected) == 0)
        let first = try #require(log.all.last { $0.kind == .unknownKeyID })
        #expect(first.level == .warning && first.count == 1)
        clock.advance(300)
        for _ in 0..<10 {
            await #expect(throws: JOSEError.self) { _ = try await remote.keys(keyID: "y") }
        }
        let counts = log.all.filter { $0.kind == .unknownKeyID }.map(\.count)
        #expect(counts == [1, 1_000])
        #expect(log.all.allSatisfy { $0.level != .error })
    }

    @Test("an outage is one error every ten seconds, with the number of callers")
    func outage() async throws {
        let remote = try remote(FakeTransport(.failure(.unreachable)))
        for step in 0..<30 {
            await #expect(throws: JOSEError.self, "\(step)") {
                _ = try await remote.keys(keyID: "a")
            }
            clock.advance(1)
        }
        let counts = log.all.filter { $0.kind == .rejected }.map(\.count)
        #expect(counts == [1, 10, 10] && log.count(.unknownKeyID) == 0)
    }

    /// Callers during the observer's call.
    private final class Watch: Sendable {
        let remote = Lock<RemoteJWKSet?>(nil)
        let isNoted = Lock(false)
        let early = Lock<[Task<Bool, any Error>]>([])

        /// Whether the event was recorded when the keys came.
        func ask() -> Task<Bool, any Error> {
            Task { [self] in
                _ = try await remote.withLock { $0 }?.keys(keyID: "a")
                return isNoted.withLock { $0 }
            }
        }

        func note() {
            early.withLock { $0 += (0..<8).map { _ in ask() } }
            for _ in 0..<200_000 { _ = isNoted.withLock { $0 } }
            isNoted.withLock { $0 = true }
        }
    }

    @Test("no caller gets the new set before its event, even while it is reported")
    func order() async throws {
        let transport = FakeTransport(response([try good("a")]))
        let watch = Watch()
        let remote = try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport,
            observe: { event in
                if (event as? RemoteJWKSetEvent)?.kind == .replaced { watch.note() }
            }, clock: { [clock] in clock.now })
        watch.remote.withLock { $0 = remote }
        #expect(try await watch.ask().value)
        for task in watch.early.withLock({ $0 }) { #expect(try await task.value) }
        watch.remote.withLock { $0 = nil }
    }
}
