// Searches a text for private bytes in any encoding, fast enough for ten thousand texts.

/// Finds 32 consecutive bytes of any secret: raw, in hexadecimal, base64, base64url at each offset,
/// and in decimal.
///
/// Every encoding of a secret is cut into anchors of eight characters. The search passes over a
/// text once. If the last eight characters are an anchor, the match is extended in both directions
/// and measured.
struct SecretSearch {
    private struct Needle {
        let text: [UInt8]
        /// The characters of 32 bytes, without those at the edges that also encode neighbouring
        /// bytes.
        let least: Int
    }
    private var needles: [Needle] = []
    private var anchors: [UInt64: [(needle: Int, at: Int)]] = [:]
    /// The values of `slot` that some anchor has, so that few characters need a look-up.
    private var isTaken = [Bool](repeating: false, count: 1 << 20)

    init(_ secrets: [[UInt8]]) {
        for secret in secrets {
            add(secret, least: 32)
            let digits = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            add(Array(digits.utf8), least: 63)
            add(Array(digits.uppercased().utf8), least: 63)
            for offset in 0..<3 {
                add(Array(Independent.base64URL(secret.dropFirst(offset)).utf8), least: 41)
            }
            add(SecretSearch.decimal(secret), least: 70)
            // Every run of 32 bytes as a separate number.
            for start in stride(from: 0, through: secret.count - 32, by: 1) {
                add(SecretSearch.decimal(Array(secret[start..<(start + 32)])), least: 70)
            }
        }
    }

    /// Whether the text contains a run of a secret.
    func finds(_ text: [UInt8]) -> Bool {
        // base64 differs from base64url in two characters.
        var window: UInt64 = 0
        for index in text.indices {
            window = window << 8 | UInt64(SecretSearch.url(text[index]))
            guard index >= 7, isTaken[SecretSearch.slot(window)], let places = anchors[window]
            else { continue }
            for place in places where measure(text, index - 7, place) >= needles[place.needle].least
            {
                return true
            }
        }
        return false
    }

    private mutating func add(_ text: [UInt8], least: Int) {
        let needle = Needle(text: text.map(SecretSearch.url), least: least)
        for at in stride(from: 0, through: text.count - 8, by: 8) {
            var window: UInt64 = 0
            for byte in needle.text[at..<(at + 8)] { window = window << 8 | UInt64(byte) }
            anchors[window, default: []].append((needles.count, at))
            isTaken[SecretSearch.slot(window)] = true
        }
        needles.append(needle)
    }

    /// The number of characters around the anchor that match.
    private func measure(
        _ text: [UInt8], _ start: Int, _ place: (needle: Int, at: Int)
    ) -> Int {
        let needle = needles[place.needle].text
        var (count, back) = (0, 0)
        while start + count < text.count, place.at + count < needle.count,
            SecretSearch.url(text[start + count]) == needle[place.at + count]
        {
            count += 1
        }
        while start > back, place.at > back,
            SecretSearch.url(text[start - back - 1]) == needle[place.at - back - 1]
        {
            back += 1
        }
        return count + back
    }

    private static func url(_ byte: UInt8) -> UInt8 {
        byte == 0x2b ? 0x2d : byte == 0x2f ? 0x5f : byte
    }

    private static func slot(_ window: UInt64) -> Int {
        Int(truncatingIfNeeded: (window &* 0x9e37_79b9_7f4a_7c15) >> 44)
    }

    /// A big-endian number in decimal.
    static func decimal(_ bytes: [UInt8]) -> [UInt8] {
        var words: [UInt64] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            words.append(rest.suffix(4).reduce(0) { $0 << 8 | UInt64($1) })
            rest = rest.dropLast(4)
        }
        var digits = ""
        while !words.isEmpty {
            var remainder: UInt64 = 0
            for index in words.indices.reversed() {
                let value = remainder << 32 | words[index]
                (words[index], remainder) = (value / 1_000_000_000, value % 1_000_000_000)
            }
            while words.last == 0 { words.removeLast() }
            let part = String(remainder)
            digits =
                (words.isEmpty ? part : String(repeating: "0", count: 9 - part.count) + part)
                + digits
        }
        return Array(digits.utf8)
    }
}
