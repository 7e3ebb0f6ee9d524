// A history as a drawing: a line for each scenario, over its revisions.

@_spi(Bench) import JOSEBenchmark

/// - Parameter only: Whether a scenario is drawn.
func historyPlot(_ history: History, only: (String) -> Bool = { _ in true }) throws -> String {
    let names = Set(history.revisions.flatMap(\.lines.keys)).filter(only).sorted()
    try require(!names.isEmpty, "the history has no line to draw")
    let (left, right, height, top) = (230.0, 600.0, 46.0, 56.0)
    let bottom = top + height * Double(names.count)
    var svg = SVG(width: 720, height: Int(bottom) + 30)
    svg.text(
        "by revision: time over the baseline's, or nanoseconds where there is no baseline", x: 12,
        y: 22,
        size: 14)
    let last = Double(max(1, history.revisions.count - 1))
    for (row, name) in names.enumerated() {
        let lines = history.revisions.map { $0.lines[name] }
        let isRatio = lines.allSatisfy { $0 == nil || $0?.ratio != nil }
        let values = lines.map { line in line.map { isRatio ? $0.ratio ?? 0 : $0.nanoseconds } }
        let known = values.compactMap { $0 }
        let (least, most) = (known.min() ?? 0, known.max() ?? 0)
        // A line that moves by less than a tenth is to look as still as it is.
        let room = max(most - least, most * 0.1, 1e-9)
        let middle = (least + most) / 2
        let centre = top + height * (Double(row) + 0.5)
        func place(_ index: Int, _ value: Double) -> (Double, Double) {
            (
                left + (right - left) * Double(index) / last,
                centre - (value - middle) / room * height * 0.7
            )
        }
        let points = values.enumerated().compactMap { index, value in value.map { place(index, $0) }
        }
        svg.text(name, x: left - 12, y: centre + 4, anchor: .end)
        svg.line(points, colour: SVG.ours)
        for point in points { svg.dot(x: point.0, y: point.1, colour: SVG.ours) }
        if let value = values.last ?? nil {
            svg.text(number(value, isRatio ? 3 : 0), x: right + 14, y: centre + 4)
        }
    }
    if let first = history.revisions.first, let newest = history.revisions.last {
        svg.text(String(first.name.prefix(12)), x: left, y: bottom + 18)
        if history.revisions.count > 1 {
            svg.text(String(newest.name.prefix(12)), x: right, y: bottom + 18, anchor: .end)
        }
    }
    return svg.document
}
