// The extreme values of every integer of the public API, one after the other.

import Testing

@Suite("Extreme numbers")
struct NumberTests {
    /// The ends of types and ranges, and values that break arithmetic on seconds.
    private static let extremes: [Int] = [
        .min, .min + 1, -253_402_300_800, -(1 << 53), -(1 << 32), -(1 << 31), -60, -1, 0, 1, 59, 60,
        300,
        301, 600, 601, 2_047, 2_048, 8_192, 8_193, 16_384, 65_536, (1 << 31) - 1, 1 << 31, 1 << 32,
        1_760_000_000, 253_402_300_738, 253_402_300_798, 253_402_300_799, 253_402_300_800,
        1_000_000_000_000, 1 << 53, .max - 60, .max - 1, .max,
    ]

    @Test("every entry point accepts or rejects the extremes", arguments: NumberUse.all.map(\.name))
    func extremes(_ name: String) throws {
        let use = try #require(NumberUse.all.first { $0.name == name })
        let others = name.hasPrefix("Limits, member") ? [0] : [Int.min, 1_760_000_000, .max]
        for number in Self.extremes {
            for other in others {
                do {
                    try use.check(number, other)
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
    }

    @Test(
        "every entry point accepts some numbers, since rejecting all shows nothing",
        arguments: NumberUse.all.map(\.name))
    func reached(_ name: String) throws {
        let use = try #require(NumberUse.all.first { $0.name == name })
        let numbers = [0, 1, 2, 128, 300, 2_048, 1_760_000_000]
        #expect(
            numbers.contains { number in
                [0, 300, 1_760_000_000].contains { use.takes(number, $0) }
            })
    }

    @Test("there are as many entry points as entries, each with its name") func names() {
        #expect(NumberUse.all.count == 51)
        #expect(Set(NumberUse.all.map(\.name)).count == NumberUse.all.count)
    }
}
