// The addresses of requests: the quick way for two of one spelling says what their normal forms say.

import JOSE
import Testing

@testable import JOSEOpenID

@Suite("Addresses of requests")
struct TargetTests {
    /// Every text of one piece from each list.
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

    @Test("RFC 9449 4.3: one spelling is one address, if it is an address at all")
    func alike() {
        #expect(TargetTests.spellings.count == 8 * 20 * 15 * 7)
        var addresses = 0
        // One expectation for each text would take most of the time.
        var wrong: [String] = []
        for text in TargetTests.spellings {
            let isAddress = RequestTarget(text) != nil
            if isAddress { addresses += 1 }
            let bare = RequestTarget.withoutQuery(text)
            if RequestTarget.areSame(text, bare) != isAddress
                || RequestTarget.areSame(text, text) != isAddress
                || RequestTarget(bare) != RequestTarget(text)
            {
                wrong.append(text)
            }
        }
        #expect(wrong.isEmpty)
        // Three schemes with nine hosts and ten paths, and `https:/` with a path that begins with a host.
        #expect(addresses == (3 * 9 * 10 + 3) * 7)
    }

    @Test("RFC 9449 4.3: two spellings are one address where their normal forms are equal")
    func others() {
        let seen = [
            "https://api.example/a", "https://API.example:443/a?x", "https://api.example/a%2fb",
            "https://[::1]", "https://api.example/", "https://api.example/%zz", "",
        ]
        var wrong: [String] = []
        for a in seen {
            let target = RequestTarget(a)
            for b in TargetTests.spellings {
                let isSame = target != nil && RequestTarget(b) == target
                if RequestTarget.areSame(a, b) != isSame || RequestTarget.areSame(b, a) != isSame {
                    wrong.append(a + " " + b)
                }
            }
        }
        #expect(wrong.isEmpty)
    }
}
