// PEM text (RFC 7468): labelled blocks of base64, decoded as secrets since they may be keys.
//
// Accepts PEM as people and programs copy it: after a byte order mark, indented, in quotation
// marks, on one line, or with the two characters \n for a line break.

import JOSEBytes
package import JOSECrypto

package struct PEMBlock: Sendable {
    package let label: String
    /// The decoded bytes, which are wiped with their last owner.
    package let contents: SecretBytes
}

/// A block, or why it cannot be read. `PEMReader` can read the next block in both cases.
struct PEMItem {
    let label: String
    let contents: Result<SecretBytes, JOSEError>
}

package enum PEM {
    fileprivate static let begin: StaticString = "-----BEGIN "
    fileprivate static let end: StaticString = "-----END "
    fileprivate static let dashes: StaticString = "-----"

    package static func blockCount(_ text: Span<UInt8>) -> Int {
        var reader = PEMReader()
        var count = 0
        while reader.skipToLabel(text) != nil { count += 1 }
        return count
    }

    package static func isText(_ text: Span<UInt8>) -> Bool {
        var reader = PEMReader()
        return reader.skipToLabel(text) != nil
    }

    /// Finds BEGIN within a line too, unlike `isText`.
    static func mentionsBlock(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where PEM.isMarker(text, begin, at: index) { return true }
        return false
    }

    /// Returns all blocks in order. Throws `malformed` for an unfinished block or base64 that is
    /// not strict, `unsupported` for a block with headers (RFC 1421) or one that `ForeignFile`
    /// recognises, `limitExceeded` for more than `atMost` blocks.
    package static func blocks(
        _ text: Span<UInt8>, atMost limit: Int
    ) throws(JOSEError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var reader = PEMReader()
        while let block = try reader.next(text) {
            guard blocks.count < limit else { throw PEM.tooManyBlocks(limit) }
            blocks.append(block)
        }
        return blocks
    }

    static func tooManyBlocks(_ limit: Int) -> JOSEError {
        .limitExceeded(.key, "the PEM file has more than {} blocks", .number(limit))
    }

    package static func block(_ label: String, _ contents: Span<UInt8>) -> SecretBytes {
        let count = (contents.count + 2) / 3 * 4
        // BEGIN and END lines have 32 characters besides the label.
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

    /// Skips white space, escaped line breaks and byte order marks; returns nil if the rest is not
    /// strict base64. With `allowsURL`, base64url and missing padding are also accepted.
    static func decoded(_ text: Span<UInt8>, allowsURL: Bool) -> SecretBytes? {
        withScratch(of: UInt8.self, capacity: text.count, wiping: true) {
            (characters) -> SecretBytes? in
            guard let padding = select(text, allowsURL, into: &characters) else { return nil }
            let isPadded = (characters.count + padding) % 4 == 0
            guard padding <= 2, isPadded || (allowsURL && padding == 0),
                let count = Base64URL.decodedCount(characters.count), count > 0
            else { return nil }
            let characters = characters.span
            do throws(JOSEError) {
                return try SecretBytes(count: count) { (out) throws(JOSEError) in
                    guard Base64URL.decodeSecret(characters, into: &out) else {
                        throw notBase64
                    }
                }
            } catch {
                return nil
            }
        }
    }

    static let notBase64 = JOSEError.malformed(.key, "a PEM block is not strict base64")

    /// Copies the base64 characters, converted to base64url. Returns the number of padding
    /// characters; nil for other characters, a wrong alphabet or text after the padding.
    private static func select(
        _ text: Span<UInt8>, _ allowsURL: Bool, into characters: inout OutputSpan<UInt8>
    ) -> Int? {
        var padding = 0
        var alphabets: Base64Alphabets = []
        var at = 0
        while at < text.count {
            let end = text.endOfBase64(from: at)
            if end > at {
                guard padding == 0 else { return nil }
                alphabets.formUnion(characters.append(base64: text.extracting(at..<end)))
                at = end
                continue
            }
            if text[at] == UInt8(ascii: "=") {
                padding += 1
                at += 1
                continue
            }
            let skipped = skipBreak(text, at)
            guard skipped > at else { return nil }
            at = skipped
        }
        guard !alphabets.contains(.url) || (allowsURL && alphabets == .url) else { return nil }
        return padding
    }

    /// Returns the index after white space, a byte order mark, or an escaped line break or tab;
    /// `start` if there is none of them. Skips any other backslash too: JSON escapes slashes, and
    /// a shell escapes line breaks.
    fileprivate static func skipBreak(_ text: Span<UInt8>, _ start: Int) -> Int {
        let byte = text[start]
        if isSpace(byte) { return start + 1 }
        if byte == 0xef, isByteOrderMark(text, start) { return start + 3 }
        guard byte == UInt8(ascii: "\\") else { return start }
        let next = start + 1
        guard next < text.count else { return next }
        switch text[next] {
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return next + 1
        default: return next
        }
    }

    static func isByteOrderMark(_ text: Span<UInt8>, _ at: Int) -> Bool {
        at + 2 < text.count && text[at] == 0xef && text[at + 1] == 0xbb && text[at + 2] == 0xbf
    }

    fileprivate static func isMarker(
        _ text: Span<UInt8>, _ prefix: StaticString, at start: Int
    ) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard text.count - start >= count, text[start] == UInt8(ascii: "-") else { return false }
        return equal(text.extracting(start..<start + count), prefix)
    }

    /// Maps base64url to standard base64, without a branch on a secret.
    private static func standard(_ byte: UInt8) -> UInt8 {
        byte &- mask(byte, equal: UInt8(ascii: "-")) & 2
            &- mask(byte, equal: UInt8(ascii: "_")) & 48
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x0a || byte == 0x0d || byte == 0x20 || byte == 0x09
    }
}

