// Entries of key sets at which the JSON scanner stops: a lone surrogate (RFC 8259, 8.2), too many
// levels or too many values. Only the entry is skipped.

import JOSEBytes
import Testing

@testable import JOSE

@Suite("Third-party key sets: entries with invalid JSON")
struct BrokenEntryTests {
    /// A value of an unknown member, and the contents of the reason.
    typealias Row = SkippedKeyTests.Row

    private static func nested(_ open: String, _ depth: Int, _ close: String) -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    private static let surrogate = "one half of a surrogate pair"
    static let rows: [Row] = [
        Row("a high surrogate", #""\ud800""#, nil, surrogate),
        Row("a low surrogate", #""\udc00""#, nil, surrogate),
        Row("the last low surrogate", #""a\uDFFFb""#, nil, surrogate),
        Row("two high surrogates", #""\ud83d\ud83d\ude00""#, nil, surrogate),
        Row("the halves in the wrong order", #""\ude00\ud83d""#, nil, surrogate),
        Row("a high surrogate and another escape", #""\ud83d\u0041""#, nil, surrogate),
        Row("a high surrogate and a letter", #""\ud83dA""#, nil, surrogate),
        Row("half of a pair in a name", #"{"\udfff":1}"#, nil, surrogate),
        Row("half of a pair behind a reverse solidus", #""\\\ud800""#, nil, surrogate),
        Row("half of a pair in an array of an object", #"{"a":["\ud800"]}"#, nil, surrogate),
        Row(
            "30 arrays", nested("[", 30, "]"), nil, "deeper than 32 levels", "JOSELimits.jsonDepth"),
        Row("30 objects", nested(#"{"a":"#, 30, "}"), nil, "deeper than 32 levels"),
        Row("5,000 arrays", nested("[", 5_000, "]"), nil, "deeper than 32 levels"),
        Row("5,000 objects", nested(#"{"d":"#, 5_000, "}"), nil, "deeper than 32 levels"),
        Row(
            "8,000 numbers", "[" + Array(repeating: "0", count: 8_000).joined(separator: ",") + "]",
            nil,
            "names and values, too many"),
        Row(
            "8,000 empty arrays",
            "[" + Array(repeating: "[]", count: 8_000).joined(separator: ",") + "]", nil,
            "names and values, too many"),
    ]

    private static let n = (try? KeyText.members(KeyText.publicKey())["n"]?.string) ?? ""

    /// An RSA key with kid z and this value in an unknown member.
    private static func entry(_ value: String, _ member: String = "x-a") -> String {
        #"{"kid":"z","kty":"RSA","n":"\#(n)","e":"AQAB","\#(member)":\#(value)}"#
    }

    @Test("the entry is skipped in any position, and every valid key verifies", arguments: rows)
    func neighbours(_ row: Row) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        let other = try KeyText.publicKey(#""kid":"\ud83d\ude00""#, TestKeys.stranger)
        for entry in [Self.entry(row.entry), "[\(row.entry)]"] {
            for position in 0...2 {
                var entries = [good, other]
                entries.insert(entry, at: position)
                for text in [
                    KeyText.set(entries), "\u{feff}" + KeyText.set(entries),
                    #"{"a":"\\ud800",\#(KeyText.set(entries).dropFirst())"#,
                ] {
                    let set = try PublicJWKSet(json: text)
                    #expect(set.count == 3 && set.keys().map(\.keyID) == ["good", "\u{1f600}"])
                    let skipped = try need(set.skipped.first)
                    #expect(set.skipped.count == 1 && skipped.index == position)
                    #expect(skipped.member == nil)
                    for word in row.words { #expect(skipped.reason.contains(word), "\(skipped)") }
                    let own = try JWKSet(json: text)
                    #expect(own.keys.count == 2 && own.skipped.map(\.reason) == [skipped.reason])
                    let lint = try KeyDefects.all(in: Array(text.utf8).span, .standard)
                    #expect(lint.map(\.reason) == [skipped.reason])
                    let verifier = try JWSVerifier.rs256(keys: set)
                    let token = try TestToken.signed(#"{"alg":"RS256","kid":"good"}"#, "x")
                    #expect(try verifier.verify(token).keyID == "good")
                    // A token that names the entry gets its reason.
                    guard entry.contains(#""kid":"z""#) else { continue }
                    #expect(skipped.keyID == "z" && own.skipped.first?.keyID == "z")
                    let named = try TestToken.signed(#"{"alg":"RS256","kid":"z"}"#, "x")
                    expectRejection("key-unusable", message: skipped.reason) {
                        _ = try verifier.verify(named)
                    }
                }
            }
        }
    }

    @Test("values at the limits of depth and density are accepted", arguments: [29, 28, 1])
    func limits(_ depth: Int) throws {
        let deep = Self.nested("[", depth, "]")
        let numbers = "[" + Array(repeating: "0", count: 1_000).joined(separator: ",") + "]"
        let odd = Self.entry(#""\ud800""#)
        for value in [deep, numbers, #""\ud83d\ude00""#, #""\\ud800""#] {
            // Read strictly, and again next to an entry that is not.
            let good = Self.entry(value).replacing("\"z\"", with: "\"good\"")
            #expect(try PublicJWKSet(json: KeyText.set([good])).keys().count == 1)
            let set = try PublicJWKSet(json: KeyText.set([good, odd]))
            #expect(set.keys().map(\.keyID) == ["good"] && set.skipped.map(\.index) == [1])
        }
    }

    @Test("a private or symmetric member in such an entry rejects the whole set", arguments: rows)
    func secrets(_ row: Row) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        for member in [
            #""d":null"#, #""d":"\ud800""#, #""k":"AA""#, #""\u0064":1"#, #""oth":[]"#,
            #""priv":"""#, #""q":[[]]"#,
        ] {
            for entry in [
                "{\(member),\(Self.entry(row.entry).dropFirst())",
                "\(Self.entry(row.entry).dropLast()),\(member)}",
                #"{"kty":null,"x-a":\#(row.entry),\#(member)}"#,
                "{\"x-a\":\(row.entry),\(member)}",
            ] {
                for entries in [[entry, good], [good, entry]] {
                    expectRejection("key-unusable") {
                        _ = try PublicJWKSet(json: KeyText.set(entries))
                    }
                }
            }
        }
    }

    @Test("invalid JSON outside the entries rejects the whole set", arguments: rows)
    func outside(_ row: Row) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        let code = row.words.contains(Self.surrogate) ? "malformed" : "limit-exceeded"
        let isDense = row.words.contains { $0.contains("too many") }
        // Two levels less are around it.
        let value = isDense ? row.entry : "[[\(row.entry)]]"
        var texts = [
            #"{"x":\#(value),"keys":[\#(good)]}"#, #"{"keys":[\#(good)],"x":\#(value)}"#,
        ]
        // The limit on the number of values depends on the size of the text.
        if !isDense { texts.append(#"{"x":\#(value),"keys":[\#(Self.entry(row.entry))]}"#) }
        for text in texts {
            expectRejection(code) { _ = try PublicJWKSet(json: text) }
            expectRejection(code) { _ = try JWKSet(json: text) }
        }
    }

    @Test(
        "invalid JSON grammar rejects the whole set, after such an entry and inside it",
        arguments: rows)
    func noJSON(_ row: Row) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        let entry = Self.entry(row.entry)
        for text in [
            KeyText.set([String(entry.dropLast()), good]), KeyText.set([entry + "}", good]),
            KeyText.set([entry, good, ""]), KeyText.set([entry, good]) + "}",
            KeyText.set([entry.replacing("\"x-a\":", with: "\"x-a\":,"), good]),
            KeyText.set([entry.replacing("\"z\"", with: "\"\\x\""), good]),
            KeyText.set([entry.replacing("\"z\"", with: "\"\\ud80\""), good]),
            #"{"keys":[],\#(KeyText.set([entry, good]).dropFirst())"#,
            #"{"keys":{"a":\#(entry)}}"#, #"{"key":[\#(entry)]}"#,
        ] {
            #expect((try? PublicJWKSet(json: text)) == nil, "\(text.prefix(200))")
            #expect((try? JWKSet(json: text)) == nil, "\(text.prefix(200))")
        }
        // Invalid UTF-8 next to a lone surrogate.
        var bytes = Array(KeyText.set([entry, good]).utf8)
        bytes[try need(bytes.firstIndex(of: UInt8(ascii: "z")))] = 0xff
        expectRejection("malformed") { _ = try PublicJWKSet(json: bytes) }
    }

    @Test("a lone surrogate in kid, kty or n: the entry is skipped and has no kid")
    func names() throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        for (entry, word) in [
            (#"{"kid":"\ud800","kty":"RSA","n":"\#(Self.n)","e":"AQAB"}"#, Self.surrogate),
            (#"{"kty":"R\udc00SA","n":"\#(Self.n)","e":"AQAB"}"#, Self.surrogate),
            (#"{"kty":"RSA","n":"\udc00","e":"AQAB"}"#, Self.surrogate),
            (#""\ud800""#, Self.surrogate),
        ] {
            let set = try PublicJWKSet(json: KeyText.set([entry, good]))
            #expect(set.keys().map(\.keyID) == ["good"])
            let skipped = try need(set.skipped.first)
            #expect(skipped.keyID == nil && skipped.reason.contains(word))
            let verifier = try JWSVerifier.rs256(keys: set)
            for kid in [#"\ufffd"#, ""] {
                let token = try TestToken.signed(#"{"alg":"RS256","kid":"\#(kid)"}"#, "x")
                expectRejection("key-not-found") { _ = try verifier.verify(token) }
            }
        }
    }

    @Test("a deep entry with duplicates at each level is skipped because of its depth")
    func deepDuplicates() throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        for count in [40, 60_000] {
            let deep =
                String(repeating: #"{"":0,"":"#, count: count) + "1"
                + String(repeating: "}", count: count)
            for entries in [[good, deep], [deep, good]] {
                let limits = JOSELimits.with { $0.keySetBytes = 1 << 20 }
                let set = try PublicJWKSet(json: KeyText.set(entries), limits: limits)
                #expect(set.keys().map(\.keyID) == ["good"] && set.skipped.count == 1)
                #expect(set.skipped.first?.reason.contains("deeper than 32 levels") == true)
            }
        }
    }

    @Test("a set of 1,000 such entries is read in time, more entries are rejected")
    func many() throws {
        let entry = #"{"kty":"RSA","a":"\ud800"}"#
        let set = try PublicJWKSet(json: KeyText.set(Array(repeating: entry, count: 1_000)))
        #expect(set.skipped.count == 1_000 && set.keys().isEmpty)
        expectRejection("limit-exceeded") {
            _ = try PublicJWKSet(json: KeyText.set(Array(repeating: entry, count: 1_001)))
        }
    }
}
