// Reads a key set that the JSON scanner rejected because of defects in single entries: half of a
// surrogate pair, too many levels or values.

import JOSEBytes

extension JWKDocument {
    /// Whether a document has a member `keys`, as a JWK Set has. Throws if it is too broken to
    /// decide.
    package static func isSet(
        _ json: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> Bool {
        do throws(JOSEError) {
            return try read(json, limits, at: .keySet, duplicates: .marked) {
                holds("keys", $0, $1)
            }
        } catch {
            guard error.code != .internal,
                try forEachEntryOfRejectedSet(json, limits, { (_, _, _, _, _, _) in })
            else { throw error }
            return true
        }
    }

    /// Calls `body` for each entry of a set; returns false if the defect is outside of the entries.
    ///
    /// In the text for `body`, `\ufffd` replaces each lone surrogate. Broken entries are passed
    /// with their nodes, so that private members in them are found. Costs two passes, and eight
    /// bytes of memory for each byte of text.
    static func forEachEntryOfRejectedSet(
        _ json: Span<UInt8>, _ limits: JOSELimits, _ body: Entry
    ) throws(JOSEError) -> Bool {
        let range = JSONText.withoutMark(json)
        let original = json.extracting(range)
        // The nodes of a larger text could exceed the scanner's index.
        guard JSON.nodeCapacityBound(original.count) <= JSON.maxIndexedNodes else { return false }
        return try withScratch(of: UInt8.self, capacity: original.count, wiping: true) {
            (text) throws(JOSEError) in
            let surrogates = JSON.replaceLoneSurrogates(in: original, into: &text)
            let text = text.span
            return try withScratch(
                of: JSONNode.self, capacity: JSON.nodeCapacityBound(text.count)
            ) { (nodes) throws(JOSEError) in
                var position = 0
                do throws(JSONError) {
                    try JSON.scanDocument(
                        text, maxDepth: .max, toleratedDepth: 1, into: &nodes,
                        position: &position)
                } catch {
                    return false
                }
                let tree = nodes.span
                let array = try keysArray(text, tree, limits)
                let entries = BrokenEntries(
                    array, surrogates, limits, offset: range.lowerBound)
                guard entries.isValidOutsideEntries(tree, text.count) else { return false }
                var node = array + 1
                var index = 0
                while node < tree[array].next {
                    let defect = entries.defect(of: node, tree)
                    try body(text, tree, node, index, tree[array].count, defect)
                    node = tree[node].next
                    index += 1
                }
                return true
            }
        }
    }
}

private struct BrokenEntries {
    private let array: Int
    /// The offsets of the lone surrogates, in ascending order.
    private let surrogates: [Int]
    private let limits: JOSELimits
    /// The size of a removed byte order mark: 3 or 0 bytes.
    private let offset: Int

    init(_ array: Int, _ surrogates: [Int], _ limits: JOSELimits, offset: Int) {
        self.array = array
        self.surrogates = surrogates
        self.limits = limits
        self.offset = offset
    }

    /// Whether the JSON outside of the entries has no lone surrogate and is within the limits.
    func isValidOutsideEntries(_ tree: Span<JSONNode>, _ byteCount: Int) -> Bool {
        let entryNodes = array + 1..<tree[array].next
        let count = tree.count - entryNodes.count
        guard count <= JSON.nodeCapacity(byteCount),
            depth(of: 0..<entryNodes.lowerBound, tree) <= limits.jsonDepth,
            // These nodes are inside the set's object, which takes one level.
            depth(of: entryNodes.upperBound..<tree.count, tree) < limits.jsonDepth
        else { return false }
        let arrayBytes = tree[array].start..<tree[array].end
        return surrogates.allSatisfy { arrayBytes.contains($0) }
    }

    func defect(of entry: Int, _ tree: Span<JSONNode>) -> KeyDefect? {
        let node = tree[entry]
        if let position = firstSurrogate(from: node.start), position < node.end {
            return KeyDefect(
                nil,
                .malformed(
                    .key, "a string has one half of a surrogate pair, at byte {} of the set",
                    .number(position + offset)))
        }
        let nodes = entry..<node.next
        // The set's object and its array take two levels.
        if depth(of: nodes, tree) > limits.jsonDepth - 2 {
            return KeyDefect(
                nil,
                .limitExceeded(
                    .key,
                    "JSON nested deeper than {} levels, the set's included (JOSELimits.jsonDepth)",
                    .number(limits.jsonDepth)))
        }
        guard nodes.count <= JSON.nodeCapacity(node.end - node.start) else {
            return KeyDefect(
                nil,
                .limitExceeded(
                    .key, "the JSON has {} names and values, too many for its {} bytes",
                    .number(nodes.count), .number(node.end - node.start)))
        }
        return nil
    }

    private func firstSurrogate(from start: Int) -> Int? {
        var (low, high) = (0, surrogates.count)
        while low < high {
            let middle = (low + high) / 2
            if surrogates[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < surrogates.count ? surrogates[low] : nil
    }

    private func depth(of nodes: Range<Int>, _ tree: Span<JSONNode>) -> Int {
        var ends: [Int] = []
        var maxDepth = 0
        for index in nodes {
            while let end = ends.last, index >= end { ends.removeLast() }
            guard tree[index].kind == .object || tree[index].kind == .array else { continue }
            ends.append(tree[index].next)
            maxDepth = max(maxDepth, ends.count)
        }
        return maxDepth
    }
}
