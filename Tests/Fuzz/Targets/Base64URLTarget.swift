// base64url: every kernel compared with the definition, bit by bit, in both directions.

import JOSEBytes

extension FuzzTarget {
    static let base64url = FuzzTarget("base64url") { bytes in
        // From the second byte on, too, so that no kernel can rely on the alignment of its input.
        try check(bytes)
        try check(Array(bytes.dropFirst()))
        if bytes.count > 2 {
            try decoders(bytes.span.extracting(droppingFirst: 1), Array(bytes.dropFirst()))
        }
    }

    private static func check(_ bytes: [UInt8]) throws {
        try decoders(bytes.span, bytes)
        let text = encode(bytes)
        for kernel in Base64URLKernel.allCases where kernel.isAvailable {
            let made = [UInt8](capacity: text.count) {
                $0.appendBase64URL(of: bytes.span, kernel: kernel)
            }
            try hold(made == text, "\(kernel) encodes otherwise")
        }
        let secret = [UInt8](capacity: text.count) { Base64URL.encodeSecret(bytes.span, into: &$0) }
        try hold(secret == text, "the encoder for secrets encodes otherwise")
        try hold(Base64URL.decode(text.span) == bytes, "decoding does not undo encoding")
        let standard = StandardBase64.encode(bytes.span)
        if !bytes.isEmpty {
            try hold(StandardBase64.decode(standard.utf8.span) == bytes, "base64 is not undone")
        }
        if let read = StandardBase64.decode(bytes.span) {
            try hold(
                Array(StandardBase64.encode(read.span).utf8) == bytes, "two spellings of base64")
        }
    }

    private static func decoders(_ text: Span<UInt8>, _ copy: [UInt8]) throws {
        let expected = decode(copy)
        for kernel in Base64URLKernel.allCases where kernel.isAvailable {
            var good = false
            let made = [UInt8](capacity: Base64URL.decodedCount(text.count) ?? 0) {
                good = Base64URL.decode(text, into: &$0, kernel: kernel)
            }
            try hold((good ? made : nil) == expected, "\(kernel) decodes otherwise")
        }
        var good = false
        let secret = [UInt8](capacity: Base64URL.decodedCount(text.count) ?? 0) {
            good = Base64URL.decodeSecret(text, into: &$0)
        }
        try hold((good ? secret : nil) == expected, "the decoder for secrets decodes otherwise")
        try hold(Base64URL.isValid(text) == (expected != nil), "isValid judges otherwise")
        if let expected { try hold(encode(expected) == copy, "two spellings of the same bytes") }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// RFC 4648, 5, without padding, one bit after the other.
    private static func encode(_ bytes: [UInt8]) -> [UInt8] {
        (0..<(bytes.count * 8 + 5) / 6).map { index in
            var value = 0
            for bit in index * 6..<index * 6 + 6 {
                let set = bit < bytes.count * 8 && bytes[bit / 8] >> (7 - bit % 8) & 1 == 1
                value = value << 1 | (set ? 1 : 0)
            }
            return alphabet[value]
        }
    }

    private static let values: [Int] = {
        var values = [Int](repeating: -1, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = value }
        return values
    }()

    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var held = 0
        var bits = 0
        for character in text {
            guard values[Int(character)] >= 0 else { return nil }
            held = held << 6 | values[Int(character)]
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(held >> bits))
                held &= 1 << bits - 1
            }
        }
        return held == 0 ? bytes : nil
    }
}
