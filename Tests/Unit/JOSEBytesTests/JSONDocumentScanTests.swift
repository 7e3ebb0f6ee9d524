// Scanning third-party documents: duplicates are marked where they are tolerated, and an error has
// its position.

import Testing

@testable import JOSEBytes

@Suite("JSON scanner: documents")
struct JSONDocumentScanTests {
    /// The marked objects and arrays in pre-order, or the error with its position.
    private func scan(_ text: String, tolerated: Int) -> String {
        let bytes = Array(text.utf8)
        var nodes: [JSONNode] = []
        var position = -1
        do {
            try nodes.append(addingCapacity: 64) { (out) throws(JSONError) in
                try JSON.scanDocument(
                    bytes.span, maxDepth: 8, toleratedDepth: tolerated, into: &out,
                    position: &position)
            }
        } catch {
            return "\(error) at \(position)"
        }
        let containers = nodes.filter { $0.kind == .object || $0.kind == .array }
        return containers.map { $0.hasDuplicates ? "x" : "." }.joined()
    }

    @Test(
        "an object with a duplicate is marked, with its parents below the tolerated depth")
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

    @Test("above the tolerated depth, or without one, a duplicate member is an error")
    func failures() {
        let rows: [(text: String, tolerated: Int, failure: String)] = [
            (#"{"a":1,"a":2}"#, 1, "duplicate at 13"), (#"{"a":1,"a":2}"#, .max, "duplicate at 13"),
            (#"{"k":[{"a":1,"a":2}]}"#, 3, "duplicate at 19"),
            (#"{"k":[{"a":1,"a":2}],"k":1}"#, 1, "duplicate at 27"),
        ]
        for row in rows {
            #expect(scan(row.text, tolerated: row.tolerated) == row.failure, "\(row.text)")
        }
    }

    @Test("nested objects with duplicates are marked in linear time")
    func depth() throws {
        // The positions of the duplicates: at every level, at every other one, at both ends.
        let levels: [(Int, Int) -> Bool] = [
            { _, _ in true }, { level, _ in level % 2 == 0 },
            { level, count in level < 2 || level > count - 3 },
        ]
        for hasDuplicate in levels {
            func time(_ count: Int) throws -> Int {
                let opening = (0..<count).map { hasDuplicate($0, count) ? #"{"":0,"":"# : #"{"":"# }
                let text = Array(
                    ("[" + opening.joined() + "1" + String(repeating: "}", count: count) + "]").utf8
                )
                return leastTime {
                    var nodes: [JSONNode] = []
                    var position = -1
                    var failure: JSONError?
                    do throws(JSONError) {
                        try nodes.append(addingCapacity: JSON.nodeCapacityBound(text.count)) {
                            (out) throws(JSONError) in
                            try JSON.scanDocument(
                                text.span, maxDepth: .max, toleratedDepth: 1, into: &out,
                                position: &position)
                        }
                    } catch { failure = error }
                    #expect(failure == nil)
                    // All containers of the innermost one, except the array.
                    let innermost = (0..<count).last { hasDuplicate($0, count) } ?? -1
                    #expect(nodes.count { $0.hasDuplicates } == innermost + 1)
                }
            }
            let small = try time(2_000)
            let large = try time(16_000)
            // Eight times the levels. If each level were passed again for those inside it, the time
            // would be 64 times as long.
            #expect(large < small * 20, "\(small) to \(large)")
        }
    }

    @Test("more nodes than the table of duplicates can index are rejected before reading")
    func indexes() {
        let text = Array("{}".utf8)
        for (capacity, wanted) in [(1 << 26, nil), ((1 << 26) + 1, JSONError.tooLarge)] {
            var position = -1
            let failure = withScratch(of: JSONNode.self, capacity: capacity) { nodes in
                do throws(JSONError) {
                    try JSON.scanDocument(
                        text.span, maxDepth: 8, toleratedDepth: .max, into: &nodes,
                        position: &position)
                    return JSONError?.none
                } catch { return error }
            }
            #expect(failure == wanted, "\(capacity)")
        }
    }

    @Test("the position of an error is that of the wrong value, name or character")
    func positions() {
        let rows: [(text: String, failure: String)] = [
            ("", "syntax at 0"), ("{", "syntax at 1"), ("[1,]", "syntax at 3"),
            (#"{"a" 1}"#, "syntax at 1"), (#"{"a":1 "b":2}"#, "syntax at 7"),
            ("[1 2]", "syntax at 3"),
            ("[01]", "syntax at 2"), ("[-]", "number at 1"), ("[\"\u{1}\"]", "syntax at 1"),
            ("[tru]", "syntax at 1"), ("[] x", "syntax at 2"),
            ("[[[[[[[[[1]]]]]]]]]", "depth at 8"),
            (#"["\ud800"]"#, "utf8 at 1"),
        ]
        for row in rows { #expect(scan(row.text, tolerated: 0) == row.failure, "\(row.text)") }
    }
}
