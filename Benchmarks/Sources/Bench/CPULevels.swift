// `cpu-levels`: ratios at one CPU level, and the drawing of all levels side by side.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import Foundation

/// The rows of the drawing: what they are called there, and the scenario.
private let pictured = [
    ("verify", "verify/payload"), ("verify and check", "verify/policy"),
    ("verify, check, 20 claims", "verify/claims"), ("64 together, a token", "kernels/verify-batch"),
    ("verify, 4096 bits", "rsa-4096/verify"), ("reject a bad signature", "reject/signature"),
    ("encrypt 600 B, by kernel", "kernels/encrypt-600B"), ("decrypt 600 B", "decrypt/600B"),
    ("nested: decrypt, verify", "nested/open-600B"), ("sign", "sign/payload"),
]

/// The CPU levels, best first, and processors that have them.
private let cpuLevels = [
    ("ifma", "AVX-512 IFMA, as Intel servers since Ice Lake and AMD since Zen 4 have", "#1d4ed8"),
    ("fma", "AVX2 and FMA, as Intel since Haswell and AMD since the first Zen have", "#3b82f6"),
    ("portable", "neither", "#9ca3af"),
]

/// Writes the ratios to the raw calls at one CPU level, tab-separated. Scenarios that it does
/// not have are left out.
func commandCPULevels(_ options: Options) throws {
    guard let path = options.words.first else { throw BenchmarkFailure("cpu-levels needs a file") }
    let scenarios = try allScenarios(try environment())
    let byName = Dictionary(scenarios.map { ($0.name, $0) }) { first, _ in first }
    var lines = "# \(whereMeasured())\n"
    for (_, name) in pictured {
        guard let scenario = byName[name], let baseline = scenario.baseline.flatMap({ byName[$0] })
        else {
            continue
        }
        let ratio = try pair(try scenario.prepare(), baseline: try baseline.prepare(), rounds: 25)
        lines += "\(name)\t\(number(ratio.ratio, 3))\n"
    }
    try lines.write(toFile: path, atomically: true, encoding: .utf8)
}

/// A group of bars for each scenario, with a bar for each CPU level that was measured.
func cpuLevelsPlot(_ folder: String) throws -> String {
    let measured = try cpuLevels.compactMap { level, title, colour -> Bars? in
        let path = "\(folder)/\(level).tsv"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try Bars(title: title, colour: colour, path: path)
    }
    let (left, thick, gap) = (190.0, 11.0, 12.0)
    let top = 48 + 18 * Double(measured.count)
    let group = thick * Double(measured.count) + gap
    let bottom = top + group * Double(pictured.count)
    let scale = 400 / 1.8
    var svg = SVG(width: 720, height: Int(bottom) + 42)
    svg.text(
        "600 bytes, RSA of 2048 bits: time divided by that of OpenSSL's own calls",
        x: 12, y: 22, size: 14)
    for (index, bars) in measured.enumerated() {
        let y = 34 + 18 * Double(index)
        svg.bar(x: left, y: y, width: 12, height: 12, colour: bars.colour)
        svg.text(bars.title, x: left + 20, y: y + 10)
    }
    for (row, (title, name)) in pictured.enumerated() {
        let start = top + group * Double(row)
        svg.text(title, x: left - 8, y: start + (group - gap) / 2 + 4, anchor: .end)
        for (index, bars) in measured.enumerated() {
            let y = start + thick * Double(index)
            guard let ratio = bars.ratios[name] else {
                svg.text("no kernel for it", x: left + 4, y: y + 9, size: 10)
                continue
            }
            svg.bar(
                x: left, y: y, width: ratio * scale, height: thick - 2, colour: bars.colour)
            svg.text(number(ratio, 2), x: left + ratio * scale + 6, y: y + 9, size: 10)
        }
    }
    svg.line(
        [(left + scale, top - 6), (left + scale, bottom)], colour: SVG.ink, width: 1, dashed: true)
    svg.text("1.0: OpenSSL", x: left + scale, y: bottom + 14, anchor: .middle)
    svg.text(measured.first?.place ?? "", x: 12, y: bottom + 34, size: 10)
    return svg.document
}

/// The processor that ran all levels (the lower ones with instructions hidden), libcrypto, and
/// the day.
func whereMeasured() -> String {
    "\(processorName()), OpenSSL \(String(cString: baseline_crypto_version())), \(today())"
}

func today() -> String { Date().formatted(.iso8601.year().month().day()) }

private struct Bars {
    let title: String
    let colour: String
    /// The machine and the day.
    private(set) var place = ""
    private(set) var ratios: [String: Double] = [:]

    init(title: String, colour: String, path: String) throws {
        (self.title, self.colour) = (title, colour)
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            guard !line.hasPrefix("# ") else {
                place = String(line.dropFirst(2))
                continue
            }
            let fields = line.split(separator: "\t")
            guard fields.count == 2, let ratio = Double(fields[1]) else {
                throw BenchmarkFailure("\(path): no name and ratio: \(line)")
            }
            ratios[String(fields[0])] = ratio
        }
    }
}
