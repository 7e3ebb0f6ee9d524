// A duplicate member of an object is rejected at any depth, in linear time.

import Glibc
import Testing

@testable import JOSEBytes

@Suite struct JSONDuplicateTests {
    @Test(
        "RFC 7515 4, 7517 4, 7519 4: a duplicate member is rejected",
        arguments: [
            "{\"alg\":\"none\",\"alg\":\"RS256\"}", "{\"alg\":1,\"alg\":1}",
            "{\"a\":1,\"b\":2,\"a\":3}", "{\"\":1,\"\":2}",
            "{\"a\":{\"b\":[{\"c\":1,\"d\":2,\"c\":3}]}}", "[[{\"x\":{},\"x\":[]}]]",
            "{\"a\":[1,2,{\"z\":0}],\"a\":1}",
            "{\"a\":{\"a\":1},\"a\":1}", "{ \"a\" : 1 , \"a\" : 2 }", "{\"é\":1,\"é\":2}",
            "{\"a-long-name-of-more-than-sixteen\":1,\"a-long-name-of-more-than-sixteen\":2}",
            // Around and after containers.
            "{\"a\":1,\"a\":[]}", "{\"a\":1,\"a\":{}}", "{\"a\":1,\"b\":{},\"a\":2}",
            "{\"a\":1,\"b\":[1],\"b\":2}", "{\"a\":{},\"a\":{}}", "{\"a\":1,\"a\":{\"b\":2}}",
            "[1,{\"a\":1,\"a\":[]}]", "{\"x\":{\"a\":1,\"a\":{}}}", "[[],{\"a\":[],\"a\":[]}]",
        ])
    func twice(_ text: String) {
        #expect(failure(text) == .duplicate)
    }

    @Test(
        "RFC 8259 7: names are compared after unescaping",
        arguments: [
            "{\"alg\":1,\"\\u0061lg\":2}", "{\"\\u0061lg\":1,\"alg\":2}",
            "{\"\\u0061lg\":1,\"a\\u006cg\":2}",
            "{\"a/b\":1,\"a\\/b\":2}", "{\"😀\":1,\"\\ud83d\\ude00\":2}",
            "{\"\\n\":1,\"\\u000A\":2}",
            "{\"x\":1,\"y\":2,\"z\":3,\"\\u0078\":4}",
        ])
    func escaped(_ text: String) {
        #expect(failure(text) == .duplicate)
    }

    @Test(
        "Different names are not duplicates",
        arguments: [
            "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}", "[{\"a\":1},{\"a\":1}]",
            "{\"a\":1,\"A\":2}", "{\"a\":1,\"a\\u0000\":2}",
            "{\"\":1,\"\\u0000\":2}", "{\"é\":1,\"e\u{301}\":2}",
            "{\"abcdefgh1ABCDEFGH\":1,\"abcdefgh2ABCDEFGH\":2}",
            "{\"ab\":1,\"ba\":2,\"a\":3,\"b\":4,\"aa\":5}", "{\"\\u0061\":1,\"\\u0062\":2}",
        ])
    func different(_ text: String) {
        #expect(failure(text) == nil)
    }

    /// An object of `count` members; the names share their first and last eight bytes if `alike`.
    func object(_ count: Int, alike: Bool = false, escaped: Int? = nil) -> String {
        let members = (0..<count).map { i in
            let name = alike ? "abcdefgh\(10_000_000 + i)ABCDEFGH" : "n\(i)"
            return i == escaped
                ? "\"\\u00\(name.utf8.first == 0x61 ? "61" : "6e")\(name.dropFirst())\":0"
                : "\"\(name)\":0"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test("A duplicate is found at every count near the change of method, at every two positions")
    func places() {
        for count in [1, 2, 3, 31, 32, 33, 34, 65] {
            for alike in [false, true] {
                let text = object(count, alike: alike)
                #expect(failure(text) == nil)
                for first in 0..<count {
                    let name = alike ? "abcdefgh\(10_000_000 + first)ABCDEFGH" : "n\(first)"
                    #expect(failure(text.dropLast() + ",\"\(name)\":1}") == .duplicate)
                    #expect(failure("{\"\(name)\":1," + text.dropFirst()) == .duplicate)
                }
                #expect(failure(object(count, alike: alike, escaped: count / 2)) == nil)
                #expect(
                    failure(
                        object(count, alike: alike, escaped: count / 2).dropLast()
                            + ",\"n\(count / 2)\":1}")
                        == (alike ? nil : .duplicate))
            }
        }
    }

    @Test("any duplicate name is found, and 1,000 different names are not duplicates")
    func anyName() {
        var generator = Generator(seed: 18)
        var members: [String] = []
        for index in 0..<1_000 {
            let count = Int.random(in: 0..<20, using: &generator)
            let letters = (0..<count).map { _ in UInt8.random(in: 0x61...0x7a, using: &generator) }
            let name = String(decoding: letters, as: UTF8.self) + String(index)
            members.append("\"\(name)\":\"x\"")
            if failure("{\"\(name)\":1,\"\(name)\":2}") != .duplicate { Issue.record("\(name)") }
            if failure("{\"a\":[0],\"\(name)\":1,\"b\":{\"c\":0},\"\(name)\":2}") != .duplicate {
                Issue.record("\(name) in four")
            }
        }
        #expect(failure("{" + members.joined(separator: ",") + "}") == nil)
        #expect(failure("[{" + members.prefix(40).joined(separator: ",") + "},1]") == nil)
    }

    @Test("100,000 members take linear time, whatever their names")
    func linear() {
        for alike in [false, true] {
            func time(_ count: Int) -> Int {
                let text = Array(object(count, alike: alike).utf8)
                return leastTime { #expect(failure(text) == nil) }
            }
            let small = time(12_500)
            let large = time(100_000)
            // Eight times the members; a quadratic search would take 64 times as long.
            #expect(large < small * 20, "\(small) to \(large)")
        }
        let text = object(100_000)
        #expect(failure(text.dropLast() + ",\"n0\":1}") == .duplicate)
    }

    @Test("Many small objects with colliding names take linear time")
    func smallObjects() {
        func time(_ count: Int) -> Int {
            let one = object(32, alike: true)
            let text = Array(
                ("[" + [String](repeating: one, count: count).joined(separator: ",") + "]").utf8)
            return leastTime { #expect(failure(text) == nil) }
        }
        #expect(time(400) < time(50) * 20)
    }
}

/// The least processor time of this thread, in nanoseconds, which other programs do not affect.
func leastTime(_ work: () -> Void) -> Int {
    func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
    return (0..<5).map { _ in
        let start = now()
        work()
        return now() - start
    }.min() ?? 0
}

private func failure(_ text: Substring) -> JSONError? { failure(String(text)) }
