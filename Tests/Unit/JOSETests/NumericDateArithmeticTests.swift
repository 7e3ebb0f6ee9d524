// NumericDate: carries of the fraction, both ends of the range, and the values that other coders
// get.

import Foundation
import JOSE
import Testing

private let last: Int64 = 253_402_300_799
/// The largest fraction: one attosecond more makes a second.
private let most: Int64 = 999_999_999_999_999_999

@Suite("NumericDate: carries and limits (RFC 7519, section 2)")
struct NumericDateArithmeticTests {
    /// A time or a duration, as seconds and attoseconds.
    struct Parts: Sendable, CustomTestStringConvertible {
        var seconds: Int64
        var attoseconds: Int64

        init(_ seconds: Int64, _ attoseconds: Int64 = 0) {
            (self.seconds, self.attoseconds) = (seconds, attoseconds)
        }

        var testDescription: String { "\(seconds) s, \(attoseconds) as" }
        var duration: Duration {
            Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
        }
        func date() throws -> NumericDate {
            try need(NumericDate(exactly: seconds, attoseconds: attoseconds))
        }
    }

    @Test(
        "advancing a time is exact for any duration and is reversible",
        arguments: [
            (Parts(100), Parts(0, -1), Parts(99, most)),
            (Parts(100, most), Parts(0, 1), Parts(101)),
            (Parts(100, most), Parts(0, most), Parts(101, most - 1)),
            (Parts(100, 6), Parts(0, -6), Parts(100)), (Parts(100, 6), Parts(0, -5), Parts(100, 1)),
            (Parts(100, 6), Parts(-100), Parts(0, 6)), (Parts(100), Parts(-100), Parts(0)),
            (Parts(100), Parts(1), Parts(101)), (Parts(100), Parts(-1), Parts(99)),
            (Parts(100, 6), Parts(0), Parts(100, 6)),
            (Parts(0), Parts(last), Parts(last)), (Parts(last), Parts(-last), Parts(0)),
            (Parts(last - 1, most), Parts(0, 1), Parts(last)),
            (Parts(last), Parts(0, -1), Parts(last - 1, most)),
            (Parts(0, 1), Parts(0, -1), Parts(0)), (Parts(1), Parts(0, -1), Parts(0, most)),
        ] as [(Parts, Parts, Parts)])
    func exact(_ start: Parts, _ step: Parts, _ end: Parts) throws {
        let (first, second) = (try start.date(), try end.date())
        #expect(first.advanced(by: step.duration) == second)
        #expect(second.duration(since: first) == step.duration)
        #expect(
            first.advanced(by: step.duration).advanced(by: Duration.zero - step.duration) == first)
        #expect((first < second) == (step.duration > Duration.zero))
    }

    @Test(
        "a time beyond either end of the range is clamped to that end",
        arguments: [
            (Parts(0), Parts(-1), Parts(0)), (Parts(1), Parts(-1, -1), Parts(0)),
            (Parts(0), Parts(0, -1), Parts(0)), (Parts(0, 5), Parts(.min), Parts(0)),
            (Parts(0, 5), Parts(-1), Parts(0)), (Parts(5), Parts(.min), Parts(0)),
            (Parts(last), Parts(0, 1), Parts(last)), (Parts(last), Parts(1), Parts(last)),
            (Parts(last - 1), Parts(1, 1), Parts(last)), (Parts(5), Parts(.max), Parts(last)),
            (Parts(last - 1, most), Parts(0, 2), Parts(last)),
        ] as [(Parts, Parts, Parts)])
    func clamped(_ start: Parts, _ step: Parts, _ end: Parts) throws {
        #expect(try start.date().advanced(by: step.duration) == end.date())
    }

    @Test("adding seconds equals adding a duration of as many seconds")
    func later() throws {
        let counts = [
            0, 1, -1, 60, Int(last) - 1, Int(last), Int(last) + 1, -Int(last), .max, .min,
        ]
        for start in [Parts(0), Parts(0, 1), Parts(60, 5), Parts(last - 1, most), Parts(last)] {
            for count in counts {
                let date = try start.date()
                #expect(date.later(bySeconds: count) == date.advanced(by: .seconds(count)))
            }
        }
    }

    @Test("a Double is rounded to the nearest microsecond")
    func nearest() {
        for (value, seconds, attoseconds) in [
            (0, 0, 0), (0.25, 0, 250_000_000_000_000_000), (7, 7, 0),
            (0.999999, 0, 999_999_000_000_000_000), (0.9999999, 1, 0), (1.0000004, 1, 0),
            (1.0000006, 1, 1_000_000_000_000), (41.9999996, 42, 0),
            (1_516_239_022.5, 1_516_239_022, 500_000_000_000_000_000),
            (253_402_300_799, 253_402_300_799, 0),
        ] as [(Double, Int64, Int64)] {
            let date = NumericDate(exactly: seconds, attoseconds: attoseconds)
            #expect(date != nil)
            #expect(NumericDate(nearest: value) == date, "\(value)")
        }
        for value in [
            -1, -0.001, 253_402_300_799.5, 253_402_300_800, 1e300, .infinity, -.infinity, .nan,
        ] as [Double] {
            #expect(NumericDate(nearest: value) == nil, "\(value)")
        }
    }

    @Test("other coders see an integer, or a Double if there is a fraction")
    func otherCoders() throws {
        let dates = [
            try Parts(1_516_239_022).date(), try Parts(1, 500_000_000_000_000_000).date(),
            try Parts(3, 1).date(),
        ]
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let text = String(decoding: try encoder.encode(dates), as: UTF8.self)
        #expect(text.contains("<integer>1516239022</integer>"))
        #expect(text.contains("<real>1.5"))
        #expect(text.contains("<real>3"))
        let read = try JSONDecoder().decode(
            [NumericDate].self, from: Data("[0.9999999,0.999999,1.5,2]".utf8))
        #expect(read.map(\.description) == ["1", "0.999999", "1.5", "2"])
    }
}
