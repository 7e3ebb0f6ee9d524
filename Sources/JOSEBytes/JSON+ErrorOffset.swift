// Finds the offset at which a text stops being strict JSON, after the scanner rejected the text.

extension JSON {
    /// Returns the byte offset of the token at which the scanner stopped; for a duplicate, of the
    /// second name. `nodes` are those that `scan` appended before it threw `failure`. Linear time.
    package static func offset(
        of failure: JSONError, in text: Span<UInt8>, _ nodes: Span<JSONNode>
    ) -> Int {
        var end = 0
        var closed = -1
        for index in nodes.indices {
            let node = nodes[index]
            let nodeEnd: Int
            switch node.kind {
            case .string: nodeEnd = node.end + 1
            case .object, .array: nodeEnd = node.end == 0 ? node.start + 1 : node.end
            default: nodeEnd = node.end
            }
            guard nodeEnd > end else { continue }
            end = nodeEnd
            closed = node.kind == .object && node.end != 0 ? index : -1
        }
        if failure == .duplicate {
            guard closed >= 0 else { return end }
            let name = duplicate(inObjectAt: closed, text, nodes)
            return name.map { nodes[$0].start - 1 } ?? nodes[closed].start
        }
        var at = skipSpace(text, end)
        // Inside a container, a separator may precede the token.
        let isInContainer = nodes.count > 0 && nodes[0].end == 0
        if isInContainer,
            text.byte(at: at) == UInt8(ascii: ",") || text.byte(at: at) == UInt8(ascii: ":")
        {
            at = skipSpace(text, at + 1)
        }
        return min(at, text.count)
    }

    /// Returns the same offset without nodes: scans the text again. Nil if the scan succeeds or
    /// fails with another error.
    package static func offset(
        of failure: JSONError, in text: Span<UInt8>, maxDepth: Int
    ) -> Int? {
        guard text.count < sizeLimit else { return nil }
        return withScratch(of: JSONNode.self, capacity: nodeCapacity(for: text)) { nodes in
            do throws(JSONError) {
                try scan(text, maxDepth: maxDepth, into: &nodes)
                return nil
            } catch {
                return error == failure ? offset(of: error, in: text, nodes.span) : nil
            }
        }
    }

    /// Whether a text that stops being JSON at `offset` may have been cut off. True if the rest of
    /// the text is empty, a string without its end, the beginning of a literal, or a number that
    /// does not end in a digit.
    package static func isCutOff(_ text: Span<UInt8>, at offset: Int) -> Bool {
        guard offset < text.count, offset >= 0 else { return offset >= text.count }
        let rest = text.extracting(droppingFirst: offset)
        if rest[0] == UInt8(ascii: "\"") { return isOpenString(rest) }
        for literal: StaticString in ["true", "false", "null"]
        where rest.count < literal.utf8CodeUnitCount && isPrefix(rest, of: literal) {
            return true
        }
        return isOpenNumber(rest)
    }

    /// Whether a string has neither a closing quotation mark nor a control character.
    private static func isOpenString(_ text: Span<UInt8>) -> Bool {
        var at = 1
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "\""), 0..<0x20: return false
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
        return true
    }

    private static func isPrefix(_ text: Span<UInt8>, of literal: StaticString) -> Bool {
        var at = 0
        for byte in literal.description.utf8 {
            guard at < text.count else { return true }
            guard text[at] == byte else { return false }
            at += 1
        }
        return at == text.count
    }

    private static func isOpenNumber(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                continue
            default: return false
            }
        }
        return !(0x30...0x39 ~= text[text.count - 1])
    }

    private static func skipSpace(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < text.count {
            switch text[at] {
            case 0x20, 0x0a, 0x0d, 0x09: at += 1
            default: return at
            }
        }
        return at
    }
}
