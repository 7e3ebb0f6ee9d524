// A checked JSON text with its nodes, for whoever looks things up in it.

/// Owned bytes that are one JSON value, and where everything in them is.
package struct JSONDocument: Sendable {
    /// The text.
    @usableFromInline package let bytes: [UInt8]
    /// Its nodes, in pre-order; the first one is the whole value.
    @usableFromInline package let nodes: [JSONNode]

    /// Checks `bytes` as `JSON.scan` does. One allocation, two where values are short, or many in a long text.
    ///
    /// - Parameter maxNodes: How many names and values the text may have, where that is fewer than its size allows.
    package init(
        _ bytes: consuming [UInt8], maxDepth: Int, maxNodes: Int = .max
    ) throws(JSONError) {
        let text = bytes
        let usual = text.count < Self.shortBytes ? text.count / 8 + 8 : Self.fewNodes
        do throws(JSONError) {
            nodes = try Self.scan(text.span, maxDepth, capacity: min(usual, maxNodes))
        } catch .capacity {
            // What is not as usual is counted, so that its nodes take no more room than they need.
            let room = min(JSON.nodeCapacity(for: text.span), maxNodes)
            nodes = try Self.scan(text.span, maxDepth, capacity: room)
        }
        self.bytes = text
    }

    private static let shortBytes = 4_096
    /// A long text is long by a value, as a picture is, or by many: then little was lost when these are full.
    private static let fewNodes = 128

    private static func scan(
        _ text: Span<UInt8>, _ maxDepth: Int, capacity: Int
    ) throws(JSONError) -> [JSONNode] {
        guard text.count < JSON.sizeLimit else { throw .tooLarge }
        // As in `[UInt8].init(byteCapacity:)`, without a look at the table of types.
        var nodes: [JSONNode] = []
        try nodes.append(addingCapacity: capacity) { (out) throws(JSONError) in
            try JSON.scan(text, maxDepth: maxDepth, into: &out)
        }
        return nodes
    }

    /// The node of the value of a member, nil if there is no such member or no such object.
    package func member(_ name: StaticString, of object: Int = 0) -> Int? {
        name.withUTF8Buffer { source in
            // Safe: the literal outlives the call.
            member(unsafe Span(_unsafeElements: source), of: object)
        }
    }

    /// The same for a name that is not known before.
    package func member(named name: String, of object: Int = 0) -> Int? {
        member(name.utf8.span, of: object)
    }

    /// The nodes of the values of several members, nil for each that is not there: one pass over the members, however many names.
    package func members(named names: [String], of object: Int = 0) -> [Int?] {
        var found = [Int?](repeating: nil, count: names.count)
        let (tree, text) = (nodes.span, bytes.span)
        guard tree[object].kind == .object else { return found }
        // A bit for each length that a name has, the last for all that are longer; and how each name begins.
        func bit(_ length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
        func beginning(_ name: Span<UInt8>) -> UInt64 { name.lastWord(0, min(name.count, 8)) }
        var lengths: UInt64 = 0
        var beginnings: [UInt64] = []
        beginnings.reserveCapacity(names.count)
        for name in names {
            lengths |= bit(name.utf8.count)
            beginnings.append(beginning(name.utf8.span))
        }
        let marks = beginnings.span
        let end = tree[object].next
        var at = object + 1
        while at < end {
            let node = tree[at]
            if node.hasEscapes {
                // Most names begin otherwise than all that are looked for.
                var place = node.start
                let first =
                    text[place] == UInt8(ascii: "\\")
                    ? JSON.escapedScalar(text, &place) : UInt32(text[place])
                for index in marks.indices
                where (first >= 0x80 || marks[index] & 0xff == UInt64(first))
                    && JSON.equals(node, names[index].utf8.span, in: text)
                {
                    found[index] = at + 1
                }
            } else if lengths & bit(node.end - node.start) != 0 {
                let word = text.lastWord(node.start, min(node.start + 8, node.end))
                for index in marks.indices
                where marks[index] == word && JSON.equals(node, names[index].utf8.span, in: text) {
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

    /// The kind of a value.
    package func kind(at index: Int) -> JSONNode.Kind { nodes[index].kind }

    /// The string there, nil if it is none.
    package func string(at index: Int) -> String? {
        guard nodes[index].kind == .string else { return nil }
        return JSON.string(nodes[index], in: bytes.span)
    }

    /// Whether the string there is that literal.
    package func equals(at index: Int, _ text: StaticString) -> Bool {
        nodes[index].kind == .string && JSON.equals(nodes[index], text, in: bytes.span)
    }

    /// Whether the string there is that text.
    package func equals(at index: Int, _ text: String) -> Bool {
        nodes[index].kind == .string
            && JSON.equals(nodes[index], text.utf8.span, in: bytes.span)
    }

    /// The same in a time that depends on the lengths only.
    package func equalsConstantTime(_ text: String, at index: Int) -> Bool {
        guard nodes[index].kind == .string else { return false }
        return JSON.withUnescaped(nodes[index], in: bytes.span) {
            equalConstantTime($0, text.utf8.span)
        }
    }

    /// The integer there, nil if it is none or does not fit.
    package func integer(at index: Int) -> Int64? { JSON.integer(nodes[index], in: bytes.span) }

    /// The truth value there, nil if it is none.
    package func bool(at index: Int) -> Bool? {
        switch nodes[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Whether null stands there.
    package func isNull(at index: Int) -> Bool { nodes[index].kind == .null }

    /// Where the text of a value is: a string's without its quotation marks, still escaped.
    package func range(at index: Int) -> Range<Int> { nodes[index].start..<nodes[index].end }

    /// The text of a value, without a copy: a string's without its quotation marks, still escaped.
    package func text(at index: Int) -> ArraySlice<UInt8> { bytes[range(at: index)] }

    /// Calls `body` with the nodes of each member's name and value; nothing for a value of another kind.
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

    /// Calls `body` with the node of each element; nothing for a value of another kind.
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

extension JSONDocument: RedactedDescription {
    package var shownAs: String { "JSON" }
}
