// Lending the nodes of a text that is looked at once.

extension JSON {
    /// Checks `text` as `scan` does and lends its nodes to `body`.
    ///
    /// Up to 64 nodes lie on the stack (a header, about 25 claims); more need one allocation and a
    /// second pass.
    ///
    /// - Parameter fault: what to throw for a text that is refused.
    @inlinable
    @inline(__always)
    package static func withNodes<R: ~Copyable, E: Error>(
        of text: Span<UInt8>, maximumDepth: Int, fault: (JSONFault) -> E,
        _ body: (Span<JSONNode>) throws(E) -> R
    ) throws(E) -> R {
        var capacity = 64
        while true {
            let result = try withScratch(of: JSONNode.self, capacity: capacity) {
                (nodes) throws(E) -> R? in
                do throws(JSONFault) {
                    try scan(text, maximumDepth: maximumDepth, into: &nodes)
                } catch {
                    guard case .capacity = error, capacity == 64 else { throw fault(error) }
                    return nil
                }
                return try body(nodes.span)
            }
            if let result { return result }
            capacity = nodeCapacityBound(text.count)
        }
    }
}
