// Parses untrusted text by bytes, as other parsers of the protocols do.

/// Splitting by Characters gives other parts than other parsers find. A space with a combining
/// accent is not a space, and the Greek question mark equals the semicolon. So `./dev lint` rejects
/// splitting at a literal, `hasPrefix` and `hasSuffix`.
extension String {
    /// Returns the parts between occurrences of an ASCII byte, including empty parts.
    package func pieces(at separator: UInt8) -> [String] {
        utf8.split(separator: separator, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The parts between spaces. Several spaces count as one.
    package var words: [String] {
        let bytes = utf8.span
        var words: [String] = []
        var at = 0
        while at < bytes.count {
            let end = bytes.index(of: 0x20, in: at..<bytes.count)
            if end > at { words.append(String(copying: bytes.extracting(at..<end))) }
            at = end + 1
        }
        return words
    }

    package func begins(with beginning: String) -> Bool { utf8.starts(with: beginning.utf8) }

    package func ends(with ending: String) -> Bool {
        utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    package func removingPrefix(_ beginning: String) -> String? {
        begins(with: beginning)
            ? String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self) : nil
    }

    /// Whether at most 30 combining marks follow each other (Unicode Standard Annex #15, 13), as in
    /// every language. `String` sorts marks in quadratic time to compare or hash a text. So
    /// untrusted keys of a dictionary are `ExactString`s or are checked with this property.
    package var isStreamSafe: Bool {
        guard !isPrintableASCII, utf8.contains(where: { $0 >= 0x80 }) else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isMark ? marks &+ 1 : 0
            if marks > 30 { return false }
        }
        return true
    }

    /// The text with the letters A to Z in lower case, for names whose case is ignored. Unicode's
    /// lower case would map other characters to ASCII too: the Kelvin sign to k.
    package var lowercasedASCII: String {
        let isCapital = { (byte: UInt8) in 0x41...0x5a ~= byte }
        guard utf8.contains(where: isCapital) else { return self }
        return String(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    package func contains(byte: UInt8) -> Bool { utf8.contains(byte) }
}

extension Unicode.Scalar {
    /// Whether the combining class is not 0. Only U+034F to U+036F and characters from U+0483 need
    /// Unicode's table, at 10 ns each.
    fileprivate var isMark: Bool {
        switch value {
        case ..<0x300, 0x370..<0x483: false
        case ..<0x34f: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
