// The offset at which a text stops being strict JSON.

import JOSEBytes
import Testing

@Suite struct JSONErrorOffsetTests {
    private func offset(_ text: String, depth: Int = 4) -> (JSONError, Int)? {
        offset(Array(text.utf8), depth: depth)
    }

    private func offset(_ bytes: [UInt8], depth: Int = 4) -> (JSONError, Int)? {
        withScratch(of: JSONNode.self, capacity: JSON.nodeCapacityBound(bytes.count)) { nodes in
            do throws(JSONError) {
                try JSON.scan(bytes.span, maxDepth: depth, into: &nodes)
                return nil
            } catch {
                let found = JSON.offset(of: error, in: bytes.span, nodes.span)
                let again = JSON.offset(of: error, in: bytes.span, maxDepth: depth)
                return found == again ? (error, found) : (error, -1)
            }
        }
    }

    @Test(
        "The offset is that of the token where the reader stopped",
        arguments: [
            ("", JSONError.syntax, 0), (" x", .syntax, 1), ("{", .syntax, 1), ("{}x", .syntax, 2),
            ("{} x", .syntax, 3), ("{},", .syntax, 2), ("[1,2", .syntax, 4), ("[1,2,]", .syntax, 5),
            ("[1 2]", .syntax, 3), (#"{"a":1,}"#, .syntax, 7), (#"{"a":1,"b"}"#, .syntax, 10),
            (#"{"a":tru}"#, .syntax, 5), (#"{"a":{"b":[1,nul]}}"#, .syntax, 13),
            (#"{"a":-}"#, .number, 5), ("[1.]", .number, 1), (#"{"a":1"b":2}"#, .syntax, 6),
            ("[[[[[1]]]]]", .depth, 4), (#"{"a":1,"a":2}"#, .duplicate, 7),
            (#"{"x":{"a":1,"b":2,"a":3}}"#, .duplicate, 18),
            (#"[{"a":1,"\u0061":2}]"#, .duplicate, 8),
            ("[\"a\u{1}\"]", .syntax, 1),
        ] as [(String, JSONError, Int)])
    func offsets(_ text: String, _ failure: JSONError, _ wanted: Int) throws {
        let found = try #require(offset(text))
        #expect(found.0 == failure && found.1 == wanted, "\(found)")
    }

    @Test("Invalid UTF-8: the offset is that of its string") func utf8() throws {
        let found = try #require(offset(Array(#"{"a":""#.utf8) + [0xff] + Array(#""}"#.utf8)))
        #expect(found.0 == .utf8 && found.1 == 5)
    }

    @Test(
        "In an object of any size the offset is that of the duplicate name",
        arguments: [2, 31, 32, 33, 255, 256, 257, 2_000])
    func many(_ count: Int) throws {
        // The duplicate name is last, or others follow it, one of which is a duplicate, too.
        for (name, rest) in [
            ("m0", ""), (#"\u006d0"#, ""), ("m0", #","m1":2"#), (#"\u006d0"#, #","n":2,"m1":3"#),
        ] {
            let members = (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",")
            let found = try #require(offset("[1,{\(members),\"\(name)\":1\(rest)}]"))
            #expect(found.0 == .duplicate && found.1 == 5 + members.utf8.count, "\(found)")
        }
    }

    /// About 250 KB of members whose long names differ at their ends, plus one more.
    private static func longNames(_ count: Int, _ start: String, _ last: String) -> [UInt8] {
        let middle = String(repeating: "n", count: 250_000 / count)
        let members = (0..<count).map { "\"\(start)\(middle)\($0)\":0," }.joined()
        return Array("{\(members)\"\(start)\(middle)\(last)\":0}".utf8)
    }

    @Test(
        "work-bounds: finding the duplicate name is as fast as reading text of its size",
        arguments: [2, 8, 31, 32, 64, 128, 255, 256, 257, 512, 1_000])
    func work(_ count: Int) {
        for start in ["", "\\u006e", "\\\""] {
            func time(_ last: String, _ wanted: JSONError?) -> Int {
                let text = JSONErrorOffsetTests.longNames(count, start, last)
                return leastTime { #expect(offset(text)?.0 == wanted) }
            }
            let accepted = time("x", nil)
            // `offset` scans and searches twice. Comparing each pair took 100 times as long.
            let rejected = time("\(count - 1)", .duplicate)
            #expect(rejected < accepted * 12 + 1_000_000, "\(rejected) beside \(accepted) ns")
        }
    }

    @Test("No offset is beyond the end of a truncated or changed text")
    func bounds() {
        let text = Array(#"{"a":[1,-2.5e3,{"b":null,"c":"\u00e9"}],"d":{"e":true},"f":"x"}"#.utf8)
        for count in 0..<text.count {
            guard let (_, at) = offset(Array(text[..<count])) else {
                Issue.record("\(count) bytes were accepted")
                continue
            }
            #expect(0...count ~= at, "\(count): \(at)")
        }
        for index in text.indices {
            for byte in [0x00, 0x22, 0x2c, 0x3a, 0x5b, 0x7d, 0xff] as [UInt8] {
                var changed = text
                changed[index] = byte
                guard let (_, at) = offset(changed) else { continue }
                #expect(0...changed.count ~= at, "\(index): \(at)")
            }
        }
    }
}
