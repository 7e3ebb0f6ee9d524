import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Statistics")
struct StatisticsTests {
    @Test("median and minimum") func middles() {
        #expect([3.0, 1, 2].median == 2)
        #expect([4.0, 1, 2, 3].median == 2.5)
        #expect([4.0, 1, 2, 3].best == 1)
        #expect([Double]().median.isNaN)
        #expect([Double]().best.isNaN)
    }

    @Test("Mann-Whitney: distinct, equal, tied, and too few samples") func mannAndWhitney() {
        let low = (1...8).map(Double.init)
        let high = (9...16).map(Double.init)
        // U = 0 of 64: z = 31.5 / 9.522.
        #expect(abs(mannWhitney(low, high) - 0.000_94) < 0.000_01)
        #expect(mannWhitney(high, low) == mannWhitney(low, high))
        #expect(mannWhitney(low, low) > 0.9)
        #expect(mannWhitney([5, 5, 5], [5, 5, 5]) == 1)
        #expect(mannWhitney([], high) == 1)
        // With five runs each no difference is significant, with six it is, so the report requires
        // six.
        #expect(mannWhitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) > Report.level)
        #expect(mannWhitney([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]) < Report.level)
    }

    @Test("instruction counts: one per cent and a small constant")
    func instructions() {
        #expect(!instructionsMoved(1_032, 1_000))
        #expect(instructionsMoved(1_033, 1_000))
        #expect(!instructionsMoved(10_099, 10_000))
        #expect(instructionsMoved(9_899, 10_000))
    }
}
