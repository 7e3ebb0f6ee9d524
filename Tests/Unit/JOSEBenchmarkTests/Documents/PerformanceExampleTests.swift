// The examples of the page behave as it says.

import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Examples of performance checks in CI")
struct PerformanceExampleTests {
    @Test("the example file: four scenarios, of which two are checked") func orders() throws {
        let scenarios = try orderScenarios()
        #expect(scenarios.filter(\.isChecked).map(\.name) == ["orders/read", "orders/receipt"])
        for scenario in scenarios { try scenario.prepare()(2, 0) }
        try withTemporaryFolder { folder in
            try obey("observe --out \(folder)/o.tsv", scenarios)
            let observed = try readColumns("\(folder)/o.tsv", 1)
            #expect(observed.keys.sorted() == ["orders/read", "orders/receipt"])
        }
    }

    @Test("a custom baseline, and a benchmark that fails") func own() throws {
        #expect(try obey("run", ownBaseline([1, 2, 3])))
        #expect(failure { try obey("run", ownBaseline([])) } == "prices/sum: there is no price")
    }

    @Test("the program exits with 2 if libcrypto was already in use, as in this one") func ends()
        async
    {
        await #expect(processExitsWith: .exitCode(2)) {
            _ = try orderScenarios()
            program()
        }
    }
}
