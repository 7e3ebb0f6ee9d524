// With leeway a token may be used before it was issued. After a data loss this must count too (RFC
// 7519 4.1.6).

import JOSE
import JOSEBytes
import Synchronization
import Testing

@testable import JOSERedis

/// Script of a server that keeps entries as Redis does, until it restarts without them.
private final class Forgetful: Sendable {
    private struct State {
        var run = 0
        var epoch: String?
        var used: Set<String> = []
    }
    private let state = Lock(State())

    /// Another run, without any entry.
    func restart() { state.withLock { $0 = State(run: $0.run + 1) } }

    func response(_ words: [String]) -> FakeRedis.Response? {
        state.withLock { state in
            switch words {
            case _ where words[0] == "INFO":
                let run = String(repeating: state.run % 2 == 0 ? "a1" : "b2", count: 20)
                let info = FakeRedis.info.replacing(FakeRedis.run, with: run)
                return .text("$\(info.utf8.count)\r\n\(info)\r\n")
            case _ where words[0] == "GET":
                guard let epoch = state.epoch else { return .text("$-1\r\n") }
                return .text("$\(epoch.utf8.count)\r\n\(epoch)\r\n")
            case _ where words[0] == "SET" && words[1].hasSuffix(":epoch"):
                state.epoch = words[2]
                return .text("+OK\r\n")
            case _ where words[0] == "SET":
                return state.used.insert(words[1]).inserted ? .text("+OK\r\n") : .text("$-1\r\n")
            default: return nil
            }
        }
    }
}

@Suite("Redis store: tokens from the future", .serialized)
struct LeewayTests {
    private let secret: JWK

    init() throws { secret = try JWK(symmetricKey: [UInt8](repeating: 7, count: 32)) }

    private func verifier(_ leeway: Int) throws -> JWTVerifier {
        var policy = ClaimsPolicy(issuer: .exactly("i"), audience: .any)
        policy.leewaySeconds = leeway
        return try JWTVerifier(
            policy: policy, signature: .required(key: secret, algorithms: [.hs256]))
    }

    private func token(_ name: String, issued: NumericDate, life: Int64) throws -> String {
        let claims =
            #"{"iss":"i","jti":"\#(name)","iat":\#(issued.seconds),"#
            + #""exp":\#(issued.seconds + life)}"#
        return try JWSSigner(key: secret, algorithm: .hs256).sign(Array(claims.utf8))
    }

    private func verdict(
        _ token: String, _ leeway: Int, _ machine: Fixture, at now: NumericDate
    ) async throws -> String {
        let verified = try verifier(leeway).verify(token, at: now)
        do throws(JOSEError) {
            try await machine.store.markUsed(verified, purpose: "p", audience: "a", at: now)
            return "accepted"
        } catch {
            return error.code.name
        }
    }

    @Test(
        "a token accepted before a loss is rejected after it, however far ahead it was issued",
        arguments: [(0, 0), (60, 60), (60, 59), (300, 61), (300, 180), (300, 299), (300, 300)])
    func loss(_ leeway: Int, _ ahead: Int64) async throws {
        let script = Forgetful()
        let server = try FakeRedis { script.response($0) }
        let token = try token("t", issued: later.advanced(by: .seconds(ahead)), life: 100)
        let before = try Fixture(server.port)
        #expect(try await verdict(token, leeway, before, at: later) == "accepted")
        #expect(try await verdict(token, leeway, before, at: later) == "replayed")
        script.restart()
        let loss = later.advanced(by: .seconds(1))
        let after = try Fixture(server.port, epoch: loss)
        let end = ahead + 100 + Int64(leeway)
        for second in Set([1, 2, 59, 61, 62, 120, ahead, ahead + 99, end - 1]).sorted()
        where second >= 1 && second < end {
            let now = later.advanced(by: .seconds(second))
            #expect(try await verdict(token, leeway, after, at: now) == "replayed", "\(second)")
        }
        #expect(after.log.failures.allSatisfy { $0 == .beforeEpoch })
        // A token that can only have come since is accepted once.
        let safe = loss.advanced(by: .seconds(Int64(leeway) + 60))
        let early = try self.token("early", issued: safe, life: 100)
        #expect(try await verdict(early, leeway, after, at: safe) == "replayed")
        let now = safe.advanced(by: .seconds(1))
        let fresh = try self.token("fresh", issued: now, life: 100)
        #expect(try await verdict(fresh, leeway, after, at: now) == "accepted")
        #expect(try await verdict(fresh, leeway, after, at: now) == "replayed")
    }