struct PEMReader {
    private var at = 0

    /// Throws as `PEM.blocks`.
    mutating func next(_ text: Span<UInt8>) throws(JOSEError) -> PEMBlock? {
        guard let item = try nextItem(text) else { return nil }
        return PEMBlock(label: item.label, contents: try item.contents.get())
    }

    /// Returns nil at the end. Throws if the block has no end, so that no later block can be found.
    mutating func nextItem(_ text: Span<UInt8>) throws(JOSEError) -> PEMItem? {
        guard let label = skipToLabel(text) else { return nil }
        let start = at
        let name = String(copying: text.extracting(label))
        if let error = ForeignFile.error(label: name) {
            if let end = endOfBlock(label, text, start) { at = end.upperBound } else { throw error }
            return PEMItem(label: name, contents: .failure(error))
        }
        guard let end = endOfBlock(label, text, start) else {
            throw headerError(text, start)
                ?? .malformed(.key, "a PEM block has no END line with the label of its BEGIN line")
        }
        at = end.upperBound
        let contents = start..<end.lowerBound
        if let error = headerError(text, start) {
            return PEMItem(label: name, contents: .failure(error))
        }
        guard let bytes = PEM.decoded(text.extracting(contents), allowsURL: false) else {
            return PEMItem(label: name, contents: .failure(PEM.notBase64))
        }
        return PEMItem(label: name, contents: .success(bytes))
    }

    /// Moves after the next BEGIN line; returns the range of its label, nil at the end. Only white
    /// space, a quotation mark or the end of another block may precede BEGIN on the same line, so
    /// that a commented block is skipped. An escaped line break does not begin a line.
    fileprivate mutating func skipToLabel(_ text: Span<UInt8>) -> Range<Int>? {
        // True at first, even if a block ended in this line: a BEGIN may follow its end.
        var isStart = true
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: "-"), isStart, PEM.isMarker(text, PEM.begin, at: at),
                let label = PEMReader.label(text, at + PEM.begin.utf8CodeUnitCount)
            {
                at = label.upperBound + PEM.dashes.utf8CodeUnitCount
                return label
            }
            let next = PEM.skipBreak(text, at)
            switch byte {
            case 0x0a, 0x0d: isStart = true
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): break
            default: isStart = isStart && next > at
            }
            at = max(next, at + 1)
        }
        return nil
    }

    /// The label ends at the next five dashes and has at most 64 characters.
    private static func label(_ text: Span<UInt8>, _ start: Int) -> Range<Int>? {
        var stop = start
        while stop < text.count, stop - start <= 64, text[stop] >= 0x20 {
            if PEM.isMarker(text, PEM.dashes, at: stop) {
                return stop > start ? start..<stop : nil
            }
            stop += 1
        }
        return nil
    }

    /// Returns the range of the next END line; nil if it has another label or a BEGIN comes first.
    private func endOfBlock(
        _ label: Range<Int>, _ text: Span<UInt8>, _ start: Int
    ) -> Range<Int>? {
        var index = start
        while true {
            index = text.index(of: UInt8(ascii: "-"), in: index..<text.count)
            guard index < text.count else { return nil }
            guard !PEM.isMarker(text, PEM.begin, at: index) else { return nil }
            guard PEM.isMarker(text, PEM.end, at: index) else {
                index += 1
                continue
            }
            let name = index + PEM.end.utf8CodeUnitCount
            let stop = name + label.count
            guard stop < text.count, PEM.isMarker(text, PEM.dashes, at: stop),
                equal(text.extracting(name..<stop), text.extracting(label))
            else { return nil }
            return index..<stop + PEM.dashes.utf8CodeUnitCount
        }
    }

    /// Returns the error for a block with headers (RFC 1421). They have a colon in the first line;
    /// a colon after END belongs to a comment.
    private func headerError(_ text: Span<UInt8>, _ start: Int) -> JOSEError? {
        var index = start
        while index < text.count {
            let next = PEM.skipBreak(text, index)
            guard next > index else { break }
            index = next
        }
        let first = index
        // Stops after 128 bytes: only a block on one line has a longer line of base64.
        while index < text.count, index - first <= 128 {
            switch text[index] {
            case UInt8(ascii: ":"): return ForeignFile.oldEncryption
            case 0x0a, 0x0d, UInt8(ascii: "\\"): return nil
            case UInt8(ascii: "-") where PEM.isMarker(text, PEM.dashes, at: index): return nil
            default: index += 1
            }
        }
        return nil
    }
}
