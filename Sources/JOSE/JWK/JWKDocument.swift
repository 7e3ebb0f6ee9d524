// The outer form of a JWK and a JWK Set: limits, one scan, and a call per entry; what a text is
// that is neither.

package import JOSEBytes

package enum JWKDocument {
    /// Scans a document that may begin with a byte order mark, and lends its nodes.
    package static func read<Result>(
        _ json: Span<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        duplicates: JSONText.Duplicates,
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let range = JSONText.withoutMark(json)
        let text = json.extracting(range)
        guard !isPEM(text) else {
            throw .malformed(
                step, "this is PEM, not JSON: KeyFileContents reads it")
        }
        return try JSONText.document(
            text, limits, at: step, duplicates: duplicates, isUnmarked: range.lowerBound > 0, body)
    }

    /// What is done with an entry: its node, an object or not, its index, and how many there are.
    package typealias Entry = (
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ entry: Int, _ index: Int, _ count: Int
    ) throws(JOSEError) -> Void

    /// Calls `body` with each entry of the `keys` array, or `broken` with one that strict JSON of
    /// these limits does not have: half of a surrogate pair, too many levels or values.
    ///
    /// Fails as a whole for what is no JSON, a duplicate member of the outermost object, and a
    /// limit that is passed outside of the entries.
    static func forEachKey(
        _ json: Span<UInt8>, _ limits: JOSELimits, _ body: Entry, broken: BrokenEntry
    ) throws(JOSEError) {
        try checkSize(json.count, limits)
        var isScanned = false
        do throws(JOSEError) {
            try read(json, limits, at: .keySet, duplicates: .markedBelowTop) {
                (text, tree) throws(JOSEError) in
                isScanned = true
                let array = try keysArray(text, tree, limits)
                let count = tree[array].count
                var node = array + 1
                var index = 0
                while node < tree[array].next {
                    try body(text, tree, node, index, count)
                    node = tree[node].next
                    index += 1
                }
            }
        } catch {
            guard !isScanned, error.code != .internal,
                try forEachEntry(json, limits, body, broken: broken)
            else { throw error }
        }
    }

    /// The first check of all.
    static func checkSize(_ count: Int, _ limits: JOSELimits) throws(JOSEError) {
        guard count <= limits.keySetBytes else {
            throw .limitExceeded(
                .keySet, "the key set has {} bytes; at most {} are read (JOSELimits.keySetBytes)",
                .number(count), .number(limits.keySetBytes))
        }
    }

    /// Whether the outermost object has a member of this name.
    package static func holds(
        _ name: StaticString, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> Bool {
        guard tree[0].kind == .object else { return false }
        var node = 1
        while node < tree[0].next {
            if JSON.equals(tree[node], name, in: text) { return true }
            node = tree[node + 1].next
        }
        return false
    }

    /// What a text is that was taken for a JWK, or for a set; nil where that cannot be told.
    static func misread(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, isSet: Bool
    ) -> JOSEError? {
        let step: JOSEError.Step = isSet ? .keySet : .key
        if tree[0].kind == .array {
            return .malformed(
                step,
                "this is an array; a JWK Set is an object: put the array of keys into {\"keys\": …}"
            )
        }
        guard tree[0].kind == .object else { return nil }
        if isSet, holds("kty", text, tree) {
            return .malformed(step, "this is one JWK, not a set: JWK reads it")
        }
        if !isSet, holds("keys", text, tree) {
            return .malformed(
                step, "this is a JWK Set, not one JWK: JWKSet and PublicJWKSet read it")
        }
        if !holds("kty", text, tree), let other = container(text, tree, step) { return other }
        if holdsPEM(text, tree) {
            return .malformed(
                step,
                "this is a map from kid to PEM, not a JWK Set: use the provider's JWK Set (Google's is https://www.googleapis.com/oauth2/v3/certs), or read each PEM with KeyFileContents"
            )
        }
        return nil
    }

    /// The error for an object that names or holds a key set, or comes from another endpoint.
    private static func container(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ step: JOSEError.Step
    ) -> JOSEError? {
        if holds("jwks", text, tree) {
            return .malformed(
                step,
                "this object has a JWK Set in its member jwks: pass the value of that member")
        }
        if holds("jwks_uri", text, tree) {
            return .malformed(
                step,
                "this is a discovery document, not a JWK Set: fetch the URL in its member jwks_uri")
        }
        for name: StaticString in ["id_token", "access_token"] where holds(name, text, tree) {
            return .malformed(
                step, "this is a token response (it has {}), not a key or JWK Set", .name(name))
        }
        for name: StaticString in ["x5c", "key", "jwk"] where holds(name, text, tree) {
            return .malformed(
                step, "this object has {} and no kty: a JWK has kty and the numbers of its key",
                .name(name))
        }
        if holds("error", text, tree) {
            return .malformed(
                step, "this is an error response of a server (it has error), not a key or JWK Set")
        }
        return nil
    }

    static func noObject(_ node: JSONNode) -> KeyDefect {
        KeyDefect(
            nil, .malformed(.key, "a key of a set is a JSON object; this is {}", .kind(of: node)))
    }

    /// Whether every member is a string that begins as PEM does, as in the certificates that Google
    /// publishes by kid.
    private static func holdsPEM(_ text: Span<UInt8>, _ tree: Span<JSONNode>) -> Bool {
        guard tree[0].count > 0 else { return false }
        var node = 1
        while node < tree[0].next {
            let value = tree[node + 1]
            guard value.kind == .string, isPEM(text.extracting(value.start..<value.end)) else {
                return false
            }
            node = value.next
        }
        return true
    }

    /// Whether the text begins as a PEM file, which is no JSON.
    private static func isPEM(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count, text[index] <= 0x20 { index += 1 }
        for byte in "-----BEGIN ".utf8 {
            guard index < text.count, text[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// The node of the array, which keeps the limit of keys.
    static func keysArray(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> Int {
        let array = try keysArray(text, tree)
        guard tree[array].count <= limits.keyCount else {
            throw .limitExceeded(
                .keySet, "the key set has {} keys; at most {} are read (JOSELimits.keyCount)",
                .number(tree[array].count), .number(limits.keyCount))
        }
        return array
    }

    private static func keysArray(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> Int {
        guard tree[0].kind == .object else {
            throw misread(text, tree, isSet: true)
                ?? .malformed(
                    .keySet, "a JWK Set is a JSON object; this is {}", .kind(of: tree[0]))
        }
        var node = 1
        while node < tree[0].next {
            if JSON.equals(tree[node], "keys", in: text) {
                guard tree[node + 1].kind == .array else {
                    throw .malformed(
                        .keySet, "keys is not an array but {}", .kind(of: tree[node + 1]))
                }
                return node + 1
            }
            node = tree[node + 1].next
        }
        throw misread(text, tree, isSet: true)
            ?? .malformed(.keySet, "a JWK Set has a member keys; this object has none")
    }
}

extension JOSEError.Value {
    /// What a JSON value is, by its article and kind.
    static func kind(of node: JSONNode) -> JOSEError.Value {
        switch node.kind {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true, .false: "a Boolean"
        case .null: "null"
        }
    }
}
