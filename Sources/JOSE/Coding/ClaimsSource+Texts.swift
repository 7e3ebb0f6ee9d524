// Names and strings that may become keys of Swift's tables, which compare by Unicode equivalence.

import JOSEBytes

/// Why names or strings cannot be keys of Swift's tables.
struct TextDefect: Error {
    enum Kind {
        /// Two with different bytes are the same key.
        case equivalent
        /// There are so many combining marks that comparing them takes quadratic time.
        case marks
    }

    let kind: Kind
    /// The node of the object, array or string.
    let node: Int

    var reason: JOSEError.Reason {
        switch kind {
        case .equivalent:
            "two names or strings in it are canonically equivalent: read JSONObject or an array"
        case .marks:
            JOSEError.Reason(
                """
                a name or string has more than {} combining marks in a row: read it into JSONValue
                """,
                30)
        }
    }
}

// `Dictionary` and `Set` compare a `String` in its normal form (Unicode Standard Annex #15). Of two
// equivalent names, such as K and the Kelvin sign, one would silently replace the other. Ordering
// marks takes quadratic time. Enumerations compare their raw values in the same way.
extension ClaimsSource {
    /// Whether the names of an object are different keys. If they are not, the claims are rejected
    /// at the end.
    ///
    /// Names in ASCII are in normal form and cost one pass.
    func namesAreKeys(of object: Int) -> Bool {
        let nodes = document.nodes
        let bytes = document.bytes
        let text = bytes.span
        let end = nodes[object].next
        var at = object + 1
        while at < end {
            let name = nodes[at]
            guard !name.hasEscapes, text.extracting(name.start..<name.end).isASCII else {
                return foreignNamesAreKeys(of: object)
            }
            at = nodes[at + 1].next
        }
        return true
    }

    @inline(never)
    private func foreignNamesAreKeys(of object: Int) -> Bool {
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

    /// The string of a type that is read from one string, which may be compared or become a key.
    func keyText(at node: Int) throws -> String {
        let text = try text(at: node)
        if isTooShortForMarks(node) || text.isStreamSafe { return text }
        _ = reject(.marks, node)
        throw unfit(node)
    }

    /// The set of an array's strings. Equal ones are one element; equivalent ones are rejected.
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

    /// 31 marks have at least 62 bytes, in UTF-8 and in escapes.
    @inline(__always)
    private func isTooShortForMarks(_ node: Int) -> Bool {
        document.nodes[node].end - document.nodes[node].start < 62
    }

    private func reject(_ kind: TextDefect.Kind, _ node: Int) -> Bool {
        textDefect = textDefect ?? TextDefect(kind: kind, node: node)
        return false
    }
}
