import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Benchmark reports")
struct ReportTests {
    private let report: Report = {
        var (old, new) = (Report.Program(), Report.Program())
        let times = (1...8).map { 100 + Double($0) / 10 }
        old.times = ["a|b": times, "orders/read": times, "orders/slow": times, "gone": times]
        new.times = [
            "a|b": times, "orders/read": times, "orders/slow": times.map { $0 * 1.2 }, "new": times,
        ]
        old.allocations = ["orders/read": [4, 36], "orders/slow": [1, 0]]
        new.allocations = ["orders/read": [5, 36], "orders/slow": [1, 0]]
        old.instructions = ["orders/read": 1_000, "orders/slow": 5_000]
        new.instructions = ["orders/read": 1_400, "orders/slow": 5_001]
        return Report(old: old, new: new, rounds: 8, notes: ["no *valgrind*", "a processor"])
    }()

    @Test("changes above the noise are bold") func markdown() throws {
        let text = report.markdown
        #expect(text.hasPrefix("## Benchmarks\n\n4 of 5 scenarios moved.\n"))
        let lines = text.split(separator: "\n")
        let read = try #require(lines.first { $0.hasPrefix("| orders/read") })
        #expect(
            read
                == "| orders/read | 100.5 → 100.5 | 0.0 % | 1.0000 | **4 → 5** | 36 | **1000 → "
                + "1400 (+40.0 %)** |"
        )
        let slow = try #require(lines.first { $0.hasPrefix("| orders/slow") })
        #expect(slow.contains("**+20.0 %, slower** | 0.0009 | 1 | 0 | 5000 → 5001 (0.0 %) |"))
        #expect(lines.contains { $0.hasPrefix("| new (new)") })
        #expect(lines.contains { $0.hasPrefix("| gone (gone)") })
        #expect(text.contains("Within noise: 1"))
        // Names and notes are escaped.
        #expect(lines.contains { $0.hasPrefix(#"| a\|b |"#) })
        #expect(text.contains(#"no \*valgrind\*"#))
        #expect(text.hasSuffix("\na processor\n"))
        // Every row has the header's columns.
        for line in lines where line.hasPrefix("| ") && !line.contains(#"\|"#) {
            #expect(line.count { $0 == "|" } == 8)
        }
    }

    @Test("Markdown characters are escaped, even before a combining mark") func marks() {
        var side = Report.Program()
        side.times = ["a|\u{301}b[\u{200d}c](d)": [1, 2, 3, 4, 5, 6]]
        let text = Report(old: side, new: side, rounds: 6, notes: []).markdown
        #expect(text.utf8.contains(Array("| a\\|\u{301}b\\[\u{200d}c\\](d) |".utf8)))
    }

    @Test("the terminal's table has the same content") func plain() throws {
        let slow = try #require(report.plain.first { $0.hasPrefix("orders/slow") })
        #expect(slow.hasSuffix("SLOWER"))
        let read = try #require(report.plain.first { $0.hasPrefix("orders/read") })
        #expect(read.contains("allocations 4 -> 5, libcrypto's 36 -> 36; instructions 1000 → 1400"))
        #expect(report.plain.last == "a processor")
    }

    @Test("a report without changes") func nothing() {
        var side = Report.Program()
        side.times = ["orders/read": [1, 2, 3, 4, 5, 6]]
        let text = Report(old: side, new: side, rounds: 6, notes: []).markdown
        #expect(text.contains("Nothing moved in 1 scenarios."))
        #expect(!text.contains("**"))
    }
}
