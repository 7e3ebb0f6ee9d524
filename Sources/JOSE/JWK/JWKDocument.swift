// Reads the outer structure of a JWK or a JWK Set.

package import JOSEBytes
import JOSECrypto

package enum JWKDocument {
    /// Scans a document after its byte order mark, if any, and passes its nodes to `body`.
    package static func read<Result>(
        _ json: Span<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        duplicates: JSONText.Duplicates,
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let range = JSONText.withoutMark(json)
        let text = json.extracting(range)
        guard !isPEM(text) else {
            throw .malformed(
                step, "this is PEM, not JSON: use KeyFileContents")
        }
        return try JSONText.document(
            text, limits, at: step, duplicates: duplicates, hadByteOrderMark: range.lowerBound > 0,
            body)
    }

    /// Receives an entry of a set, of any JSON type: `node` is its index in `tree`, `index` its
    /// position among the `count` entries. `defect` is set if the JSON scanner would reject the
    /// entry; see `forEachEntryOfRejectedSet`.
    package typealias Entry = (
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ node: Int, _ index: Int, _ count: Int,
        _ defect: KeyDefect?
    ) throws(JOSEError) -> Void

    /// Throws if the text is not a JWK Set, its object has a duplicate member, or a limit is
    /// exceeded outside of the entries.
    static func forEachKey(
        _ json: Span<UInt8>, _ limits: JOSELimits, _ body: Entry
    ) throws(JOSEError) {
        try checkSize(json.count, limits, at: .keySet)
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
                    try body(text, tree, node, index, count, nil)
                    node = tree[node].next
                    index += 1
                }
            }
        } catch {
            guard !isScanned, error.code != .internal,
                try forEachEntryOfRejectedSet(json, limits, body)
            else { throw error }
        }
    }

    static func checkSize(
        _ count: Int, _ limits: JOSELimits, at step: JOSEError.Step
    ) throws(JOSEError) {
        guard count <= limits.keySetBytes else {
            throw .limitExceeded(
                step, "the {} has {} bytes; at most {} are allowed (JOSELimits.keySetBytes)",
                step == .key ? "JWK" : "key set", .number(count), .number(limits.keySetBytes))
        }
    }

    /// A collection other than `[UInt8]` is copied into memory that is wiped.
    static func withBytes<Result>(
        of json: some Collection<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        if let array = json as? [UInt8] { return try body(array.span) }
        try checkSize(json.count, limits, at: step)
        return try SecretBytes(copying: json).withSpan(body)
    }

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

    /// The error for a document that is recognised as something else, such as a set instead of a
    /// key.
    static func wrongKindError(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, isSet: Bool
    ) -> JOSEError? {
        let step: JOSEError.Step = isSet ? .keySet : .key
        if tree[0].kind == .array {
            return .malformed(
                step,
                "this is an array; a JWK Set is an object: put the array into {\"keys\": …}"
            )
        }
        guard tree[0].kind == .object else { return nil }
        if isSet, holds("kty", text, tree) {
            return .malformed(step, "this is one JWK, not a set: use JWK")
        }
        if !isSet, holds("keys", text, tree) {
            return .malformed(
                step, "this is a JWK Set, not one JWK: use JWKSet or PublicJWKSet")
        }
        if !holds("kty", text, tree), let other = container(text, tree, step) { return other }
        if holdsPEM(text, tree) {
            return .malformed(
                step,
                """
                this is a map from kid to PEM, not a JWK Set: use the provider's JWK Set (Google's \
                is https://www.googleapis.com/oauth2/v3/certs), or read each PEM with \
                KeyFileContents
                """)
        }
        return nil
    }

    private static func container(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ step: JOSEError.Step
    ) -> JOSEError? {
        let token: StaticString = "this is a token response (it has {}), not a key or JWK Set"
        let key: StaticString =
            "this object has {} and no kty: a JWK has kty and the numbers of its key"
        let reasons: [(member: StaticString, reason: StaticString)] = [
            ("jwks", "this object has a JWK Set in its member {}: pass the value of that member"),
            (
                "jwks_uri",
                "this is a discovery document, not a JWK Set: fetch the URL in its member {}"
            ),
            ("id_token", token), ("access_token", token), ("x5c", key), ("key", key),
            ("jwk", key),
            ("error", "this is an error response (it has {}), not a key or JWK Set"),
        ]
        return reasons.first { holds($0.member, text, tree) }.map {
            .malformed(step, $0.reason, .name($0.member))
        }
    }

    static func noObject(_ node: JSONNode) -> KeyDefect {
        KeyDefect(
            nil, .malformed(.key, "a key of a set is a JSON object; this is {}", .kind(of: node)))
    }

    /// Recognises Google's map from kid to certificate in PEM.
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

    private static func isPEM(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count, text[index] <= 0x20 { index += 1 }
        for byte in "-----BEGIN ".utf8 {
            guard index < text.count, text[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Returns the node of the `keys` array, and checks the number of keys.
    static func keysArray(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> Int {
        guard tree[0].kind == .object else {
            throw wrongKindError(text, tree, isSet: true)
                ?? .malformed(
                    .keySet, "a JWK Set is a JSON object; this is {}", .kind(of: tree[0]))
        }
        var node = 1
        while node < tree[0].next, !JSON.equals(tree[node], "keys", in: text) {
            node = tree[node + 1].next
        }
        guard node < tree[0].next else {
            throw wrongKindError(text, tree, isSet: true)
                ?? .malformed(.keySet, "the object has no member keys, so it is not a JWK Set")
        }
        let array = tree[node + 1]
        guard array.kind == .array else {
            throw .malformed(
                .keySet, "the member keys is {}; expected an array", .kind(of: array))
        }
        guard array.count <= limits.keyCount else {
            throw .limitExceeded(
                .keySet,
                "the key set has {} keys; at most {} are allowed (JOSELimits.keyCount)",
                .number(array.count), .number(limits.keyCount))
        }
        return node + 1
    }
}

extension JOSEError.Value {
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
