// PEM text (RFC 7468): labelled blocks of base64, decoded as secrets because they may be keys.

import JOSEBytes
package import JOSECrypto

/// One block between a BEGIN and an END line.
package struct PEMBlock: Sendable {
    /// The words of the label, such as `PRIVATE KEY`.
    package let label: String
    /// The bytes in it; wiped with their last owner.
    package let contents: SecretBytes
}

package enum PEM {
    private static let begin: StaticString = "-----BEGIN "
    private static let end: StaticString = "-----END "
    private static let dashes: StaticString = "-----"

    /// How many lines of the text begin a block.
    package static func blockCount(_ text: Span<UInt8>) -> Int {
        var lines = Lines()
        var count = 0
        while let line = lines.next(text) {
            if label(text.extracting(line), begin) != nil { count += 1 }
        }
        return count
    }

    /// Whether a line of the text begins a block.
    package static func isText(_ text: Span<UInt8>) -> Bool {
        var lines = Lines()
        while let line = lines.next(text) {
            if label(text.extracting(line), begin) != nil { return true }
        }
        return false
    }

    /// All blocks in order; text between them is left out.
    ///
    /// - Throws: `malformed` for an unfinished block, base64 that is not strict, or a block with headers (the
    ///   encryption that RFC 1421 knew), `limitExceeded` for more than `atMost` blocks.
    package static func blocks(
        _ text: Span<UInt8>, atMost most: Int
    ) throws(JOSEError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var reader = PEMReader()
        while let block = try reader.next(text) {
            guard blocks.count < most else {
                throw .limitExceeded(.key, "the PEM file has too many blocks")
            }
            blocks.append(block)
        }
        return blocks
    }

    fileprivate static func next(
        _ text: Span<UInt8>, _ lines: inout Lines
    ) throws(JOSEError) -> PEMBlock? {
        while let line = lines.next(text) {
            guard let label = label(text.extracting(line), begin) else { continue }
            return PEMBlock(label: label, contents: try contents(of: label, text, &lines))
        }
        return nil
    }

    /// A block, in lines of 64 characters.
    package static func block(_ label: String, _ contents: Span<UInt8>) -> SecretBytes {
        let count = (contents.count + 2) / 3 * 4
        // The two lines around have 32 characters besides the label.
        return SecretBytes(count: count + (count + 63) / 64 + 32 + 2 * label.utf8.count) { out in
            out.append(copying: Array("-----BEGIN \(label)-----\n".utf8).span)
            withScratch(of: UInt8.self, capacity: count, wiping: true) { text in
                Base64URL.encodeSecret(contents, into: &text)
                while text.count < count { text.append(UInt8(ascii: "=")) }
                let text = text.span
                for index in text.indices {
                    out.append(standard(text[index]))
                    if index % 64 == 63 || index == count - 1 { out.append(0x0a) }
                }
            }
            out.append(copying: Array("-----END \(label)-----\n".utf8).span)
        }
    }

    private static func contents(
        of label: String, _ text: Span<UInt8>, _ lines: inout Lines
    ) throws(JOSEError) -> SecretBytes {
        let start = lines.at
        var isFirst = true
        while let range = lines.next(text) {
            let line = text.extracting(range)
            guard line.count > 0, line[0] == UInt8(ascii: "-") else {
                // Headers stand before all else; anywhere else a colon is no base64.
                defer { isFirst = isFirst && line.isEmpty }
                guard !isFirst || !has(line, UInt8(ascii: ":")) else {
                    throw .unsupported(
                        .key,
                        "the PEM block has headers: the old PEM encryption is not supported; use PKCS#8"
                    )
                }
                continue
            }
            guard self.label(line, end) == label else { break }
            return try decoded(text.extracting(start..<(lines.start)))
        }
        throw .malformed(.key, "a PEM block has no END line of its own")
    }

    private static func decoded(_ text: Span<UInt8>) throws(JOSEError) -> SecretBytes {
        let fault = JOSEError.malformed(.key, "a PEM block is not strict base64")
        return try withScratch(of: UInt8.self, capacity: text.count, wiping: true) {
            (characters) throws(JOSEError) in
            var padding = 0
            for index in text.indices {
                let byte = text[index]
                if isSpace(byte) { continue }
                if byte == UInt8(ascii: "=") {
                    padding += 1
                    continue
                }
                guard padding == 0, byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") else {
                    throw fault
                }
                characters.append(url(byte))
            }
            guard padding <= 2, (characters.count + padding) % 4 == 0,
                let count = Base64URL.decodedCount(characters.count), count > 0
            else { throw fault }
            let characters = characters.span
            return try SecretBytes(count: count) { (out) throws(JOSEError) in
                guard Base64URL.decodeSecret(characters, into: &out) else { throw fault }
            }
        }
    }

    /// The label of a BEGIN or END line.
    private static func label(_ line: Span<UInt8>, _ opening: StaticString) -> String? {
        let start = opening.utf8CodeUnitCount
        let most = line.count - 5
        guard most > start, most - start <= 64, equal(line.extracting(0..<start), opening),
            equal(line.extracting(most..<line.count), dashes)
        else { return nil }
        let label = line.extracting(start..<most)
        return String(decoding: label.indices.map { label[$0] }, as: UTF8.self)
    }

    /// The two characters in which the alphabets differ, without a branch on a secret.
    private static func url(_ byte: UInt8) -> UInt8 {
        byte &+ mask(byte, UInt8(ascii: "+")) & 2 &+ mask(byte, UInt8(ascii: "/")) & 48
    }

    private static func standard(_ byte: UInt8) -> UInt8 {
        byte &- mask(byte, UInt8(ascii: "-")) & 2 &- mask(byte, UInt8(ascii: "_")) & 48
    }

    /// All bits where the bytes are equal, else none.
    private static func mask(_ a: UInt8, _ b: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(a ^ b) &- 1) >> 8)
    }

    private static func has(_ line: Span<UInt8>, _ byte: UInt8) -> Bool {
        for index in line.indices where line[index] == byte { return true }
        return false
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x0a || byte == 0x0d || byte == 0x20 || byte == 0x09
    }
}

/// Reads one block after the other.
struct PEMReader {
    private var lines = Lines()

    /// The next block; nil at the end. Throws as `PEM.blocks`.
    mutating func next(_ text: Span<UInt8>) throws(JOSEError) -> PEMBlock? {
        try PEM.next(text, &lines)
    }
}

/// Walks over the lines of a text, which end with LF, CR LF or CR (RFC 7468, 3); white space at their ends does not belong
/// to them.
private struct Lines {
    /// Where the last line began.
    private(set) var start = 0
    /// Where the next line begins.
    private(set) var at = 0

    mutating func next(_ text: Span<UInt8>) -> Range<Int>? {
        guard at < text.count else { return nil }
        start = at
        var stop = at
        while stop < text.count {
            let byte = text[stop]
            // One question for nearly all.
            if byte <= 0x0d, byte == 0x0a || byte == 0x0d { break }
            stop += 1
        }
        at = stop + 1
        while stop > start, PEM.isSpace(text[stop - 1]) { stop -= 1 }
        return start..<stop
    }
}
