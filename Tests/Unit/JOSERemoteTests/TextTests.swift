// How a server's header is parsed, and which URLs are accepted.

import JOSE
import Testing

@testable import JOSERemote

@Suite("Header fields and URLs")
struct TextTests {
    @Test(
        "RFC 9111 5.2.2: Cache-Control is parsed",
        arguments: [
            (nil, nil, nil), ("", nil, nil), ("public", nil, nil), ("max-age=60", nil, 60),
            ("public, MAX-AGE=60", nil, 60), ("max-age=\"60\"", nil, 60),
            ("max-age=60, no-store", nil, 0), ("no-cache", nil, 0), ("max-age=-1", nil, 0),
            ("max-age=1e3", nil, 0), ("max-age", nil, 0), ("max-age=", nil, 0),
            ("max-age=60,max-age=70", nil, 0), ("s-maxage=9", nil, nil),
            ("max-age=99999999999999999999999999", nil, 2_147_483_648), (" ,, max-age=5 ,", nil, 5),
            ("max-age=100", "40", 60), ("max-age=100", "400", 0), ("max-age=100", "x", 100),
        ] as [(String?, String?, Int64?)])
    func cacheControl(_ text: String?, _ age: String?, _ seconds: Int64?) {
        #expect(CacheControl.freshness(text, age: age) == seconds.map { .seconds($0) })
    }

    @Test("a directive of combining marks costs linear time and is unknown")
    func marks() {
        let marks = String(repeating: "\u{301}\u{327}", count: 60_000)
        let clock = ContinuousClock()
        var best = Duration.seconds(60)
        for _ in 0..<3 {
            let time = clock.measure {
                for name in ["", "n", "no-store", "m", "max-age", "no-cach"] {
                    let freshness = CacheControl.freshness(name + marks + "=60", age: marks)
                    #expect(freshness == nil)
                }
            }
            best = min(best, time)
        }
        #expect(best < .seconds(2))
    }

    @Test(
        "only absolute https URLs without user and fragment are accepted",
        arguments: [
            ("https://a", true), ("HTTPS://a.example/jwks?x=1", true),
            ("https://[::1]:8443/k", true),
            ("http://a", false), ("https://", false), ("https:///x", false), ("https://:1/", false),
            ("https://u@a/", false), ("https://a/@u", true), ("https://a/#f", false), ("", false),
            ("https://a b/", false), ("https://a/\n", false), ("https://ä/", false),
            ("https://a\\@b/", false), ("file:///etc/passwd", false), ("ftp://a/", false),
            ("https://a/" + String(repeating: "x", count: 2_048), false),
        ])
    func urls(_ url: String, _ isAllowed: Bool) async {
        let verdict = await code { () throws(JOSEError) in
            _ = try RemoteJWKSet(url: url, transport: FakeTransport())
        }
        #expect(verdict == (isAllowed ? nil : "misuse"))
    }

    @Test(
        "all spellings of a host name or address count as one host",
        arguments: [
            [
                "rp.example", "RP.EXAMPLE", "rp.example:443", "rp.example:8443", "Rp.Example?x",
                "rp.example/a:b",
            ],
            [
                "[::1]", "[0:0:0:0:0:0:0:1]", "[0::1]", "[::0001]", "[::0.0.0.1]", "[0:0::0:1]:1",
                "[::1]?]",
            ],
            ["127.0.0.1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[0:0:0:0:0:ffff:7F00:0001]"],
            ["[2001:db8::a:0:0:1]", "[2001:0DB8:0:0:A::1]", "[2001:db8::a:0:0.0.0.1]"],
        ])
    func hosts(_ spellings: [String]) throws {
        let first = try #require(RemoteURL.host(of: "https://" + spellings[0] + "/"))
        for spelling in spellings { #expect(RemoteURL.host(of: "https://" + spelling) == first) }
    }

    @Test("other hosts count separately") func otherHosts() {
        let hosts = [
            "rp.example", "rp.example.example", "127.0.0.1", "127.0.0.2", "1.127.0.0", "[::1]",
            "[::2]",
            "[1::]", "[0:1::]", "[::1:0]", "[::127.0.0.1]", "[::fffe:127.0.0.1]",
            "[::1:ffff:127.0.0.1]",
        ]
        let read = hosts.compactMap { RemoteURL.host(of: "https://" + $0 + "/") }
        #expect(read.count == hosts.count && Set(read).count == hosts.count)
        for host in ["a.", "1", "127.1", "0x1", "%61", "[::1", "[1]", "[::1]x", "a..b"] {
            #expect(RemoteURL.host(of: "https://" + host + "/") == nil, "\(host)")
        }
    }

    @Test("header fields are found in any case and joined") func fields() {
        let lines = Array(
            "HTTP/1.1 200 OK\r\nETAG:  \"x\" \r\ncache-control: a\r\nCache-Control: b\r\nX: y\r\nbad\r\n\r\n"
                .utf8)
        let header = ResponseHeader(lines.span)
        #expect(header["etag"] == "\"x\"")
        #expect(header["cache-control"] == "a, b")
        #expect(header["age"] == nil)
        #expect(header["x"] == "y")
        #expect(header["bad"] == nil)
    }
}
