// The outer form of a JWK Set: limits, one strict scan, and a call per key.

package import JOSEBytes

package enum JWKSetText {
    /// Calls `body` with each object of the `keys` array, its index and how many there are.
    package static func read(
        _ json: Span<UInt8>, _ limits: JOSELimits,
        _ body: (
            _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ object: Int, _ index: Int, _ count: Int
        ) throws(JOSEError) -> Void
    ) throws(JOSEError) {
        try checkSize(json, limits)
        try JSONText.scanned(json, limits, at: .keySet) { (text, tree) throws(JOSEError) in
            let array = try keysArray(text, tree)
            let count = tree[array].count
            guard count <= limits.keyCount else {
                throw .limitExceeded(.keySet, "the key set has too many keys (JOSELimits.keyCount)")
            }
            var node = array + 1
            var index = 0
            while node < tree[array].next {
                guard tree[node].kind == .object else {
                    throw .malformed(.keySet, "keys holds something that is not an object")
                }
                try body(text, tree, node, index, count)
                node = tree[node].next
                index += 1
            }
        }
    }

    /// The first check of all.
    static func checkSize(_ json: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard json.count <= limits.keySetBytes else {
            throw .limitExceeded(.keySet, "the key set is too large (JOSELimits.keySetBytes)")
        }
    }

    private static func keysArray(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> Int {
        guard tree[0].kind == .object else {
            throw .malformed(.keySet, "a JWK Set is not an object")
        }
        var node = 1
        while node < tree[0].next {
            if JSON.equals(tree[node], "keys", in: text) {
                guard tree[node + 1].kind == .array else {
                    throw .malformed(.keySet, "keys is not an array")
                }
                return node + 1
            }
            node = tree[node + 1].next
        }
        throw .malformed(.keySet, "a JWK Set has no keys")
    }
}
