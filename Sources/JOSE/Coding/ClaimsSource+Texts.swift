// Checks names and strings before they become keys of a Swift Dictionary or Set.

import JOSEBytes

/// Why strings of the claims cannot be keys of a Swift `Dictionary` or `Set`.
struct TextDefect: Error {
    enum Kind {
        /// Two strings have different bytes, but Swift considers them equal.
        case equivalent
        /// More than 30 combining marks follow each other. Comparing them takes quadratic time.
        case marks
    }

    let kind: Kind
    /// The node of the object, array or string with the defect.
    let node: Int

    var reason: JOSEError.Reason {
        switch kind {
        case .equivalent:
            "two names or strings in it are canonically equivalent: read it as JSONObject or array"
        case .marks:
            JOSEError.Reason(
                """
                a name or string has more than {} combining marks in a row: read it into JSONValue
                """,
                30)
        }
    }
}

// Swift compares a `String` in its normal form (Unicode Standard Annex #15, 1.1), also as a key and
// as a raw value of an enumeration. Of two equivalent names, such as K and the Kelvin sign, a
// `Dictionary` would keep one. Normalising sorts combining marks in quadratic time (Annex #15, 13).
extension ClaimsSource {
    /// Whether the names of an object may be keys. If not, `ClaimsDecoder` rejects the claims at
    /// the end. ASCII names are in normal form and cost one pass.
    func namesAreKeys(of object: Int) -> Bool {
        let nodes = document.nodes
        let bytes = document.bytes
        let text = bytes.span
        let end = nodes[object].next
        var at = object + 1
        while at < end {
            let name = nodes[at]
            guard !name.hasEscapes, text.extracting(name.start..<name.end).isASCII else {
                return decodedNamesAreKeys(of: object)
            }
            at = nodes[at + 1].next
        }
        return true
    }

    @inline(never)
    private func decodedNamesAreKeys(of object: Int) -> Bool {
        var names: Set<String> = []
        names.reserveCapacity(document.nodes[object].count)
        let end = document.nodes[object].next
        var at = object + 1
        while at < end {
            let name = string(at)
            guard name.isStreamSafe else { return reject(.marks, object) }
            guard names.insert(name).inserted else { return reject(.equivalent, object) }
            at = document.nodes[at + 1].next
        }
        return true
    }

    /// Reads a string that Swift code may compare or use as a key. Also throws for too many marks.
    func keyText(at node: Int) throws -> String {
        let text = try text(at: node)
        if isTooShortForMarks(node) || text.isStreamSafe { return text }
        _ = reject(.marks, node)
        throw unfit(node)
    }

    /// Returns the set of an array's strings. Equivalent strings with different bytes are rejected.
    func textSet(at node: Int) throws -> Set<String> {
        var texts: Set<String> = []
        try forEachElement(of: node, as: Set<String>.self) { element in
            if texts.isEmpty { texts.reserveCapacity(document.nodes[node].count) }
            let text = try keyText(at: element)
            let (isNew, known) = texts.insert(text)
            guard isNew || known.isExactly(text) else {
                _ = reject(.equivalent, node)
                throw unfit(node)
            }
        }
        return texts
    }

    /// 31 combining marks have at least 62 bytes, in UTF-8 and as escapes.
    @inline(__always)
    private func isTooShortForMarks(_ node: Int) -> Bool {
        document.nodes[node].end - document.nodes[node].start < 62
    }

    private func reject(_ kind: TextDefect.Kind, _ node: Int) -> Bool {
        textDefect = textDefect ?? TextDefect(kind: kind, node: node)
        return false
    }
}
