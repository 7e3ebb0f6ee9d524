// Text of the other side is taken apart by its bytes, as every reader beside us does it.

/// For `String` a space with an accent behind it is one Character, another than the space, and the Greek question mark is
/// equal to the semicolon: a list that is split by Characters is another list than the one that everybody else reads. What
/// Swift has for it, splitting at a literal and asking for a prefix or suffix, is rejected in these sources by `./dev lint`.
extension String {
    /// What stands between these bytes of ASCII, empty pieces too.
    package func pieces(at separator: UInt8) -> [String] {
        utf8.split(separator: separator, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The words between spaces; several spaces are one.
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

    /// Whether its first bytes are these.
    package func begins(with beginning: String) -> Bool { utf8.starts(with: beginning.utf8) }

    /// Whether its last bytes are these.
    package func ends(with ending: String) -> Bool {
        utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    /// What stands behind a beginning, by its bytes; nil where the text does not begin so.
    package func rest(behind beginning: String) -> String? {
        begins(with: beginning)
            ? String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self) : nil
    }

    /// Whether no more than 30 marks follow each other, as in every text of a language (Unicode Standard Annex #15, 13).
    ///
    /// To compare or hash a text, `String` puts its marks into order, each past all that it
    /// follows: what a stranger chose is a key of a dictionary by its bytes (`ExactString`), or
    /// where a public type has a dictionary, after this.
    package var isStreamSafe: Bool {
        guard !isPrintableASCII, utf8.contains(where: { $0 >= 0x80 }) else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isMark ? marks &+ 1 : 0
            if marks > 30 { return false }
        }
        return true
    }

    /// The letters A to Z in lower case, and all else as it is: names without case are so for ASCII alone.
    ///
    /// Unicode has a lower case of ASCII for what is none: the Kelvin sign would be a k, and another name a known one.
    package var lowercasedASCII: String {
        let isCapital = { (byte: UInt8) in 0x41...0x5a ~= byte }
        guard utf8.contains(where: isCapital) else { return self }
        return String(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether this byte of ASCII stands in it.
    package func holds(_ byte: UInt8) -> Bool { utf8.contains(byte) }
}

extension Unicode.Scalar {
    /// Whether it is put into order among others: its combining class is not 0. Unicode's table is asked for what is
    /// neither Latin, Greek nor Cyrillic, 10 ns each.
    fileprivate var isMark: Bool {
        switch value {
        case ..<0x300, 0x370..<0x483: false
        case ..<0x34f: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
