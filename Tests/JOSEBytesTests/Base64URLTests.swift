// base64url both ways, strictly, by every kernel.

import Testing

@testable import JOSEBytes

@Suite struct Base64URLTests {
    @Test("RFC 4648 10: published examples without padding")
    func published() {
        for (bytes, text) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.encodeToString(bytes.utf8.span) == text)
            #expect(Base64URL.decode(text.utf8.span) == Array(bytes.utf8))
        }
    }

    @Test func roundTrip() {
        var generator = Generator(seed: 1)
        for count in 0...300 {
            let bytes = generator.bytes(count)
            let text = Base64URL.encode(bytes.span)
            #expect(text.count == Base64URL.encodedCount(count))
            #expect(Base64URL.decode(text.span) == bytes)
        }
    }
}
