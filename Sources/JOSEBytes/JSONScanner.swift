// The strict JSON scanner: one forward pass without recursion. Only large objects allocate.

extension JSON {
    /// Checks that `text` is one JSON value, with optional white space around it, and appends its
    /// nodes. Takes linear time.
    ///
    /// In addition to the grammar it checks: no duplicate members (RFC 7515, 4), valid UTF-8 (RFC
    /// 8259, 8.1), no unpaired surrogates (RFC 7493, 2.1), no byte order mark, no NUL. Numbers are
    /// not evaluated.
    ///
    /// - Parameter nodes: Must be empty. A capacity of `nodeCapacityBound` always suffices. After
    ///   an error, holds the nodes read so far, for `offset(of:in:_:)` only.
    package static func scan(
        _ text: Span<UInt8>, maxDepth: Int, into nodes: inout OutputSpan<JSONNode>
    ) throws(JSONError) {
        precondition(nodes.isEmpty, "the scanner counts nodes from 0")
        guard text.count < sizeLimit else { throw .tooLarge }
        do throws(JSONError) {
            try scanStrictly(text, maxDepth: maxDepth, into: &nodes)
        } catch {
            throw failureOfFull(error, nodes.capacity, text)
        }
    }

    /// A function of its own: without error handling in it, the loop keeps its registers.
    @inline(never)
    private static func scanStrictly(
        _ text: Span<UInt8>, maxDepth: Int, into nodes: inout OutputSpan<JSONNode>
    ) throws(JSONError) {
        var at = 0
        try scanValue(text, maxDepth: maxDepth, toleratedDepth: .max, into: &nodes, &at)
    }

    /// Scans a document of another party as `scan` does. It also reports the position of an error,
    /// and can mark duplicate members instead of rejecting them.
    ///
    /// - Parameters:
    ///   - toleratedDepth: An object may have duplicate members if at least this many containers
    ///     enclose it. `hasDuplicates` is then set for the object, and for its containers at that
    ///     depth or deeper. `Int.max` tolerates no duplicates.
    ///   - position: After an error, its byte offset: where the invalid value or name begins, where
    ///     a comma or closing bracket is missing, after the outermost value if text follows it, or
    ///     after an object with duplicate members.
    package static func scanDocument(
        _ text: Span<UInt8>, maxDepth: Int, toleratedDepth: Int,
        into nodes: inout OutputSpan<JSONNode>, position: inout Int
    ) throws(JSONError) {
        precondition(nodes.isEmpty, "the scanner counts nodes from 0")
        guard text.count < sizeLimit, nodes.capacity <= maxIndexedNodes else { throw .tooLarge }
        var at = 0
        do throws(JSONError) {
            try scanValue(
                text, maxDepth: maxDepth, toleratedDepth: toleratedDepth, into: &nodes, &at)
        } catch {
            position = at
            nodes.removeAll()
            throw failureOfFull(error, nodes.capacity, text)
        }
    }

    /// Returns `failure`, or `.syntax` if the text has more nodes than valid JSON of its size can
    /// have.
    private static func failureOfFull(
        _ failure: JSONError, _ capacity: Int, _ text: Span<UInt8>
    ) -> JSONError {
        if case .capacity = failure, capacity >= nodeCapacityBound(text.count) { return .syntax }
        return failure
    }

