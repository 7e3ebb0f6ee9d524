// The examples of the page do what it says.

import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Examples of performance CI")
struct PerformanceExampleTests {
    @Test("the one file: four scenarios, of which two are held") func orders() throws {
        let scenarios = try orderScenarios()
        #expect(scenarios.filter(\.isChecked).map(\.name) == ["orders/read", "orders/receipt"])
        for scenario in scenarios { try scenario.prepare()(2, 0) }
        try withTemporaryFolder { folder in
            try obey("observe --out \(folder)/o.tsv", scenarios)
            let observed = try readColumns("\(folder)/o.tsv", 1)
            #expect(observed.keys.sorted() == ["orders/read", "orders/receipt"])
        }
    }

    @Test("a baseline of one's own, and a work that goes wrong") func own() throws {
        #expect(try obey("run", ownBaseline([1, 2, 3])))
        #expect(failure { try obey("run", ownBaseline([])) } == "prices/sum: there is no price")
    }

    @Test("the program ends with 2 where libcrypto was in use before, as in this one") func ends()
        async
    {
        await #expect(processExitsWith: .exitCode(2)) {
            _ = try orderScenarios()
            program()
        }
    }
}
