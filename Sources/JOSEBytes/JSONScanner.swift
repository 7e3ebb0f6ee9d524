// The strict JSON scanner: one pass forward, no recursion, no allocation for objects of ordinary size.

extension JSON {
    /// Checks that `text` is one JSON value and lists its nodes.
    ///
    /// White space around the value is allowed (RFC 8259 section 2), nothing else. Rejected besides
    /// wrong grammar: members twice in an object (RFC 7515 section 4), text that is no UTF-8
    /// (RFC 8259 section 8.1), lone surrogates (RFC 7493 section 2.1), a byte order mark, NUL.
    /// Numbers are read by grammar and not evaluated. Linear time.
    ///
    /// - Parameters:
    ///   - maxDepth: how many objects and arrays may stand in one another.
    ///   - nodes: empty; `nodeCapacityBound` always suffices. After a fault they are those that were read before it: only
    ///     `offset(of:in:_:)` may use them.
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

    /// A function apart: the loop keeps its registers where no error is handled beside it.
    @inline(never)
    private static func scanStrictly(
        _ text: Span<UInt8>, maxDepth: Int, into nodes: inout OutputSpan<JSONNode>
    ) throws(JSONError) {
        var at = 0
        try scanValue(text, maxDepth: maxDepth, toleratedDepth: .max, into: &nodes, &at)
    }

    /// Scans a document of another party: as `scan`, but reports where a fault is, and marks
    /// duplicates instead of failing where that is tolerated.
    ///
    /// - Parameters:
    ///   - toleratedDepth: Objects inside this many others may have duplicate members; they and all
    ///     that they are in, up to the outermost of these objects, are then marked by
    ///     `hasDuplicates`. `Int.max` tolerates none.
    ///   - position: After a fault where it was found, in bytes: at the broken value or name, or
    ///     behind an object with duplicate members.
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

    /// No well-formed text has more nodes than the bound.
    private static func failureOfFull(
        _ failure: JSONError, _ capacity: Int, _ text: Span<UInt8>
    ) -> JSONError {
        if case .capacity = failure, capacity >= nodeCapacityBound(text.count) { return .syntax }
        return failure
    }

    /// Inlined into its two callers, so that tokens pay nothing for what documents are asked.
    @inline(__always)
    private static func scanValue(
        _ text: Span<UInt8>, maxDepth: Int, toleratedDepth: Int,
        into nodes: inout OutputSpan<JSONNode>, _ at: inout Int
    ) throws(JSONError) {
        at = skipSpace(text, 0)
        // The innermost open container: its node, what it is, and how much it holds so far.
        // The node itself remembers the container around it, so depth costs no stack.
        var open = -1
        var inObject = false
        var count = 0
        var depth = 0
        var escapedNames = 0

        scanning: while true {
            if inObject { at = try scanName(text, at, into: &nodes, &escapedNames) }
            // A value must begin at `at`.
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
                let around = open
                open = nodes.count
                try append(
                    JSONNode(
                        kind: isObject ? .object : .array, start: at, end: 0, next: around + 1),
                    to: &nodes)
                inObject = isObject
                count = 0
                at = skipSpace(text, at + 1)
                if text.byte(at: at) != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    continue scanning
                }
                // Empty: undo the count that the end of a value adds.
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

            // A value has ended before `at`: go on in its container, or close it.
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
                    let around = nodes[open].next - 1
                    nodes[open].count = count
                    nodes[open].end = at
                    nodes[open].next = nodes.count
                    if inObject && count > 1 {
                        do throws(JSONError) {
                            try rejectDuplicates(ofObjectAt: open, in: text, nodes.span)
                        } catch {
                            guard depth >= toleratedDepth else { throw error }
                            markDuplicates(open, around, depth - toleratedDepth, &nodes)
                        }
                    }
                    open = around
                    if around >= 0 {
                        inObject = nodes[around].kind == .object
                        count = nodes[around].count
                    }
                default:
                    throw .syntax
                }
            }
            guard skipSpace(text, at) == text.count else { throw .syntax }
            return
        }
    }

    /// Marks an object and so many of the open ones that it is in.
    ///
    /// Stops at the first of them with a mark: the objects around it were marked with
    /// it. Duplicates at every level of a deep text then cost linear time.
    @inline(never)
    private static func markDuplicates(
        _ object: Int, _ around: Int, _ count: Int, _ nodes: inout OutputSpan<JSONNode>
    ) {
        nodes[object].markDuplicates()
        var open = around
        var left = count
        while left > 0, open >= 0, !nodes[open].hasMark {
            nodes[open].markDuplicates()
            open = nodes[open].next - 1
            left -= 1
        }
    }

    /// Reads a name and the colon behind it; returns where the value begins.
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
        name.count = signature(text, start + 1, string.end)
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

    /// Reads a number by the grammar of RFC 8259 section 6; returns where it ends.
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

    /// Skips one digit or more.
    @inline(__always)
    private static func skipDigits(_ text: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var at = start
        while at &+ 8 <= text.count, isDigits(text.word(at: at)) { at &+= 8 }
        while text.byte(at: at) &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > start else { throw .number }
        return at
    }
}
