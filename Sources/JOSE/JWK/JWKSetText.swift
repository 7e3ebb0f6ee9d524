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
        guard !isPEM(json) else {
            throw .malformed(.keySet, "this is PEM, not JSON: KeyFileContents reads it")
        }
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

    /// Whether the text begins as a PEM file, which is no JSON.
    static func isPEM(_ text: Span<UInt8>) -> Bool {
        var index = 0
        for byte in "-----BEGIN ".utf8 {
            guard index < text.count, text[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Whether an object has a member of this name: what a text is that is not what it was taken for.
    static func holds(
        _ name: StaticString, _ object: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> Bool {
        var node = object + 1
        while node < tree[object].next {
            if JSON.equals(tree[node], name, in: text) { return true }
            node = tree[node + 1].next
        }
        return false
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
        throw .malformed(
            .keySet,
            holds("kty", 0, text, tree)
                ? "this is one JWK, not a set: JWK reads it" : "a JWK Set has no keys")
    }
}
