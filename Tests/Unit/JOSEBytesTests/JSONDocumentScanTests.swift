// The scan of documents of other parties: duplicates are marked where they are tolerated, a fault has its position.

import JOSEBytes
import Testing

@Suite("JSON scanner: documents")
struct JSONDocumentScanTests {
    /// The objects and arrays that are marked, in pre-order, or the fault with its position.
    private func scan(_ text: String, tolerated: Int) -> String {
        let bytes = Array(text.utf8)
        var nodes: [JSONNode] = []
        var position = -1
        do {
            try nodes.append(addingCapacity: 64) { (out) throws(JSONFault) in
                try JSON.scanDocument(
                    bytes.span, maximumDepth: 8, toleratedDepth: tolerated, into: &out,
                    position: &position)
            }
        } catch {
            return "\(error) at \(position)"
        }
        let containers = nodes.filter { $0.kind == .object || $0.kind == .array }
        return containers.map { $0.hasDuplicates ? "x" : "." }.joined()
    }

    @Test(
        "an object with a member twice is marked, and all that it is in below the tolerated depth")
    func marks() {
        let rows: [(text: String, tolerated: Int, marks: String)] = [
            (#"{"a":1}"#, 0, "."), (#"{"a":1,"a":2}"#, 0, "x"), (#"{"a":1,"\u0061":2}"#, 0, "x"),
            (#"{"k":[{"a":1,"a":2},{"a":1}]}"#, 0, "xxx."),
            (#"{"k":[{"a":1,"a":2},{"a":1}]}"#, 1, ".xx."),
            (#"{"k":[{"a":1,"a":2},{"a":1}]}"#, 2, "..x."),
            (#"{"k":[{"b":{"c":[{"a":1,"a":2}]}},{"d":{}}]}"#, 1, ".xxxxx.."),
            (#"{"k":[{"b":{"a":1,"a":2},"c":{"a":1,"a":2}},{}]}"#, 2, "..xxx."),
            (#"{"k":[{"b":{"a":1,"a":2}},{"b":{"a":1,"a":2}}]}"#, 1, ".xxxxx"),
        ]
        for row in rows {
            #expect(scan(row.text, tolerated: row.tolerated) == row.marks, "\(row.text)")
        }
    }

    @Test("above the tolerated depth, and where none is, a member twice is a fault")
    func faults() {
        let rows: [(text: String, tolerated: Int, fault: String)] = [
            (#"{"a":1,"a":2}"#, 1, "duplicate at 13"), (#"{"a":1,"a":2}"#, .max, "duplicate at 13"),
            (#"{"k":[{"a":1,"a":2}]}"#, 3, "duplicate at 19"),
            (#"{"k":[{"a":1,"a":2}],"k":1}"#, 1, "duplicate at 27"),
        ]
        for row in rows {
            #expect(scan(row.text, tolerated: row.tolerated) == row.fault, "\(row.text)")
        }
    }

    @Test("the position of a fault is that of the value, name or sign that is wrong")
    func positions() {
        let rows: [(text: String, fault: String)] = [
            ("", "syntax at 0"), ("{", "syntax at 1"), ("[1,]", "syntax at 3"),
            (#"{"a" 1}"#, "syntax at 1"), (#"{"a":1 "b":2}"#, "syntax at 7"),
            ("[1 2]", "syntax at 3"),
            ("[01]", "syntax at 2"), ("[-]", "number at 1"), ("[\"\u{1}\"]", "syntax at 1"),
            ("[tru]", "syntax at 1"), ("[] x", "syntax at 2"),
            ("[[[[[[[[[1]]]]]]]]]", "depth at 8"),
            (#"["\ud800"]"#, "utf8 at 1"),
        ]
        for row in rows { #expect(scan(row.text, tolerated: 0) == row.fault, "\(row.text)") }
    }
}
