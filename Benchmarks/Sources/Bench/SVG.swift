// A few shapes as SVG text: all that the plots need. Colours work on light and dark pages.

@_spi(Bench) import JOSEBenchmark

/// A drawing of text, bars and lines.
struct SVG {
    let width: Int
    let height: Int
    private var body = ""

    /// Text and axes.
    static let ink = "#6b7280"
    /// What is ours.
    static let ours = "#2563eb"
    /// What ours stands beside.
    static let baseline = "#9ca3af"
    /// What is over its bound.
    static let warn = "#dc2626"

    /// An empty drawing, in units of a pixel.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Where a text stands beside its place.
    enum Anchor: String { case start, middle, end }

    /// A text whose foot is at `y`.
    mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, size: Int = 12,
        colour: String = SVG.ink
    ) {
        body +=
            #"<text x="\#(fixed(x))" y="\#(fixed(y))" font-size="\#(size)" fill="\#(colour)""#
            + #" text-anchor="\#(anchor.rawValue)">\#(escaped(text))</text>"# + "\n"
    }

    /// A bar whose upper left corner is given.
    mutating func bar(x: Double, y: Double, width: Double, height: Double, colour: String) {
        body +=
            #"<rect x="\#(fixed(x))" y="\#(fixed(y))" width="\#(fixed(max(0, width)))""#
            + #" height="\#(fixed(max(0, height)))" fill="\#(colour)" rx="2"/>"# + "\n"
    }

    /// A line through points.
    mutating func line(
        _ points: [(Double, Double)], colour: String, width: Double = 2, dashed: Bool = false
    ) {
        let path = points.map { fixed($0.0) + "," + fixed($0.1) }.joined(separator: " ")
        body +=
            #"<polyline points="\#(path)" fill="none" stroke="\#(colour)" stroke-width="\#(fixed(width))""#
            + (dashed ? #" stroke-dasharray="4 3""# : "") + "/>\n"
    }

    /// A point of a line.
    mutating func dot(x: Double, y: Double, colour: String) {
        body += #"<circle cx="\#(fixed(x))" cy="\#(fixed(y))" r="3" fill="\#(colour)"/>"# + "\n"
    }

    /// The drawing as a file.
    var document: String {
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)""#
            + #" font-family="system-ui, sans-serif">"# + "\n" + body + "</svg>\n"
    }

    private func fixed(_ value: Double) -> String { number(value, 1) }

    private func escaped(_ text: String) -> String {
        // By scalars: a sign with a mark behind it is another character to Swift, and the same sign
        // to a reader.
        text.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            // No control character may stand in XML, even escaped.
            case "\0"..<" ": out += "\u{fffd}"
            default: out.unicodeScalars.append(scalar)
            }
        }
    }
}
