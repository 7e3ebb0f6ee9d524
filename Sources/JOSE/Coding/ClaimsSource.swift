// ClaimsSource: the state of one decoding.

import JOSEBytes

/// The parsed document and the state of one decoding, shared by its containers. They store no
/// coding paths: `path(to:)` computes the path for an error.
final class ClaimsSource {
    let document: JSONDocument
    let root: Int
    /// The node whose type last threw an error without a path (not a `DecodingError`), or -1.
    var failedNode = -1
    /// The last type whose `ClaimTypeRule` is `.plain`, so that the rule is not looked up again.
    var lastPlainType: ObjectIdentifier?
    /// The first defect. It rejects the claims even if the type's code catches the error.
    var textDefect: TextDefect?
    /// The container and the index of each node; empty until an error needs them.
    var parents: [ParentStep] = []
    /// For each depth the node of the next name, if members are read in document order. Objects of
    /// one depth share an entry, so `find` ignores an entry outside the object that it searches.
    private var expected = InlineArray<32, Int32>(repeating: 0)
    /// For objects with more than 32 members, by their node: the node of each name's value.
    private var indexes: [Int: [ExactString: Int]] = [:]

    init(_ document: JSONDocument, root: Int) {
        self.document = document
        self.root = root
    }

    /// Returns the node of a member's value, or nil. The next member in order costs one comparison.
    func find(_ name: String, in object: Int, depth: Int) -> Int? {
        failedNode = -1
        let end = document.nodes[object].next
        var first = depth < 32 ? Int(expected[depth]) : 0
        if first <= object || first >= end { first = object + 1 }
        guard first < end else { return nil }
        var found: Int?
        if matches(first, name) {
            found = first + 1
        } else if document.nodes[object].count <= 32 {
            found = search(name, from: document.nodes[first + 1].next, to: end)
            found = found ?? search(name, from: object + 1, to: first)
        } else {
            found = indexed(name, in: object)
        }
        if let found, depth < 32 { expected[depth] = Int32(document.nodes[found].next) }
        return found
    }

    /// Compares names one by one: length, first byte and last byte without a call.
    private func search(_ name: String, from first: Int, to end: Int) -> Int? {
        let nodes = document.nodes
        let bytes = document.bytes
        let text = bytes.span
        let wanted = name.utf8.span
        let count = wanted.count
        let (head, tail) = count == 0 ? (0, 0) : (wanted[0], wanted[count - 1])
        var at = first
        while at < end {
            let node = nodes[at]
            if node.hasEscapes {
                if matches(at, name) { return at + 1 }
            } else if node.end - node.start == count,
                count == 0 || (text[node.start] == head && text[node.end - 1] == tail),
                JSON.equals(node, wanted, in: text)
            {
                return at + 1
            }
            at = nodes[at + 1].next
        }
        return nil
    }

    @inline(__always)
    private func matches(_ node: Int, _ name: String) -> Bool {
        document.equals(at: node, name.utf8.span)
    }

    /// Looks `name` up in a hash table, so that reading members in any order stays linear.
    private func indexed(_ name: String, in object: Int) -> Int? {
        if indexes[object] == nil {
            var index: [ExactString: Int] = [:]
            index.reserveCapacity(document.nodes[object].count)
            forEachMember(of: object) { index[ExactString(string($0))] = $1 }
            indexes[object] = index
        }
        return indexes[object]?[ExactString(name)]
    }

    func forEachMember(of object: Int, _ body: (Int, Int) throws -> Void) rethrows {
        let end = document.nodes[object].next
        var at = object + 1
        while at < end {
            try body(at, at + 1)
            at = document.nodes[at + 1].next
        }
    }

    func string(_ node: Int) -> String {
        document.text(at: node)
    }
}

extension JSONDocument {
    @inline(__always)
    func equals(at node: Int, _ text: Span<UInt8>) -> Bool {
        let node = nodes[node]
        if !node.hasEscapes, node.end - node.start != text.count { return false }
        return JSON.equals(node, text, in: bytes.span)
    }

    @inline(__always)
    func text(at node: Int) -> String { JSON.string(nodes[node], in: bytes.span) }

    @inline(__always)
    func double(at node: Int) -> Double? { JSON.double(nodes[node], in: bytes.span) }
}
