// The Events article: its table matches the code, its recipes run.

import Foundation
import JOSE
import Testing

@testable import JOSERemote

@Suite("Documented events of remote key sets", .serialized)
struct EventTests {
    private static let page = URL(filePath: #filePath)
        .appending(path: "../../../../../Sources/JOSE/JOSE.docc/Events.md").standardizedFileURL

    /// Name, level and value names of the table's entries with this prefix.
    static func rows(_ beginning: String) throws -> [(
        name: String, level: String, values: [String]
    )] {
        try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `\(beginning)") }.map { line in
                let cells = line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                return (
                    cells[0].replacing("`", with: ""), cells[1],
                    cells[3].replacing("`", with: "").split(separator: ", ").map(String.init)
                )
            }
    }

    @Test("the table has exactly the kinds of events, with their level") func table() throws {
        let rows = try Self.rows("jose.keyset.")
        let code = RemoteJWKSetEvent.Kind.all.map(\.descriptor)
        #expect(rows.map(\.name) == code.map(\.name))
        #expect(rows.map(\.level) == code.map(\.level.rawValue))
        var whole = RemoteJWKSetEvent(.failed, url: "u")
        whole.cause = "c"
        whole.failure = "f"
        whole.status = 500
        whole.duration = .milliseconds(250)
        whole.keyCount = 2
        whole.skippedCount = 1
        whole.isServing = true
        #expect(rows.first { $0.name == whole.name }?.values == whole.values.map(\.name))
        #expect(
            whole.description
                == "jose.keyset.failed url=u cause=c failure=f status=500 duration=0.25s keys=2 "
                + "skipped=1 serving=true"
        )
    }

    @Test(
        "each event has the values of its entry, and an outage reports whether a stale set serves")
    func played() async throws {
        let rows = try Self.rows("jose.keyset.")
        let (clock, log) = (TestClock(), EventLog())
        let transport = FakeTransport("a")
        let remote = try RemoteJWKSet(
            url: "https://op.example/jwks", transport: transport, observe: { log.note($0) },
            clock: { clock.now })
        _ = try await remote.keys(keyID: "a")
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        transport.reply(.success(JWKSetResponse(status: 500)))
        clock.advance(301)
        _ = try await remote.keys(keyID: "a")
        await #expect(throws: JOSEError.self) { _ = try await remote.keys(keyID: "b") }
        clock.advance(5_000)
        await #expect(throws: JOSEError.self) { _ = try await remote.keys(keyID: "a") }
        #expect(Set(log.all.map(\.kind)) == Set(RemoteJWKSetEvent.Kind.all))
        for event in log.all {
            let row = try #require(rows.first { $0.name == event.name })
            let known = row.values.filter { $0 != "skipped-keys" || !event.skipped.isEmpty }
            #expect(event.values.map(\.name) == known, "\(event)")
            #expect(event.level.rawValue == row.level)
        }
        let outages = log.all.filter { $0.kind == .failed }
        #expect(outages.map(\.isServing) == [true, false])
    }

    @Test("each printed recipe is the compiled one") func same() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try ["EventRecipes.swift", "Events.swift"].map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }.joined()
        let blocks = try String(contentsOf: Self.page, encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(blocks.count == 4)
        for block in blocks { #expect(source.contains(block), "\(block)") }
    }

    @Test("the recipes report events to a log, counters, timers and spans") func run()
        async throws
    {
        _ = Told.take()
        let logged = logs(Logger())
        let log = EventLog()
        let remote = try observed(
            by: { event in
                log.note(event)
                logged(event)
                metrics(event)
                traces(event)
            }, FakeTransport("a"))
        _ = try await remote.keys(keyID: "a")
        KeyAcceleration.observe(nil)
        let told = Told.take()
        #expect(told.contains("debug jose.keyset.started cause=first url=https://idp.example/jwks"))
        #expect(
            told.contains("count jose.keyset.started url=https://idp.example/jwks cause=first 1"))
        #expect(
            told.contains(
                "count jose.keyset.replaced url=https://idp.example/jwks cause=first serving=true 1"
            ))
        #expect(told.contains { $0.hasPrefix("time jose.keyset.replaced.duration ") })
        let span = told.first { $0.hasPrefix("span jose.keyset.replaced ") } ?? ""
        for part in [
            "cause=string(\"first\")", "status=int64(200)", "serving=bool(true)",
            "duration=double(",
        ] {
            #expect(span.contains(part), "\(span)")
        }
        #expect(told.count == 7)
        for level in JOSEEventLevel.allCases {
            #expect(Logger.Level(rawValue: level.rawValue) != nil)
        }
    }
}
