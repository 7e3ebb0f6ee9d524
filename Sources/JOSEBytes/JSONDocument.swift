// JSONDocument: a checked JSON text with its nodes.

package struct JSONDocument: Sendable {
    @usableFromInline package let bytes: [UInt8]
    /// The nodes in pre-order. The first node is the whole value.
    @usableFromInline package let nodes: [JSONNode]

    /// Checks a text as `JSON.scan` does, with at most `maxNodes` names and values. Costs one
    /// allocation, or two if the text has more names and values than usual for its size.
    package init(
        _ bytes: consuming [UInt8], maxDepth: Int, maxNodes: Int = .max
    ) throws(JSONError) {
        let text = bytes
        let usual = text.count < Self.shortBytes ? text.count / 8 + 8 : Self.fewNodes
        do throws(JSONError) {
            nodes = try Self.scan(text.span, maxDepth, capacity: min(usual, maxNodes))
        } catch .capacity {
            // Counting the nodes of an unusually dense text keeps their memory small.
            let capacity = min(JSON.nodeCapacity(for: text.span), maxNodes)
            nodes = try Self.scan(text.span, maxDepth, capacity: capacity)
        }
        self.bytes = text
    }

    private static let shortBytes = 4_096
    /// A long text often has few nodes, since one value is long, such as a picture. If it has many,
    /// the first scan ends early and little work is lost.
    private static let fewNodes = 128

    private static func scan(
        _ text: Span<UInt8>, _ maxDepth: Int, capacity: Int
    ) throws(JSONError) -> [JSONNode] {
        guard text.count < JSON.sizeLimit else { throw .tooLarge }
        // As in `[UInt8].init(byteCapacity:)`, without a lookup of type metadata.
        var nodes: [JSONNode] = []
        try nodes.append(addingCapacity: capacity) { (out) throws(JSONError) in
            try JSON.scan(text, maxDepth: maxDepth, into: &out)
        }
        return nodes
    }

    /// Returns the node of a member's value; nil if absent, or if `object` is not an object.
    package func member(_ name: StaticString, of object: Int = 0) -> Int? {
        name.withUTF8Buffer { source in
            // Safe: the literal outlives the call.
            member(unsafe Span(_unsafeElements: source), of: object)
        }
    }

    package func member(named name: String, of object: Int = 0) -> Int? {
        member(name.utf8.span, of: object)
    }

    /// Returns the nodes of several members' values in one pass; nil for absent members.
    package func members(named names: [String], of object: Int = 0) -> [Int?] {
        var found = [Int?](repeating: nil, count: names.count)
        let (tree, text) = (nodes.span, bytes.span)
        guard tree[object].kind == .object else { return found }
        // `lengths` has a bit for each length of a requested name; the last bit is for all longer
        // ones. `beginnings` has up to eight bytes of each requested name.
        func bit(_ length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
        func beginning(_ name: Span<UInt8>) -> UInt64 { name.lastWord(0, min(name.count, 8)) }
        var lengths: UInt64 = 0
        var beginnings: [UInt64] = []
        beginnings.reserveCapacity(names.count)
        for name in names {
            lengths |= bit(name.utf8.count)
            beginnings.append(beginning(name.utf8.span))
        }
        let starts = beginnings.span
        let end = tree[object].next
        var at = object + 1
        while at < end {
            let node = tree[at]
            if node.hasEscapes {
                // Most names begin differently from all requested names.
                var start = node.start
                let first =
                    text[start] == UInt8(ascii: "\\")
                    ? JSON.escapedScalar(text, &start) : UInt32(text[start])
                for index in starts.indices
                where (first >= 0x80 || starts[index] & 0xff == UInt64(first))
                    && JSON.equals(node, names[index].utf8.span, in: text)
                {
                    found[index] = at + 1
                }
            } else if lengths & bit(node.end - node.start) != 0 {
                let word = text.lastWord(node.start, min(node.start + 8, node.end))
                for index in starts.indices
                where starts[index] == word && JSON.equals(node, names[index].utf8.span, in: text) {
                    found[index] = at + 1
                }
            }
            at = tree[at + 1].next
        }
        return found
    }

    private func member(_ name: Span<UInt8>, of object: Int) -> Int? {
        let tree = nodes.span
        guard tree[object].kind == .object else { return nil }
        let end = tree[object].next
        var at = object + 1
        while at < end {
            let node = tree[at]
            if node.hasEscapes || node.end - node.start == name.count,
                JSON.equals(node, name, in: bytes.span)
            {
                return at + 1
            }
            at = tree[at + 1].next
        }
        return nil
    }

    package func kind(at index: Int) -> JSONNode.Kind { nodes[index].kind }

    package func string(at index: Int) -> String? {
        guard nodes[index].kind == .string else { return nil }
        return JSON.string(nodes[index], in: bytes.span)
    }

    package func equals(at index: Int, _ text: StaticString) -> Bool {
        nodes[index].kind == .string && JSON.equals(nodes[index], text, in: bytes.span)
    }

    package func equals(at index: Int, _ text: String) -> Bool {
        nodes[index].kind == .string
            && JSON.equals(nodes[index], text.utf8.span, in: bytes.span)
    }

    /// Whether a value is a string equal to `text`. The time depends on no byte of `text`.
    package func equalsConstantTime(_ text: String, at index: Int) -> Bool {
        guard nodes[index].kind == .string else { return false }
        return JSON.withUnescaped(nodes[index], in: bytes.span) {
            equalConstantTime($0, text.utf8.span)
        }
    }

    package func integer(at index: Int) -> Int64? { JSON.integer(nodes[index], in: bytes.span) }

    package func bool(at index: Int) -> Bool? {
        switch nodes[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    package func isNull(at index: Int) -> Bool { nodes[index].kind == .null }

    /// Returns the range of a value's text; for a string, the escaped text without quotation marks.
    package func range(at index: Int) -> Range<Int> { nodes[index].start..<nodes[index].end }

    package func text(at index: Int) -> ArraySlice<UInt8> { bytes[range(at: index)] }

    /// Calls `body` with the nodes of each member's name and value, if `object` is an object.
    @inlinable
    package func forEachMember<E: Error>(
        of object: Int = 0, _ body: (_ name: Int, _ value: Int) throws(E) -> Void
    ) throws(E) {
        guard nodes[object].kind == .object else { return }
        var at = object + 1
        while at < nodes[object].next {
            try body(at, at + 1)
            at = nodes[at + 1].next
        }
    }

    /// Calls `body` with the node of each element, if `array` is an array.
    @inlinable
    package func forEachElement<E: Error>(
        of array: Int, _ body: (_ value: Int) throws(E) -> Void
    ) throws(E) {
        guard nodes[array].kind == .array else { return }
        var at = array + 1
        while at < nodes[array].next {
            try body(at)
            at = nodes[at].next
        }
    }
}

extension JSONDocument: RedactedDescription {}
