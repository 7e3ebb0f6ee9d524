// `draw`: runs what the drawings need and writes them as SVG.

@_spi(Bench) import JOSEBenchmark
import Foundation

func commandDraw(_ options: Options) throws {
    guard let folder = options.words.first else { throw BenchmarkFailure("draw needs a folder") }
    let env = try environment()
    let (report, _, _) = try measure(
        options.tabled(try allScenarios(env)), growths: [],
        repetitions: Int(try options.number("repetitions", or: 7)),
        seconds: try options.number("seconds", or: 0.04), json: nil)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, drawing) in [
        ("ways", try cpuLevelsPlot(try options.needed("cpu-levels"))),
        (
            "ratio",
            ratioPlot(
                report, "time as a multiple of the raw OpenSSL calls (1.0); the tick is the bound")
        ), ("threads", threadsPlot(report)),
        ("payload", payloadPlot(report)),
    ] {
        try drawing.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8)
        print("wrote \(folder)/\(name).svg")
    }
}

/// Time over the baseline's, a bar for each scenario that promises a ratio.
private func ratioPlot(_ report: Report, _ title: String) -> String {
    let bars = report.rows.compactMap { row -> (String, Double, Double)? in
        // The baseline of keys behind a source is the library's own verification, no raw call.
        guard case .ratio(let bound) = row.scenario.bound, let ratio = report.ratio(row),
            row.scenario.group != "fetched"
        else { return nil }
        return (row.scenario.name, ratio, bound)
    }
    let step = 24.0
    let left = 210.0
    let most = 1.6
    let scale = 400 / most
    let bottom = 52 + step * Double(bars.count)
    var svg = SVG(width: 720, height: Int(bottom) + 42)
    svg.text(title, x: 12, y: 22, size: 14)
    for (index, (name, ratio, bound)) in bars.enumerated() {
        let y = 40 + step * Double(index)
        // A bar that would leave the page is cut; its number says how long it is.
        let (length, tick) = (min(ratio, most) * scale, min(bound, most) * scale)
        svg.text(name, x: left - 8, y: y + 13, anchor: .end)
        svg.bar(
            x: left, y: y, width: length, height: 17, colour: ratio <= bound ? SVG.ours : SVG.warn)
        svg.line([(left + tick, y - 1), (left + tick, y + 18)], colour: SVG.ink)
        svg.text(number(ratio, 3), x: left + max(length, tick) + 6, y: y + 13)
    }
    svg.line(
        [(left + scale, 36), (left + scale, bottom)], colour: SVG.baseline, width: 1, dashed: true)
    svg.text("1.0", x: left + scale, y: bottom + 14, anchor: .middle)
    svg.text(whereMeasured(), x: 12, y: bottom + 34, size: 10)
    return svg.document
}

/// Throughput of one and two threads, one pair of bars an operation.
private func threadsPlot(_ report: Report) -> String {
    let pairs = report.rows.compactMap { row -> (String, Double, Double)? in
        guard row.scenario.threads > 1, let one = report.baseline(of: row) else {
            return nil
        }
        let single = 1e9 / one.best
        return (row.scenario.name, single, single * (row.scaling?.wall ?? .nan))
    }
    let left = 210.0
    let step = 40.0
    let bottom = 40 + step * Double(pairs.count)
    var svg = SVG(width: 720, height: Int(bottom) + 24)
    svg.text("throughput of two threads as a multiple of one", x: 12, y: 22, size: 14)
    for (index, (name, one, two)) in pairs.enumerated() {
        let y = 40 + step * Double(index)
        svg.text(
            String(name.split(separator: "/").last ?? ""), x: left - 8, y: y + 19, anchor: .end)
        svg.bar(x: left, y: y, width: 170, height: 13, colour: SVG.baseline)
        svg.bar(x: left, y: y + 15, width: 170 * two / one, height: 13, colour: SVG.ours)
        svg.text("\(number(one, 0)) a second", x: left + 178, y: y + 11)
        svg.text(
            "\(number(two, 0)), x\(number(two / one, 2))", x: left + 170 * two / one + 8, y: y + 26)
    }
    svg.text(whereMeasured(), x: 12, y: bottom + 14, size: 10)
    return svg.document
}

/// Cost by payload, both axes logarithmic: ours, and the baseline dashed.
private func payloadPlot(_ report: Report) -> String {
    var svg = SVG(width: 720, height: 410)
    svg.text(
        "time by payload: encrypt and decrypt; dashed: the raw OpenSSL calls", x: 12, y: 22,
        size: 14)
    let (left, right, top, bottom) = (70.0, 610.0, 45.0, 350.0)
    let (lowX, highX, lowY, highY) = (log10(32.0), log10(32e6), 4.0, 8.0)
    func place(_ bytes: Double, _ nanoseconds: Double) -> (Double, Double) {
        (
            left + (log10(bytes) - lowX) / (highX - lowX) * (right - left),
            bottom - (log10(nanoseconds) - lowY) / (highY - lowY) * (bottom - top)
        )
    }
    for (label, nanoseconds) in [
        ("10 us", 1e4), ("100 us", 1e5), ("1 ms", 1e6), ("10 ms", 1e7), ("100 ms", 1e8),
    ] {
        let y = place(32, nanoseconds).1
        svg.line([(left, y), (right, y)], colour: SVG.baseline, width: 0.5)
        svg.text(label, x: left - 6, y: y + 4, anchor: .end)
    }
    for (label, bytes) in [
        ("64 B", 64.0), ("600 B", 600), ("4 KB", 4096), ("64 KB", 65536), ("1 MB", 1e6),
        ("16 MB", 16e6),
    ] {
        svg.text(label, x: place(bytes, 1e4).0, y: bottom + 20, anchor: .middle)
    }
    for (group, colour) in [("encrypt", SVG.ours), ("decrypt", SVG.warn)] {
        let rows = report.rows.filter {
            $0.scenario.group == group && $0.scenario.bytes > 0
                && !$0.scenario.name.hasSuffix("baseline") && !$0.scenario.name.hasSuffix("sha1")
        }.sorted { $0.scenario.bytes < $1.scenario.bytes }
        let points = rows.map { place(Double($0.scenario.bytes), $0.best) }
        let baselines = rows.compactMap { row in
            report.baseline(of: row).map { place(Double(row.scenario.bytes), $0.best) }
        }
        svg.line(baselines, colour: colour, width: 1, dashed: true)
        svg.line(points, colour: colour)
        for point in points { svg.dot(x: point.0, y: point.1, colour: colour) }
        if let last = points.last { svg.text(group, x: last.0 + 8, y: last.1 + 4, colour: colour) }
    }
    svg.text(whereMeasured(), x: 12, y: bottom + 46, size: 10)
    return svg.document
}
