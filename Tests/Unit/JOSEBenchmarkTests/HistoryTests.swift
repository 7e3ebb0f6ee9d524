import Foundation
import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Histories")
struct HistoryTests {
    private func revision(_ name: String, _ ratio: Double?) -> History.Revision {
        History.Revision(
            name: name,
            lines: [
                "orders/read": History.Line(nanoseconds: 60_000, ratio: ratio, ours: 4, crypto: 36),
                "orders/sum": History.Line(nanoseconds: 12.5),
            ])
    }

    @Test("a revision is added, and a second time takes its own place") func added() throws {
        var history = History()
        history.add(revision("a", 1.1))
        history.add(revision("b", 1.2))
        history.add(revision("a", 1.3))
        #expect(history.revisions.map(\.name) == ["a", "b"])
        #expect(history.revisions[0].lines["orders/read"]?.ratio == 1.3)
        let again = try History(history.text, path: "h.tsv")
        #expect(again == history)
        #expect(again.text == history.text)
        #expect(history.text.contains("b\torders/sum\t12.5\t-\t-\t-\n"))
    }

    @Test(
        "a broken file is refused with the line",
        arguments: [
            ("a\torders/read\t1\t1\t1", 1), ("a\tx\t1\t-\t-\t-\n\nb\tx\tone\t-\t-\t-", 3),
            ("# head\na\tx\t-\t-\t-\t-", 2), ("a b\tx\t1\t-\t-\t-", 1), ("a\t\t1\t-\t-\t-", 1),
            ("a\tx\t1\tnan\t-\t-", 1), ("a\tx\t1\t-\t-1\t-", 1), ("a\tx\t1e999\t-\t-\t-", 1),
            ("a\tx\t1\t-\t-\t-\na\tx\t2\t-\t-\t-", 2),
            ("a\tx\t1\t-\t-\t-\nb\tx\t1\t-\t-\t-\na\ty\t2\t-\t-\t-", 3), ("<<<<<<< HEAD", 1),
        ])
    func broken(_ text: String, _ line: Int) {
        let why = failure { _ = try History(text, path: "h.tsv") }
        #expect(why?.hasPrefix("h.tsv:\(line): ") == true, "\(why ?? "it is taken")")
    }

    @Test("lines that end as Windows has it are lines, and none is lost")
    func carriageReturns() throws {
        var history = History()
        history.add(revision("a", 1.1))
        history.add(revision("b", 1.2))
        let text = history.text.replacing("\n", with: "\r\n")
        #expect(try History(text, path: "h.tsv") == history)
    }

    @Test("what is no number is not written: nothing would read the file again") func numbers() {
        for (nanoseconds, ratio) in [(Double.nan, nil), (1, Double.infinity), (.infinity, 1)] {
            let row = Measured(
                scenario: idle("x"), nanoseconds: nanoseconds, spread: 0, ratio: ratio)
            #expect(
                failure { try requireNumbers([row]) } == "x: the time of it or its floor is none")
        }
        let plain = Measured(scenario: idle("x"), nanoseconds: 1, spread: 0)
        #expect(failure { try requireNumbers([plain]) } == nil)
    }

    @Test("a broken file is left as it is") func left() throws {
        try withFile("broken\n".utf8) { path in
            #expect(failure { try obey("history --file \(path) --revision a", [idle("x")]) } != nil)
            let kept = try readText(path)
            #expect(kept == "broken\n")
            for name in ["", "#a", "a\tb"] { #expect(!isRevision(name)) }
        }
    }

    @Test("a command writes and draws it") func command() throws {
        try withTemporaryFolder { folder in
            for name in ["a", "b", "b"] {
                #expect(
                    try obey(
                        "history --file \(folder)/h.tsv --revision \(name)",
                        [idle("x-floor"), idle("x", floor: "x-floor"), idle("y")]))
            }
            let history = try History(readText(folder + "/h.tsv"), path: "h.tsv")
            #expect(history.revisions.map(\.name) == ["a", "b"])
            #expect(history.revisions[1].lines.keys.sorted() == ["x", "y"])
            #expect(history.revisions[1].lines["x"]?.ratio != nil)
            try obey("plot --file \(folder)/h.tsv --out \(folder)/h.svg", [])
            #expect(try readText(folder + "/h.svg").hasPrefix("<svg "))
        }
    }

    @Test("the drawing is XML, has each scenario, and needs one") func drawing() throws {
        var history = History()
        #expect(failure { _ = try historyPlot(history) } != nil)
        history.add(revision("a<b>&c", 1.1))
        #expect(try historyPlot(history).contains("a&lt;b&gt;&amp;c"))
        // Marks behind a sign of XML make one character of both.
        history.add(revision("x<\u{301}y&\u{200d}z\u{1}", 1.1))
        let marked = "x&lt;\u{301}y&amp;\u{200d}z\u{fffd}"
        #expect(try historyPlot(history).utf8.contains(Array(marked.utf8)))
        history.add(revision("b", nil))
        let drawing = try historyPlot(history)
        #expect(drawing.contains(">orders/read<") && drawing.contains(">orders/sum<"))
        #expect(!drawing.contains("\"nan") && !drawing.contains(">nan<"))
        #expect(try !historyPlot(history) { $0 == "orders/sum" }.contains("orders/read"))
    }
}
