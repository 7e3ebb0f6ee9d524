// Coding paths and decoding errors. They must be cheap: a type may try one value several times.

import JOSEBytes

struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(index: intValue) }
}

/// A step of a coding path. Its string is made only when it is read: a name may be as long as the
/// document, and a type that tries several forms of a value drops most errors unread.
struct NodeKey: CodingKey {
    private let document: JSONDocument
    /// The node of the member's name; for an element -1 minus its index.
    private let node: Int32

    fileprivate init(name node: Int, of document: JSONDocument) {
        self.document = document
        self.node = Int32(truncatingIfNeeded: node)
    }

    fileprivate init(index: Int, of document: JSONDocument) {
        self.document = document
        node = Int32(truncatingIfNeeded: -1 - index)
    }

    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }

    var stringValue: String {
        node < 0 ? "Index \(-1 - Int(node))" : document.text(at: Int(node))
    }

    var intValue: Int? { node < 0 ? -1 - Int(node) : nil }
}

extension NodeKey: CustomReflectable {
    /// Shows only the name. The default mirror would show the whole document.
    var customMirror: Mirror { Mirror(self, children: ["stringValue": stringValue]) }
}

/// The container of a value and, in an array, the value's index.
struct ParentStep {
    var container: Int32
    var index: Int32
}

extension ClaimsSource {
    /// Returns the names and indexes from the root to `node`. The first call visits all nodes.
    func path(to node: Int) -> [any CodingKey] {
        guard node > root, node < document.nodes[root].next else { return [] }
        if parents.isEmpty { parents = parentSteps() }
        var path: [any CodingKey] = []
        var at = node
        while at > root {
            let step = parents[at - root]
            let container = Int(step.container)
            path.append(
                document.nodes[container].kind == .object
                    ? NodeKey(name: at - 1, of: document)
                    : NodeKey(index: Int(step.index), of: document))
            at = container
        }
        path.reverse()
        return path
    }

    /// Returns the container of each node from the root. A name has the container of its value.
    private func parentSteps() -> [ParentStep] {
        let end = document.nodes[root].next
        var steps: [ParentStep] = []
        steps.reserveCapacity(end - root)
        // The containers around the node, each with the index of its next element.
        var open: [ParentStep] = []
        for node in root..<end {
            while let last = open.last, node >= document.nodes[Int(last.container)].next {
                open.removeLast()
            }
            steps.append(open.last ?? ParentStep(container: Int32(root), index: 0))
            if !open.isEmpty { open[open.count - 1].index += 1 }
            switch document.nodes[node].kind {
            case .object, .array:
                open.append(ParentStep(container: Int32(truncatingIfNeeded: node), index: 0))
            default: break
            }
        }
        return steps
    }

    func context(_ node: Int, _ text: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: path(to: node), debugDescription: text)
    }

    /// Returns the error for a value that is not of JSON type `type`, or that is null.
    func mismatch(_ type: any Any.Type, at node: Int) -> DecodingError {
        document.nodes[node].kind == .null
            ? .valueNotFound(type, context(node, "null where a value is expected"))
            : .typeMismatch(type, context(node, "a value of another type"))
    }

    /// Returns the error for a value of the right JSON type that the Swift type cannot represent.
    func unfit(_ node: Int) -> DecodingError {
        .dataCorrupted(context(node, "a value that the type cannot represent"))
    }
}
