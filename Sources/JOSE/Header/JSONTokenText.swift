// The outer form of a JSON serialisation: limits, one strict scan, and members by name and type.

import JOSEBytes

/// The text of a JWS or JWE of the JSON serialisations, checked as JSON.
///
/// Members that are not known are ignored (RFC 7515, 7.2), unless a reader of compact tokens could take one for a
/// token: a name with a dot is rejected.
struct JSONTokenText {
    let document: JSONDocument

    /// The names and values that a token may have for each signature or recipient that the limits admit: an
    /// unprotected header of some fifty members.
    private static let nodesOfRecipient = 128

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let text = [UInt8](byteCapacity: token.count) { $0.append(copying: token) }
        do throws(JSONError) {
            document = try JSONDocument(
                text, maxDepth: limits.jsonDepth,
                maxNodes: Self.nodesOfRecipient * max(limits.recipientCount, 16))
        } catch {
            throw JSONTokenText.failure(error, text.span, limits)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.token, "the token is JSON, but no object")
        }
    }

    /// The members of an object that are known, by one walk over it.
    ///
    /// - Throws: `malformed` for what is no object, for a name with a dot, and for members that belong to another form.
    func members(
        of object: Int = 0, rejecting others: [TokenMember]
    ) throws(JOSEError) -> TokenMembers {
        guard document.kind(at: object) == .object else {
            throw .malformed(
                .token, "an entry of signatures or recipients is not a JSON object")
        }
        let (text, nodes) = (document.bytes, document.nodes)
        var members = TokenMembers()
        var at = object + 1
        while at < nodes[object].next {
            let name = nodes[at]
            if let member = TokenMember.find(name, in: text.span) {
                members[member] = at + 1
            } else if JSON.has(0x2e, name, in: text.span) {
                throw .malformed(
                    .token, "the name of a member has a dot, as a compact token has (offset {})",
                    .number(name.start))
            }
            at = nodes[at + 1].next
        }
        try JSONTokenText.reject(others, in: members)
        return members
    }

    static func reject(_ others: [TokenMember], in members: TokenMembers) throws(JOSEError) {
        guard !members.hasOne(of: others) else {
            throw misplaced(others.first { members[$0] != nil } ?? .payload)
        }
    }

    /// A member of another kind of token, or of another level of this one.
    private static func misplaced(_ member: TokenMember) -> JOSEError {
        switch member {
        case .ciphertext, .recipients:
            JOSEError.malformed(
                .token, "the token has the member {} of a JWE; a JWS is wanted", .name(member.name)
            ).by(.encrypted)
        case .payload, .signature, .signatures:
            JOSEError.malformed(
                .token, "the member {} of a JWS is not allowed here", .name(member.name)
            ).by(.notEncrypted)
        default:
            .malformed(.token, "the member {} is not allowed here", .name(member.name))
        }
    }

    /// What a text that is not strict JSON seems to be.
    private static func failure(
        _ failure: JSONError, _ text: Span<UInt8>, _ limits: JOSELimits
    ) -> JOSEError {
        if failure == .syntax, Places(of: CompactToken.dot, in: text).count > 1,
            text[0] == UInt8(ascii: "e")
        {
            return JOSEError.malformed(
                .token, "this is a compact token, not the JSON serialisation"
            ).by(.compactForm)
        }
        return JOSEError(failure, at: .token, in: text, depth: limits.jsonDepth)
    }

    /// The bytes of a string; nil where there is no such member.
    func string(_ node: Int?, _ name: StaticString) throws(JOSEError) -> [UInt8]? {
        guard let node else { return nil }
        guard document.kind(at: node) == .string else {
            throw .malformed(.token, "the member {} is not a string", .name(name))
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
    func encoded(
        _ node: Int?, _ name: StaticString, at step: JOSEError.Step
    ) throws(JOSEError) -> [UInt8]? {
        guard let text = try string(node, name) else { return nil }
        guard Base64URL.isValid(text.span) else {
            throw .notBase64URL(text.span, step, name)
        }
        return text
    }

    /// The entries of a list, each an object: at least one and at most the limit; nil where there is no such member.
    func entries(
        _ list: Int?, _ name: StaticString, _ limits: JOSELimits
    ) throws(JOSEError) -> [Int]? {
        guard let array = list else { return nil }
        guard document.kind(at: array) == .array, document.nodes[array].count > 0 else {
            throw .malformed(.token, "the member {} is not an array with entries", .name(name))
        }
        guard document.nodes[array].count <= limits.recipientCount else {
            throw .limitExceeded(
                .token, "the token has {} {}; at most {} are accepted (JOSELimits.recipientCount)",
                .number(document.nodes[array].count), .name(name), .number(limits.recipientCount))
        }
        var entries: [Int] = []
        document.forEachElement(of: array) { entries.append($0) }
        return entries
    }
}