    /// Inlined into both callers, so that tokens do not pay for what only documents need.
    @inline(__always)
    private static func scanValue(
        _ text: Span<UInt8>, maxDepth: Int, toleratedDepth: Int,
        into nodes: inout OutputSpan<JSONNode>, _ at: inout Int
    ) throws(JSONError) {
        at = skipSpace(text, 0)
        // The innermost open container: its node, its kind and its count so far. The node stores
        // the enclosing container, so that depth costs no stack.
        var open = -1
        var inObject = false
        var count = 0
        var depth = 0
        var escapedNames = 0

        scanning: while true {
            if inObject { at = try scanName(text, at, into: &nodes, &escapedNames) }
            let byte = text.byte(at: at)
            switch byte {
            case UInt8(ascii: "\""):
                let string = try scanString(text, at + 1)
                try append(
                    JSONNode(
                        kind: .string, hasEscapes: string.hasEscapes, start: at + 1,
                        end: string.end, next: nodes.count + 1), to: &nodes)
                at = string.end + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < maxDepth else { throw .depth }
                depth += 1
                if open >= 0 { nodes[open].count = count }
                let isObject = byte == UInt8(ascii: "{")
                let enclosing = open
                open = nodes.count
                try append(
                    JSONNode(
                        kind: isObject ? .object : .array, start: at, end: 0, next: enclosing + 1),
                    to: &nodes)
                inObject = isObject
                count = 0
                at = skipSpace(text, at + 1)
                if text.byte(at: at) != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    continue scanning
                }
                // Empty: undoes the count that the end of a value adds.
                count = -1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = try scanNumber(text, at)
                try append(
                    JSONNode(kind: .number, start: at, end: end, next: nodes.count + 1), to: &nodes)
                at = end
            case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                let kind: JSONNode.Kind =
                    byte == UInt8(ascii: "t") ? .true : byte == UInt8(ascii: "f") ? .false : .null
                let end = try scanLiteral(text, at, kind)
                try append(
                    JSONNode(kind: kind, start: at, end: end, next: nodes.count + 1), to: &nodes)
                at = end
            default:
                throw .syntax
            }

            // A value has ended before `at`: continue in its container, or close the container.
            while open >= 0 {
                count += 1
                at = skipSpace(text, at)
                switch text.byte(at: at) {
                case UInt8(ascii: ","):
                    at = skipSpace(text, at + 1)
                    continue scanning
                case inObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
                    at += 1
                    depth -= 1
                    let enclosing = nodes[open].next - 1
                    nodes[open].count = count
                    nodes[open].end = at
                    nodes[open].next = nodes.count
                    if inObject && count > 1 {
                        do throws(JSONError) {
                            try rejectDuplicates(ofObjectAt: open, in: text, nodes.span)
                        } catch {
                            guard depth >= toleratedDepth else { throw error }
                            markDuplicates(open, enclosing, depth - toleratedDepth, &nodes)
                        }
                    }
                    open = enclosing
                    if enclosing >= 0 {
                        inObject = nodes[enclosing].kind == .object
                        count = nodes[enclosing].count
                    }
                default:
                    throw .syntax
                }
            }
            guard skipSpace(text, at) == text.count else { throw .syntax }
            return
        }
    }

    /// Marks an object and `count` of the open containers around it. Stops at the first container
    /// with a mark: those around it have marks too. So duplicates at every level of a deep text
    /// cost linear time.
    @inline(never)
    private static func markDuplicates(
        _ object: Int, _ enclosing: Int, _ count: Int, _ nodes: inout OutputSpan<JSONNode>
    ) {
        nodes[object].setHasDuplicates()
        var open = enclosing
        var left = count
        while left > 0, open >= 0, !nodes[open].hasEscapesOrDuplicates {
            nodes[open].setHasDuplicates()
            open = nodes[open].next - 1
            left -= 1
        }
    }

    /// Scans a name and its colon. Returns the start of the value.
    @inline(__always)
    private static func scanName(
        _ text: Span<UInt8>, _ start: Int, into nodes: inout OutputSpan<JSONNode>,
        _ escapedNames: inout Int
    ) throws(JSONError) -> Int {
        guard text.byte(at: start) == UInt8(ascii: "\"") else { throw .syntax }
        let string = try scanString(text, start + 1)
        if string.hasEscapes {
            escapedNames += 1
            guard escapedNames <= maxEscapedNames else { throw .tooLarge }
        }
        var name = JSONNode(
            kind: .string, hasEscapes: string.hasEscapes, start: start + 1, end: string.end,
            next: nodes.count + 1)
        name.count = fingerprint(text, start + 1, string.end)
        try append(name, to: &nodes)
        let at = skipSpace(text, string.end + 1)
        guard text.byte(at: at) == UInt8(ascii: ":") else { throw .syntax }
        return skipSpace(text, at + 1)
    }

    @inline(__always)
    private static func append(
        _ node: JSONNode, to nodes: inout OutputSpan<JSONNode>
    ) throws(JSONError) {
        guard nodes.freeCapacity > 0 else { throw .capacity }
        nodes.append(node)
    }

    @inline(__always)
    private static func skipSpace(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while true {
            let byte = text.byte(at: at)
            if byte > 0x20 { return at }
            guard
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
                    || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
            else { return at }
            at += 1
        }
    }

    private static func scanLiteral(
        _ text: Span<UInt8>, _ start: Int, _ kind: JSONNode.Kind
    ) throws(JSONError) -> Int {
        let literal: StaticString =
            kind == .true ? "true" : kind == .false ? "false" : "null"
        let end = start + literal.utf8CodeUnitCount
        guard end <= text.count, equal(text.extracting(start..<end), literal) else { throw .syntax }
        return end
    }

    /// Scans a number by the grammar of RFC 8259 section 6. Returns its end.
    @inline(__always)
    private static func scanNumber(_ text: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var at = start
        if text.byte(at: at) == UInt8(ascii: "-") { at += 1 }
        if text.byte(at: at) == UInt8(ascii: "0") {
            at += 1
        } else {
            at = try skipDigits(text, at)
        }
        if text.byte(at: at) == UInt8(ascii: ".") {
            at = try skipDigits(text, at + 1)
        }
        if text.byte(at: at) | 0x20 == UInt8(ascii: "e") {
            at += 1
            let sign = text.byte(at: at)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
            at = try skipDigits(text, at)
        }
        return at
    }

    @inline(__always)
    private static func skipDigits(_ text: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var at = start
        while at &+ 8 <= text.count, isDigits(text.word(at: at)) { at &+= 8 }
        while text.byte(at: at) &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > start else { throw .number }
        return at
    }
}
