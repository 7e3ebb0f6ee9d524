// The shared state of one decoding: the parsed document, and the expected next member.

import JOSEBytes

/// The shared state of one decoding.
///
/// Containers hold this object, an index and a depth, which fit in an existential. No coding path
/// is stored: `path(to:)` finds it from the nodes when an error needs it.
final class ClaimsSource {
    let document: JSONDocument
    let root: Int
    /// The last node whose type threw an error that is not a `DecodingError` and has no path; -1 if
    /// there is none, or if a member was looked up since.
    var failed = -1
    /// The last type whose `ClaimTypeRule` was `.plain`: its own `init(from:)` decodes it. The rule
    /// is not searched for the next value of this type.
    var lastPlainType: ObjectIdentifier?
    /// Why names or strings of the document cannot be in a Swift `Dictionary` or `Set`; nil if all
    /// can.
    ///
    /// It rejects the claims even if the type's own code ignores the error.
    var textDefect: TextDefect?
    /// For each node its container and its index; computed for the first error.
    var steps: [ParentStep] = []
    /// For each depth the node of the name that is expected next, since types usually read members
    /// in document order.
    ///
    /// Objects of one depth share an entry: it is the index of a name in one of them, or the index
    /// after one of them. `find` ignores an index outside the object that it reads.
    private var expected = InlineArray<32, Int32>(repeating: 0)
    /// Indexes of the names of large objects, computed when first needed.
    private var indexes: [Int: [ExactString: Int]] = [:]

    init(_ document: JSONDocument, root: Int) {
        self.document = document
        self.root = root
    }

    /// Returns the node of the value of a member; nil if it is absent. Costs one comparison in
    /// document order.
    func find(_ name: String, in object: Int, depth: Int) -> Int? {
        failed = -1
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

    /// Most names differ in length, first or last byte, which is compared without a call.
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

    /// Looks `name` up in a hash table, so that any order of reading stays linear.
    private func indexed(_ name: String, in object: Int) -> Int? {
        if indexes[object] == nil {
            var index: [ExactString: Int] = [:]
            index.reserveCapacity(document.nodes[object].count)
            forEachMember(of: object) { index[ExactString(string($0))] = $1 }
            indexes[object] = index
        }
        return indexes[object]?[ExactString(name)]
    }

    /// Calls `body` with the node of each name and value.
    func forEachMember(of object: Int, _ body: (Int, Int) throws -> Void) rethrows {
        let end = document.nodes[object].next
        var at = object + 1
        while at < end {
            try body(at, at + 1)
            at = document.nodes[at + 1].next
        }
    }

    /// The unescaped text of the string at `node`.
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
