// The rules of `crit`, and of `b64`, which must be critical.

import JOSEBytes

enum CriticalHeader {
    /// More names than there are extensions are no header that somebody meant.
    private static let mostNames = 16

    /// Extensions that a reader may understand; none where its caller did not ask for them.
    struct Extensions: OptionSet {
        let rawValue: UInt8
        /// `b64`: the payload may stand unencoded (RFC 7797).
        static let unencodedPayload = Extensions(rawValue: 1)
    }

    /// A list of names, each once, each in the header, none of the RFCs' own.
    static func checkForm(
        _ critical: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard tree[critical].kind == .array, tree[critical].count > 0 else {
            throw .malformed(.header, "crit is not a list of names")
        }
        // Each name is compared with all others: nobody needs many.
        guard tree[critical].count <= mostNames else {
            throw .limitExceeded(.header, "crit lists too many names")
        }
        var index = critical + 1
        while index < tree[critical].next {
            let entry = tree[index]
            guard entry.kind == .string, entry.end > entry.start else {
                throw .malformed(.header, "crit holds something that is not a name")
            }
            guard HeaderMember.find(entry, in: text)?.standing != .registered else {
                throw .malformed(.header, "crit lists a registered name")
            }
            let name = JSON.string(entry, in: text)
            guard has(name, text, tree) else {
                throw .malformed(.header, "crit lists a name that the header does not have")
            }
            var other = critical + 1
            while other < index {
                guard !JSON.equals(tree[other], name.utf8.span, in: text) else {
                    throw .malformed(.header, "crit lists a name twice")
                }
                other = tree[other].next
            }
            index = tree[index].next
        }
    }

    /// Refuses a list of the right form that names what the reader does not understand.
    static func checkUnderstood(
        _ critical: Int, _ extensions: Extensions, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        var index = critical + 1
        while index < tree[critical].next {
            guard extensions.contains(.unencodedPayload),
                HeaderMember.find(tree[index], in: text) == .b64
            else { throw .unsupported(.header, "crit lists an extension that is not understood") }
            index = tree[index].next
        }
    }

    /// `b64` is a boolean and stands in `crit` (RFC 7797, 6).
    static func checkUnencoded(
        _ value: Int, _ critical: Int?, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard tree[value].kind == .true || tree[value].kind == .false else {
            throw .malformed(.header, "b64 is not a boolean")
        }
        guard let critical, lists(.b64, critical, text, tree) else {
            throw .malformed(.header, "b64 without crit")
        }
    }

    private static func lists(
        _ member: HeaderMember, _ critical: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> Bool {
        var index = critical + 1
        while index < tree[critical].next {
            if HeaderMember.find(tree[index], in: text) == member { return true }
            index = tree[index].next
        }
        return false
    }

    private static func has(_ name: String, _ text: Span<UInt8>, _ tree: Span<JSONNode>) -> Bool {
        var index = 1
        while index < tree[0].next {
            if JSON.equals(tree[index], name.utf8.span, in: text) { return true }
            index = tree[index + 1].next
        }
        return false
    }
}