    @Test(
        "a token accepted before a loss is rejected by all other verifiers, whatever their leeway",
        arguments: [0, 59, 60, 300], [0, 60, 120, 300])
    func shared(_ first: Int, _ second: Int) async throws {
        for ahead in Set([0, 1, 60, 121, 180, 250, 299, 300].filter { $0 <= first }) {
            let script = Forgetful()
            let server = try FakeRedis { script.response($0) }
            let token = try token(
                "t", issued: later.advanced(by: .seconds(Int64(ahead))), life: 100)
            // The default leeway.
            let longest = RedisReplaySettings().maxLeeway
            let before = try Fixture(server.port) { $0.maxLeeway = longest }
            #expect(try await verdict(token, first, before, at: later) == "accepted")
            script.restart()
            let loss = later.advanced(by: .seconds(1))
            let after = try Fixture(server.port, epoch: loss) { $0.maxLeeway = longest }
            for wait in [1, 2, 60, 122, 200, ahead, ahead + 99] where wait >= max(1, ahead - second)
            {
                let now = later.advanced(by: .seconds(Int64(wait)))
                guard wait < ahead + 100 + second else { continue }
                #expect(
                    try await verdict(token, second, after, at: now) == "replayed",
                    "\(ahead) ahead, after \(wait)")
            }
        }
    }

    @Test("a use without a known leeway is rejected as long as any leeway could explain it")
    func untold() async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port)
        for (ahead, wanted) in [(61, .issuedBeforeStore), (360, .issuedBeforeStore), (361, nil)]
            as [(Int64, ReplayStoreError?)]
        {
            let issued = start.advanced(by: .seconds(ahead))
            let use = ReplayEntry(
                purpose: "p", issuer: "i", audience: "a", tokenID: "\(ahead)", issuedAt: issued,
                expires: issued.advanced(by: .seconds(100)))
            #expect(await fixture.markUsed(use, at: issued) == wanted)
        }
    }

    @Test(
        "any leeway works, and after a loss the longest one rejects every token",
        arguments: [
            Duration.seconds(301), .seconds(3_600), .seconds(253_402_300_799),
            Duration(secondsComponent: .max, attosecondsComponent: 0) * 10,
            // The longest and the shortest possible values.
            Duration(attoseconds: .max), Duration(attoseconds: .min),
        ])
    func anyLength(_ leeway: Duration) async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port) { $0.clockTolerance = .seconds(300) }
        let first = start.advanced(by: max(leeway, .zero)).advanced(by: .seconds(300))
        for (issued, wanted) in [
            (start, .issuedBeforeStore), (first, .issuedBeforeStore),
            (first.advanced(by: .seconds(1)), nil),
        ] as [(NumericDate, ReplayStoreError?)] where issued < .latest || wanted != nil {
            let now = min(issued, NumericDate.latest.advanced(by: .seconds(-100)))
            let use = use(
                "\(issued)", issuedAt: issued, leeway: leeway,
                expires: now.advanced(by: .seconds(100)))
            #expect(await fixture.markUsed(use, at: now) == wanted, "\(issued)")
        }
    }

    @Test("a token accepted before the loss is not covered after it, for all clocks and leeways")
    func rule() throws {
        let run = String(repeating: "a1", count: 20)
        func at(_ seconds: Int64) -> NumericDate { start.advanced(by: .seconds(seconds)) }
        var covered = 0
        let shared = [0, 60, 300] as [Int64]
        for (tolerance, longest) in shared.flatMap({ a in shared.map { (a, $0) } }) {
            var settings = RedisReplaySettings()
            settings.clockTolerance = .seconds(tolerance)
            settings.maxLeeway = .seconds(longest)
            // The server that sets the epoch sees the loss at 0.
            let epoch = Epoch(run: run, since: at(0))
            for leeway in [-5, 0, 1, 60, 300] as [Int64] {
                for issued in (-70...70).map({ Int64($0) * 10 }) {
                    let use = ReplayEntry(
                        purpose: "p", issuer: "i", audience: "a", tokenID: "t",
                        issuedAt: at(issued), leeway: .seconds(leeway),
                        expires: at(issued + 100))
                    // Another server's clock may be ahead by the tolerance just before the loss.
                    let mayHaveBeenUsed = issued <= tolerance + max(leeway, longest)
                    #expect(epoch.covers(use, settings) == !mayHaveBeenUsed)
                    covered += mayHaveBeenUsed ? 0 : 1
                }
            }
        }
        #expect(covered > 100)
    }

    @Test("tokens of our own servers are covered by clock tolerance alone, for any leeway")
    func own() {
        let run = String(repeating: "a1", count: 20)
        func at(_ seconds: Int64) -> NumericDate { start.advanced(by: .seconds(seconds)) }
        for (tolerance, longest) in [(0, 0), (0, 300), (60, 0), (60, 300), (300, 86_400)]
            as [(Int64, Int64)]
        {
            var settings = RedisReplaySettings()
            settings.clockTolerance = .seconds(tolerance)
            settings.maxLeeway = .seconds(longest)
            let epoch = Epoch(run: run, since: at(0))
            for life in [1, 60, 900, 5_000] as [Int64] {
                for issued in [-5_000, -1, 0, 1, tolerance - 1, tolerance, tolerance + 1, 5_000] {
                    let use = ReplayEntry(
                        purpose: "code", issuer: "c", audience: "a", tokenID: "t",
                        issuedHere: at(issued), expires: at(issued + life))
                    // Just before the loss the issuing server's clock may have been ahead by the
                    // tolerance.
                    #expect(epoch.covers(use, settings) == (issued > tolerance))
                }
            }
        }
    }

    @Test("the maximum leeway is 300 seconds by default, and a day at most")
    func setting() {
        var settings = RedisReplaySettings()
        #expect(settings.maxLeeway == .seconds(300))
        for (asked, kept) in [(-1, 0), (0, 0), (60, 60), (301, 301), (100_000, 86_400)] {
            settings.maxLeeway = .seconds(asked)
            #expect(settings.maxLeeway == .seconds(kept))
        }
    }

    @Test("issuers over their quota are remembered per window, and forgotten with it")
    func windows() {
        let quota = IssuerQuota(5)
        let over = [RedisReply.integer(5), .integer(1)]
        let window = RedisReplaySettings.quotaWindowSeconds
        let next = start.advanced(by: .seconds(window))
        for issuer in 0..<3_000 {
            #expect(quota.allows("i\(issuer)", at: start))
            #expect(quota.note(over, "i\(issuer)", at: start) == nil)
        }
        #expect((0..<3_000).allSatisfy { !quota.allows("i\($0)", at: start) })
        #expect(quota.allows("other", at: start))
        #expect(quota.allows("i1", at: next))
        #expect(quota.note([.integer(4), .integer(1)], "i2", at: next) == nil)
        #expect(quota.allows("i2", at: next))
        #expect(
            !quota.allows("i1", at: start), "not over in the next window, but still in this one")
        #expect(quota.note(over, "i1", at: next) == nil)
        #expect(!quota.allows("i1", at: next))
        #expect(quota.allows("i2", at: next))
        // Reported late, for a past window, in which the server's count still rejects.
        #expect(quota.note(over, "i3", at: start) == nil)
        #expect(quota.allows("i3", at: next))
    }
}
