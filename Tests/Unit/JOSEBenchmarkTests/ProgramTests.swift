import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Benchmark commands and options")
struct ProgramTests {
    @Test(
        "an invalid command line is reported",
        arguments: [
            ("nonsense", "no command 'nonsense'; help lists them"),
            ("run --foo", "unknown option --foo"), ("run --only", "--only needs a value"),
            ("run word", "unexpected argument 'word'"),
            ("run --only x --only x", "--only may be given only once"),
            ("run --only zzz", "no scenario's name starts with 'zzz'"),
            ("check", "--baseline is missing"),
            ("check --baseline b --parts all", "--parts: allocations, ratios, instructions"),
            ("check --baseline b --parts ,", "--parts: allocations, ratios, instructions"),
            ("check --baseline /nowhere/b.tsv", "/nowhere/b.tsv: no such file"),
            (
                "check --parts instructions --instructions /nowhere/i.tsv",
                "/nowhere/i.tsv: no such file"
            ),
            (
                "check --baseline b --only x,x-baseline",
                "no checked scenario's name starts with 'x-baseline'"
            ),
            ("report", "--against is missing"),
            ("report --against /nowhere/p", "/nowhere/p: no program that can be started"),
            ("report --against /bin/true --rounds 5", "--rounds is a whole number from 6 on"),
            ("report --against /bin/false --rounds 6", "/bin/false exits with 1: no error output"),
            ("json", "--out is missing"),
            ("json --out /nowhere/j", "/nowhere/j: cannot be written"),
            ("history --file h", "no command 'history'; help lists them"),
            ("plot --file h", "no command 'plot'; help lists them"),
            ("count", "count runs under valgrind; check does that"),
            (
                "allocations --out a",
                "x: calls of malloc are not counted: link the product JOSEBenchmark on Linux with glibc, without a sanitizer"
            ),
        ])
    func rejected(_ words: String, _ why: String) {
        let scenarios = [idle("x-baseline"), idle("x", baseline: "x-baseline")]
        #expect(failure { try obey(words, scenarios) } == why)
    }

    @Test("an invalid list is reported") func lists() {
        func failureOf(_ scenarios: [Scenario]) -> String? {
            failure { try obey("run", scenarios) }
        }
        #expect(failureOf([]) == "there is no scenario")
        #expect(failureOf([idle("x"), idle("x")]) == "two scenarios are called x")
        #expect(failureOf([idle("x", baseline: "y")]) == "x: no scenario y for its baseline")
        for name in ["", "a\tb", "a\nb", "#a"] { #expect(failureOf([idle(name)]) != nil) }
        // An option that would have no effect.
        #expect(
            failureOf([idle("x", bound: .ratio(1.3))])
                == "x: its bound is a ratio, but it has no baseline")
        #expect(
            failureOf([idle("x", baseline: "x", bound: .ratio(1.3))])
                == "x: a scenario cannot be its own baseline"
        )
        #expect(
            failureOf([
                idle("a-baseline"), idle("x-baseline", baseline: "a-baseline", bound: .ratio(1.3)),
            ])
                == "x-baseline: a baseline cannot have a bound")
        for most in [Double.nan, .infinity, 0, -1] {
            #expect(
                failureOf([
                    idle("f-baseline"), idle("x", baseline: "f-baseline", bound: .ratio(most)),
                ])
                    == "x: its bound is not a positive number")
        }
    }

    @Test("a benchmark that throws ends the run with the scenario's name") func throwing() {
        let bad = Scenario("x") { throw BenchmarkFailure("no key") }
        let late = Scenario("y") { { _, _ in throw BenchmarkFailure("rejected") } }
        #expect(failure { try obey("run", [bad]) } == "x: no key")
        #expect(failure { try obey("run", [late]) } == "y: rejected")
        #expect(failure { try obey("observe --out o", [late]) } == "y: rejected")
    }

    @Test("check: every word of --only must match a scenario, or the check fails")
    func only() throws {
        try withFile("x\t1\t1\n".utf8) { path in
            let words = "check --parts ratios --baseline \(path) --only"
            #expect(
                failure { try obey("\(words) x,yy", [idle("x")]) }
                    == "no checked scenario's name starts with 'yy'")
            let unset = ["check", "--baseline", path, "--parts", ""]
            #expect(
                failure { try obey(unset, [idle("x")]) }
                    == "--parts: allocations, ratios, instructions")
            #expect(failure { try obey("\(words) x", [idle("x")]) } == nil)
        }
    }

    @Test("a ratio over its limit fails, one below passes") func ratios() throws {
        func work(_ name: String, _ baseline: String?, _ bound: Bound?, _ rounds: Int) -> Scenario {
            Scenario(name, baseline: baseline, bound: bound) {
                return { iterations, _ in
                    for number in 0..<iterations * rounds {
                        try JOSEBenchmark.require(number >= 0, "counted")
                    }
                }
            }
        }
        let scenarios = [
            work("x-baseline", nil, nil, 1_000), work("x", "x-baseline", .ratio(50), 2_000),
        ]
        try withFile("x\t1\t1\n".utf8) { path in
            let ratios = try obey("check --parts ratios --baseline \(path)", scenarios)
            #expect(ratios)
            // This program does not count malloc calls: it is reported, and is not counted as a
            // change.
            let allocations = try obey("check --parts allocations --baseline \(path)", scenarios)
            #expect(allocations)
        }
    }

    @Test("limits in the table") func table() {
        let rows = [
            Measured(
                scenario: idle("orders/read", bound: .ratio(1.3)), nanoseconds: 60_793, spread: 1,
                ratio: 1.4, allocations: Allocations(ours: 4, crypto: 36)),
            Measured(
                scenario: idle("orders/sum", bound: .nanoseconds(100)), nanoseconds: 12.5, spread: 1
            ),
        ]
        let lines = JOSEBenchmark.table(rows)
        #expect(lines[1].contains("60793") && lines[1].hasSuffix("<-- bound"))
        #expect(lines[2].contains("12.5") && !lines[2].contains("bound"))
        #expect(rows[0].keepsBound == false && rows[1].keepsBound == true)
    }
}
