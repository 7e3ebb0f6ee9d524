// Scans JSON documents of other parties, such as a JWK Set.

package import JOSEBytes

extension JSONText {
    /// Which objects may have duplicate members. The scanner sets `hasDuplicates` for each object
    /// that has them and for its containers. `markedBelowTop` does not mark the outermost value.
    package enum Duplicates: Sendable {
        /// None: the first duplicate is an error.
        case rejected
        /// All objects except the outermost.
        case markedBelowTop
        /// All objects.
        case marked

        fileprivate var depth: Int {
            switch self {
            case .rejected: .max
            case .markedBelowTop: 1
            case .marked: 0
            }
        }
    }

    /// Returns the range after a byte order mark, which RFC 8259, 8.1 lets readers ignore.
    package static func withoutMark(_ text: Span<UInt8>) -> Range<Int> {
        let hasMark = text.count >= 3 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf
        return (hasMark ? 3 : 0)..<text.count
    }

    /// Scans a document and calls `body` with its nodes. Up to 48 nodes cost no allocation.
    ///
    /// - Parameters:
    ///   - text: The document without a byte order mark.
    ///   - hadByteOrderMark: Whether a mark was removed. Byte offsets in errors count its 3 bytes.
    package static func document<Result>(
        _ text: Span<UInt8>, _ limits: JOSELimits, at step: JOSEError.Step,
        duplicates: Duplicates = .rejected, hadByteOrderMark: Bool = false,
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let removedBytes = hadByteOrderMark ? 3 : 0
        if let result = try attempt(
            text, limits, step, duplicates, removedBytes, nodeCount: commonNodeCount, body)
        {
            return result
        }
        let bound = JSON.nodeCapacity(text.count)
        guard
            let result = try attempt(
                text, limits, step, duplicates, removedBytes, nodeCount: bound, body)
        else { throw JOSEError(.capacity, at: step) }
        return result
    }

    /// Returns nil if the text has more than `nodeCount` nodes.
    private static func attempt<Result>(
        _ text: Span<UInt8>, _ limits: JOSELimits, _ step: JOSEError.Step,
        _ duplicates: Duplicates, _ removedBytes: Int, nodeCount: Int,
        _ body: (Span<UInt8>, Span<JSONNode>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result? {
        try withScratch(of: JSONNode.self, capacity: nodeCount) {
            (nodes) throws(JOSEError) -> Result? in
            var position = 0
            do throws(JSONError) {
                try JSON.scanDocument(
                    text, maxDepth: limits.jsonDepth, toleratedDepth: duplicates.depth,
                    into: &nodes, position: &position)
            } catch .capacity {
                return nil
            } catch {
                throw JSONText.error(error, limits, step, text, position, removedBytes)
            }
            return try body(text, nodes.span)
        }
    }

    /// Creates the error for a failure, with its byte (from 0), line and column (from 1).
    private static func error(
        _ failure: JSONError, _ limits: JOSELimits, _ step: JOSEError.Step, _ text: Span<UInt8>,
        _ position: Int, _ removedBytes: Int
    ) -> JOSEError {
        var line = 1
        var start = 0
        let isCutOff =
            [.syntax, .utf8, .number].contains(failure) && JSON.isCutOff(text, at: position)
        let end = isCutOff ? text.count : min(position, text.count)
        for index in 0..<end where text[index] == UInt8(ascii: "\n") {
            line += 1
            start = index + 1
        }
        let byte = JOSEError.Value.number(end + removedBytes)
        let row = JOSEError.Value.number(line)
        let column = JOSEError.Value.number(end - start + 1)
        switch failure {
        case .syntax where text.isEmpty:
            return .malformed(step, "the text is empty; a JSON object is required")
        case .syntax where end == text.count, .utf8 where isCutOff, .number where isCutOff:
            return .malformed(
                step, "the JSON ends too early, at byte {} (line {}, column {})", byte, row, column)
        case .syntax:
            return .malformed(
                step, "not strict JSON at byte {} (line {}, column {})", byte, row, column)
        case .utf8:
            return .malformed(
                step, "not valid UTF-8 in the string at byte {} (line {}, column {})", byte, row,
                column)
        case .duplicate:
            return .malformed(
                step,
                "the JSON object that ends at byte {} (line {}, column {}) has a member twice",
                byte, row, column)
        case .number:
            return .malformed(
                step, "the number at byte {} (line {}, column {}) violates the JSON grammar", byte,
                row, column)
        case .depth:
            return .limitExceeded(
                step, "JSON nested deeper than {} levels (JOSELimits.jsonDepth) at byte {}",
                .number(limits.jsonDepth), byte)
        case .capacity, .tooLarge: return JOSEError(failure, at: step)
        }
    }
}
