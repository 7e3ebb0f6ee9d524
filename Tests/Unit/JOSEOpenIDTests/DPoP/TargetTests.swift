// Request URIs: the fast comparison agrees with the comparison of normal forms.

import JOSE
import Testing

@testable import JOSEOpenID

@Suite("Request URIs of proofs")
struct TargetTests {
    /// Every combination of one piece from each list.
    static let spellings: [String] = {
        let lists = [
            ["https://", "HTTPS://", "hTtps://", "http://", "https:/", "https", "", "Https://u@"],
            [
                "api.example", "API.example", "api.example:443", "api.example:8443",
                "api.example:0", "api.example:65536", "api.example:", "[::1]", "[::1]:443",
                "[::ffff:1.2.3.4]",
                "[1:2:3:4:5:6:7:8]", "[1::2::3]", "[::1", "127.0.0.1", "127.1", "0x7f.1", "a..b",
                "-a", "a_b", "",
            ],
            [
                "", "/", "/a", "/A", "/%61", "/a/../a", "/./a", "/a%2fb", "/a%2Fb", "/%zz", "/%6",
                "/a|b", "/a b", "/\u{e9}", "/a:b@c]",
            ],
            ["", "?", "?x=1", "#y", "?x#y", "?|", "#|"],
        ]
        return lists.reduce([""]) { texts, list in texts.flatMap { text in list.map { text + $0 } }
        }
    }()

    @Test("RFC 9449 4.3: equivalent spellings of a valid URI are one URI")
    func alike() {
        #expect(Self.spellings.count == 8 * 20 * 15 * 7)
        var (addresses, alike) = (0, 0)
        // One expectation per string would take most of the time.
        var wrong: [String] = []
        for text in Self.spellings {
            let isAddress = NormalizedURL(text) != nil
            if isAddress { addresses += 1 }
            let bare = NormalizedURL.withoutQuery(text)
            let isSame = NormalizedURL.areSame(text, bare)
            if isSame { alike += 1 }
            // Only the part after the host may be invalid.
            if isAddress && !isSame || NormalizedURL(bare) != NormalizedURL(text)
                || isSame && !Self.hasHost(bare)
            {
                wrong.append(text)
            }
        }
        #expect(wrong.isEmpty)
        // Three schemes with ten hosts and ten paths, and `https:/` with a path that begins with a
        // host.
        #expect(addresses == (3 * 10 * 10 + 3) * 7)
        // The five other paths too.
        #expect(alike == (3 * 10 * 15 + 3) * 7)
    }

    /// Whether it is https with a host, whatever follows.
    static func hasHost(_ text: String) -> Bool {
        let rest = text.dropFirst(8)
        return NormalizedURL(String(text.prefix(8) + rest.prefix { $0 != "/" })) != nil
    }

    @Test("RFC 3986 3.2.3, 6.2.3: an empty port means the default, and our URLs have none")
    func emptyPort() {
        for (a, b) in [
            ("https://api.example/a", "https://api.example:/a"),
            ("https://[::1]:", "https://[::1]"),
            ("https://api.example:443/a", "https://API.example:/a"),
        ] { #expect(NormalizedURL.areSame(a, b) && NormalizedURL.areSame(b, a)) }
        #expect(!NormalizedURL.areSame("https://api.example:8443/", "https://api.example:/"))
        #expect(WebURL("https://api.example:/a") == nil)
    }

    @Test("RFC 9449 4.3: two URIs match if their normal forms are equal")
    func others() {
        let seen = [
            "https://api.example/a", "https://API.example:443/a?x", "https://api.example/a%2fb",
            "https://[::1]", "https://api.example/", "https://api.example/%zz", "",
        ]
        var wrong: [String] = []
        for a in seen {
            let target = NormalizedURL(a)
            for b in Self.spellings {
                // Byte-identical URIs match.
                let isSame =
                    target != nil && NormalizedURL(b) == target
                    || NormalizedURL.withoutQuery(a) == NormalizedURL.withoutQuery(b)
                        && Self.hasHost(NormalizedURL.withoutQuery(a))
                if NormalizedURL.areSame(a, b) != isSame || NormalizedURL.areSame(b, a) != isSame {
                    wrong.append(a + " " + b)
                }
            }
        }
        #expect(wrong.isEmpty)
    }
}
