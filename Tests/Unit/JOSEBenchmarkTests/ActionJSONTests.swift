import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

/// Validates the format that github-action-benchmark documents for `customSmallerIsBetter`: an
/// array of objects whose `name` and `unit` are strings and whose `value` is a number. `range` and
/// `extra` are optional strings. Returns the first defect, or nil.
private func faultForAction(_ json: String) -> String? {
    guard let any = try? JSONSerialization.jsonObject(with: Data(json.utf8)),
        let entries = any as? [[String: Any]]
    else { return "no array of objects" }
    var names: Set<String> = []
    for entry in entries {
        guard let name = entry["name"] as? String, !name.isEmpty else { return "no name" }
        guard entry["unit"] is String else { return "\(name): no unit" }
        guard let value = entry["value"] as? NSNumber, value.doubleValue.isFinite,
            !(entry["value"] is String)
        else { return "\(name): no value" }
        for optional in ["range", "extra"] {
            if let text = entry[optional], !(text is String) { return "\(name): \(optional)" }
        }
        guard names.insert(name).inserted else { return "\(name) twice" }
        let known: Set = ["name", "unit", "value", "range", "extra"]
        guard known.isSuperset(of: entry.keys) else { return "\(name): more members" }
    }
    return nil
}

@Suite("JSON for github-action-benchmark")
struct ActionJSONTests {
    private func row(_ name: String, _ nanoseconds: Double, ratio: Double? = nil) -> Measured {
        Measured(
            scenario: Scenario(name, bound: .ratio(1.3)) { { _, _ in } }, nanoseconds: nanoseconds,
            spread: 2, ratio: ratio, allocations: Allocations(ours: 4, crypto: 36))
    }

    @Test("the output has the documented structure") func shape() throws {
        let json = try actionJSON(
            actionEntries([row("orders/read", 60_793.123_456, ratio: 1.05), row("ü \"x\"", 3)]))
        #expect(faultForAction(json) == nil)
        let entries = try JSONDecoder().decode([ActionEntry].self, from: Data(json.utf8))
        #expect(
            entries.map(\.name) == [
                "orders/read", "orders/read (ratio)", "orders/read (allocations)", "ü \"x\"",
                "ü \"x\" (allocations)",
            ])
        #expect(
            entries[0]
                == ActionEntry(name: "orders/read", unit: "ns", value: 60_793.123, range: "± 2"))
        #expect(entries[1].extra == "bound 1.30")
    }

    @Test("invalid numbers and duplicate names are rejected") func rejected() {
        #expect(failure { _ = try actionJSON(actionEntries([row("a", .nan)])) } != nil)
        #expect(
            failure { _ = try actionJSON(actionEntries([row("a", 1, ratio: .infinity)])) } != nil)
        #expect(failure { _ = try actionJSON(actionEntries([row("a", 1), row("a", 2)])) } != nil)
    }

    @Test("the validator detects each defect") func validator() {
        for wrong in [
            "{}", "[1]", #"[{"unit":"ns","value":1}]"#, #"[{"name":"a","value":1}]"#,
            #"[{"name":"a","unit":"ns","value":"1"}]"#, #"[{"name":"a","unit":"ns"}]"#,
            #"[{"name":"a","unit":"ns","value":1,"range":3}]"#,
            #"[{"name":"a","unit":"ns","value":1},{"name":"a","unit":"ns","value":1}]"#,
        ] {
            #expect(faultForAction(wrong) != nil, "\(wrong)")
        }
    }
}
