// Which names and texts may become keys of Swift's own tables, where Unicode decides what is equal.

import JOSEBytes

/// Why names or texts cannot be keys of Swift's tables.
struct TextDefect: Error {
    enum Kind {
        /// Two that differ in their bytes are one key.
        case equivalent
        /// Combining marks in such number that comparing them takes quadratic time.
        case marks
    }

    let kind: Kind
    /// The node of the object, array or text.
    let node: Int

    var reason: JOSEError.Reason {
        switch kind {
        case .equivalent:
            "two names or texts in it are canonically equivalent: read JSONObject or an array"
        case .marks:
            JOSEError.Reason(
                "a name or text has more than {} combining marks in a row: read it into JSONValue",
                30)
        }
    }
}

/// `Dictionary` and `Set` compare a `String` in its normal form (Unicode Standard Annex #15).
/// Of two equivalent names, such as K and the Kelvin sign, one would silently replace the other.
/// Putting marks into order takes quadratic time. An enumeration compares its raw values so, too.
extension ClaimsSource {
    /// Whether an object's names are different keys. Where they are not, the claims are rejected at
    /// the end.
    ///
    /// Names in ASCII, which are in normal form, cost one pass.
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

    /// The text of a value whose type is only a text, which may be compared or a key from then on.
    func keyText(at node: Int) throws -> String {
        let text = try text(at: node)
        if isTooShortForMarks(node) || text.isStreamSafe { return text }
        _ = reject(.marks, node)
        throw unfit(node)
    }

    /// The set of an array's texts. Equal texts are one element; equivalent ones are rejected.
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

    /// 31 marks have at least 62 bytes, in UTF-8 as in escapes.
    @inline(__always)
    private func isTooShortForMarks(_ node: Int) -> Bool {
        document.nodes[node].end - document.nodes[node].start < 62
    }

    private func reject(_ kind: TextDefect.Kind, _ node: Int) -> Bool {
        textDefect = textDefect ?? TextDefect(kind: kind, node: node)
        return false
    }
}
