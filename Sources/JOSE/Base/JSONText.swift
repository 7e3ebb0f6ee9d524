// Scans untrusted JSON in place and passes the text and its nodes to a closure.

package import JOSEBytes

package enum JSONText {
    /// The node capacity of the first attempt, enough for a key or a header.
    static let commonNodeCount = 48

    /// Scans `text` strictly and calls `body` with its nodes. Up to 48 nodes cost no allocation.
    ///
    /// - Parameter name: Called for an error. Returns the member name at an offset; nil if unknown.
    package static func scanned<Result>(
        _ text: Span<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        naming name: (Span<UInt8>, Int) -> StaticString? = { _, _ in nil },
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        if let result = try attempt(
            text, limits, at: step, naming: name, nodeCount: commonNodeCount, body)
        {
            return result
        }
        // The nodes are not counted first: scratch memory costs nothing until it is written.
        let bound = JSON.nodeCapacity(text.count)
        guard
            let result = try attempt(
                text, limits, at: step, naming: name, nodeCount: bound, body)
        else { throw JOSEError(.capacity, at: step) }
        return result
    }

    /// Returns nil if the text has more than `nodeCount` nodes.
    private static func attempt<Result>(
        _ text: Span<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        naming name: (Span<UInt8>, Int) -> StaticString?, nodeCount: Int,
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result? {
        try withScratch(of: JSONNode.self, capacity: nodeCount) {
            (nodes) throws(JOSEError) -> Result? in
            do throws(JSONError) {
                try JSON.scan(text, maxDepth: limits.jsonDepth, into: &nodes)
            } catch .capacity {
                return nil
            } catch {
                throw JOSEError(
                    error, at: step, in: text, depth: limits.jsonDepth,
                    offset: JSON.offset(of: error, in: text, nodes.span), naming: name)
            }
            return try body(text, nodes.span)
        }
    }

    /// Calls `body` with the UTF-8 of a string node. It allocates only if the string has escapes.
    static func withString<Result>(
        _ node: JSONNode, in text: Span<UInt8>,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard node.hasEscapes else { return try body(text.extracting(node.start..<node.end)) }
        let value = JSON.string(node, in: text)
        return try body(value.utf8.span)
    }
}
