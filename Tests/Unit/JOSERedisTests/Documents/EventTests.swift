// The Events article: its entries for replay stores match the code.

import Foundation
import JOSE
import Testing

@testable import JOSERedis

@Suite("Documented events of replay stores")
struct EventTests {
    private static let page = URL(filePath: #filePath)
        .appending(path: "../../../../../Sources/JOSE/JOSE.docc/Events.md").standardizedFileURL

    @Test("the table has exactly the kinds of events, with level and values") func table() throws {
        let rows = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `jose.replay.") }
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
                }
            }
        let code = RedisReplayEvent.Kind.all.map(\.descriptor)
        #expect(rows.map { $0[0] } == code.map(\.name))
        #expect(rows.map { $0[1] } == code.map(\.level.rawValue))
        var whole = RedisReplayEvent(.rejected, server: "s")
        whole.failure = .used
        whole.duration = .milliseconds(5)
        whole.retryAfter = .seconds(1)
        whole.serverVersion = "7.0.15"
        whole.epoch = start
        let names = Set(whole.values.map(\.name))
        #expect(Set(rows.flatMap { $0[3].components(separatedBy: ", ") }) == names)
        #expect(
            whole.description
                == "jose.replay.rejected server=s failure=used duration=0.005s retry-after=1.0s "
                + "version=7.0.15 epoch=\(start.seconds)"
        )
    }

    @Test("each event of a store has the values of its entry") func played() async throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let server = try FakeRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        #expect(
            await fixture.markUsed(use("2", issuedAt: start.advanced(by: .seconds(-1))))
                == .issuedBeforeStore)
        #expect(!fixture.log.all.isEmpty)
        for event in fixture.log.all {
            let row = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("| `\(event.name)`") })
            for value in event.values { #expect(row.contains("`\(value.name)`"), "\(event)") }
        }
    }

    @Test("a token from before a fresh store is distinguished from one that was used")
    func fresh() async throws {
        let server = try FakeRedis()
        let fixture = try Fixture(server.port)
        let old = use("old", issuedAt: start)
        #expect(await fixture.markUsed(old) == .issuedBeforeStore)
        #expect(
            JOSEError(ReplayStoreError.issuedBeforeStore).description
                == "replayed at claims: the token was issued before the replay store began to keep "
                + "entries: it may have been used"
        )
    }
}
