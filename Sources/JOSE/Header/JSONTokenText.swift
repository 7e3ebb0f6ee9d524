// The outer form of a JSON serialisation: limits, one strict scan, and members by name and type.

import JOSEBytes

/// The text of a JWS or JWE of the JSON serialisations, checked as JSON.
///
/// Members that are not known are ignored (RFC 7515, 7.2), unless a reader of compact tokens could take one for a
/// token: a name with a dot is refused.
struct JSONTokenText {
    let document: JSONDocument

    /// The names and values that a token may have for each signature or recipient that the limits admit: an
    /// unprotected header of some fifty members.
    private static let nodesOfRecipient = 128

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .limitExceeded(.token, "the token is too large (JOSELimits.tokenBytes)")
        }
        let text = [UInt8](byteCapacity: token.count) { $0.append(copying: token) }
        do throws(JSONFault) {
            document = try JSONDocument(
                text, maximumDepth: limits.jsonDepth,
                mostNodes: Self.nodesOfRecipient * max(limits.recipientCount, 16))
        } catch {
            throw JOSEError(error, at: .token)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.token, "the token is not a JSON object")
        }
    }

    /// The members of an object that are known, by one walk over it.
    ///
    /// - Throws: `malformed` for what is no object, for a name with a dot, and for members that belong to another form.
    func members(
        of object: Int = 0, refusing others: [TokenMember]
    ) throws(JOSEError) -> TokenMembers {
        guard document.kind(at: object) == .object else {
            throw .malformed(.token, "a part of the token is not an object")
        }
        let (text, nodes) = (document.bytes, document.nodes)
        var members = TokenMembers()
        var at = object + 1
        while at < nodes[object].next {
            let name = nodes[at]
            if let member = TokenMember.find(name, in: text.span) {
                members[member] = at + 1
            } else if JSON.has(0x2e, name, in: text.span) {
                throw .malformed(.token, "a member's name could be a compact token")
            }
            at = nodes[at + 1].next
        }
        try JSONTokenText.refuse(others, in: members)
        return members
    }

    static func refuse(_ others: [TokenMember], in members: TokenMembers) throws(JOSEError) {
        guard !members.hasOne(of: others) else {
            throw .malformed(.token, "a member does not belong to this form of the token")
        }
    }

    /// The bytes of a string; nil where there is no such member.
    func string(_ node: Int?) throws(JOSEError) -> [UInt8]? {
        guard let node else { return nil }
        guard document.kind(at: node) == .string else {
            throw .malformed(.token, "a member that must be a string is not one")
        }
        let value = document.nodes[node]
        let bytes = document.bytes
        let text = bytes.span.extracting(value.start..<value.end)
        return [UInt8](capacity: text.count) {
            if value.hasEscapes {
                JSON.unescape(text, into: &$0)
            } else {
                $0.append(copying: text)
            }
        }
    }

    /// The base64url text of a string, checked; nil where there is no such member.
    func encoded(_ node: Int?, at step: JOSEError.Step) throws(JOSEError) -> [UInt8]? {
        guard let text = try string(node) else { return nil }
        guard Base64URL.isValid(text.span) else {
            throw .notBase64URL(
                text.span, .malformed(step, "a member of the token is not base64url"))
        }
        return text
    }

    /// The entries of a list, each an object: at least one and at most the limit; nil where there is no such member.
    func entries(_ list: Int?, _ limits: JOSELimits) throws(JOSEError) -> [Int]? {
        guard let array = list else { return nil }
        guard document.kind(at: array) == .array, document.nodes[array].count > 0 else {
            throw .malformed(.token, "a list of the token is not an array with entries")
        }
        guard document.nodes[array].count <= limits.recipientCount else {
            throw .limitExceeded(
                .token,
                "the token has too many signatures or recipients (JOSELimits.recipientCount)")
        }
        var entries: [Int] = []
        document.forEachElement(of: array) { entries.append($0) }
        return entries
    }
}
