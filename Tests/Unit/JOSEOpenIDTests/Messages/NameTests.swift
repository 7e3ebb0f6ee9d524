// Parameter names: known names, and names that occur twice.

import JOSE
import Testing

@testable import JOSEOpenID

@Suite("Parameter names")
struct NameTests {
    @Test("a table finds its own names and no others") func table() {
        let groups: [(names: [StaticString], value: Int)] = [
            (["scope", "state", "a"], 1), (["claims", "nonce"], 2), (["code_challenge_method"], 3),
        ]
        let table = NameTable<Int>(groups)
        for group in groups {
            for name in group.names {
                let text = name.description
                #expect(table[text] == group.value)
                #expect(table[text.uppercased()] == nil)
                #expect(table[text + "x"] == nil)
                #expect(table[String(text.dropLast())] == nil)
                #expect(table["x" + text.dropFirst()] == nil)
            }
        }
        #expect(table[""] == nil)
        #expect(table[String(repeating: "n", count: 1_000)] == nil)
        #expect(NameTable<Int>([])[""] == nil)
        #expect(NameTable<Int>([])["a"] == nil)
        #expect(NameTable<Int>([([""], 7)])[""] == 7)
    }

    @Test(
        "a repeated name is found, whatever its length and spelling",
        arguments: [1, 2, 8, 15, 16, 31, 32, 33, 34, 64, 400])
    func twice(_ length: Int) throws {
        let name = String(repeating: "n", count: length)
        let other = String(repeating: "n", count: length - 1) + "m"
        let both = try OpenIDParameters(decoding: "\(name)=1&\(other)=2&b=")
        #expect(both.all == [OpenIDParameter(name, "1"), OpenIDParameter(other, "2")])
        let escaped = "%6E" + name.dropFirst()
        for text in [
            "\(name)=1&\(name)=1", "\(name)=1&\(other)=2&\(name)=3", "\(name)=1&\(escaped)=2",
            "\(escaped)=1&x=2&\(name)=1", "\(name)=&\(name)=1", "\(name)&\(name)",
            "\(name)=%00&\(name)=1",
        ] {
            let error = #expect(throws: JOSEError.self) { try OpenIDParameters(decoding: text) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("the two repeatable parameters may repeat, all others may not") func repeatable() throws {
        let text = "resource=https%3A%2F%2Fa.example&login_hint=1&resource=https%3A%2F%2Fb.example"
        let parameters = try OpenIDParameters(decoding: text + "&login_hint=2")
        #expect(parameters.values("resource") == ["https://a.example", "https://b.example"])
        #expect(parameters.values("login_hint") == ["1", "2"])
        #expect(throws: JOSEError.self) {
            try OpenIDParameters(decoding: text + "&login_hint=2&scope=a&scope=a")
        }
    }
}
