// Numbers are exact, without traps and without silent rounding.

import Testing

@testable import JOSEBytes

@Suite struct JSONNumberTests {
    func number<T>(_ text: String, _ read: (JSONNode, Span<UInt8>) -> T?) -> T? {
        guard let document = try? JSONDocument(Array(text.utf8), maxDepth: 0) else {
            return nil
        }
        return read(document.nodes[0], document.bytes.span)
    }
    func integer(_ text: String) -> Int64? { number(text) { JSON.integer($0, in: $1) } }
    func double(_ text: String) -> Double? { number(text) { JSON.double($0, in: $1) } }
    func seconds(_ text: String) -> [Int64]? {
        number(text) { JSON.fixedPoint($0, in: $1).map { [$0.whole, $0.attos] } }
    }

    @Test func integers() {
        for (text, value) in [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("1e3", 1000), ("1.0", 1), ("-0.0e5", 0),
            ("12.50e1", 125),
            ("1000e-3", 1), ("1.000", 1), ("0e99999999", 0), ("0.000e-99999999", 0),
            ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.0", .max),
            ("922337203685477580.7e1", .max), ("0.0000000000000000001e19", 1),
            ("9007199254740993", 9_007_199_254_740_993),
            ("100000000000000000000000e-21", 100), ("999999999999999999", 999_999_999_999_999_999),
        ] as [(String, Int64)] {
            #expect(integer(text) == value, "\(text)")
        }
        for text in [
            "9223372036854775808", "-9223372036854775809", "1e19", "1e99999999", "1e400", "1e-400",
            "0.5", "1.5", "-1e-1", "1e-99999999",
            "18446744073709551616", String(repeating: "9", count: 400),
            "1.00000000000000000000000000001",
            "1" + String(repeating: "0", count: 400), "1e9223372036854775807",
            "1e-9223372036854775809", "\"1\"", "true", "null",
            "1e" + String(repeating: "9", count: 1000), "18446744073709551617e-1",
        ] {
            #expect(integer(text) == nil, "\(text)")
        }
    }

    @Test func integersReadBack() {
        var generator = Generator(seed: 9)
        for _ in 0..<20_000 {
            let bits = Int.random(in: 0..<64, using: &generator)
            let value = Int64(bitPattern: generator.next()) >> Int64(bits)
            #expect(integer(String(value)) == value)
            #expect(
                seconds(String(value)).map { $0[0] }
                    == (value.magnitude <= 1_000_000_000_000_000 ? value : nil))
        }
    }

    @Test func doubles() {
        for text in [
            "0", "-0", "1.5", "0.1", "1e22", "1e23", "123456789012345678901234567890", "4.9e-324",
            "1.7976931348623157e308",
            "2.2250738585072011e-308", "9007199254740993", "0.30000000000000004", "1e-22",
            "123.456e-30",
            "8.5e-100", "1" + String(repeating: "0", count: 300),
            "0." + String(repeating: "3", count: 1000),
        ] {
            #expect(double(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
        #expect(double("1e309") == nil)
        #expect(double("-1e309") == nil)
        #expect(double("1e99999999") == nil)
        #expect(double("1e-400") == 0)
        #expect(double("true") == nil)
        var generator = Generator(seed: 10)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            #expect(double(value.description) == value)
            let small = (value.significand * 1000).rounded() / 100
            #expect(double(small.description) == small)
        }
    }

    @Test("a double is the nearest one, at and beyond the limits of exact digits and powers of ten")
    func nearestDoubles() {
        var generator = Generator(seed: 17)
        for bits in 50...64 {
            for _ in 0..<120 {
                let digits = generator.next() >> UInt64(64 - bits) | 1
                let power = Int.random(in: -24...24, using: &generator)
                let text = "\(digits)e\(power)"
                if double(text) != Double(text) { Issue.record("\(text)") }
                if double("-" + text) != Double("-" + text) { Issue.record("-\(text)") }
            }
        }
        for text in [
            "9007199254740991e22", "9007199254740992e-22", "9007199254740993e-1", "1e-22", "1e22",
            "1e-23", "-1e+22", "0e22", "-0e-22", "9007199254740991e-23",
            // A value that does not fit is an error, not omitted.
            "1000000000000000000000000000001", "10000000000000000000000000000.1",
            "1.00000000000000000000000000005", "-2000000000000000000000000000002e-8",
        ] {
            #expect(double(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test("RFC 7519 2: NumericDate keeps its fraction exactly")
    func fixedPoint() {
        let atto: Int64 = 1_000_000_000_000_000_000
        for (text, value) in [
            ("1311280970", [1_311_280_970, 0]), ("1311280970.5", [1_311_280_970, atto / 2]),
            ("-1", [-1, 0]), ("-1.5", [-2, atto / 2]),
            ("-0.25", [-1, atto / 4 * 3]), ("0.000000000000000001", [0, 1]),
            ("0.0000000000000000019", [0, 1]), ("1e3", [1000, 0]),
            ("1.5e1", [15, 0]), ("15e-1", [1, atto / 2]),
            ("1311280970123e-3", [1_311_280_970, atto / 1000 * 123]), ("1e-400", [0, 0]),
            ("1e-99999999", [0, 0]), ("0e99999999", [0, 0]),
            ("253402300799", [253_402_300_799, 0]), ("1e15", [1_000_000_000_000_000, 0]),
            ("-0", [0, 0]), ("-0.0", [0, 0]), ("0.1", [0, atto / 10]), ("-1e-19", [0, 0]),
            ("1000000000000000", [1_000_000_000_000_000, 0]),
            ("-1000000000000000", [-1_000_000_000_000_000, 0]), ("1E+3", [1000, 0]),
            ("-12.5e-1", [-2, atto / 4 * 3]), ("1.999999999999999999", [1, atto - 1]),
            ("-0.000000000000000001", [-1, atto - 1]), ("0.0015e3", [1, atto / 2]),
        ] as [(String, [Int64])] {
            #expect(seconds(text) == value, "\(text)")
        }
        for text in [
            "1e16", "1000000000000001", "-1000000000000001", "1000000000000000000", "1e18", "2e19",
            "1e99999999", "9223372036854775808", "18446744073709551616",
            "-1e18", "1e19", "1e20",
            String(repeating: "9", count: 400), "\"1311280970\"", "null", "true", "[]",
        ] {
            #expect(seconds(text) == nil, "\(text)")
        }
    }
}
