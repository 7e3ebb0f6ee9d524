// Parses a token of the JSON serialisations in one strict scan, and finds its members.

import JOSEBytes

/// Unknown members are ignored (RFC 7515, 7.2). A name with a dot is rejected: a lenient reader of
/// compact tokens might accept the same text.
struct JSONTokenText {
    let document: JSONDocument

    /// A token may have this many nodes (names and values) times `limits.recipientCount`, which
    /// counts as at least 16. About fifty unprotected members of each recipient fit.
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
            throw .malformed(.token, "the token is JSON, but not an object")
        }
    }

    /// - Throws: `malformed` if `object` is not an object, has a name with a dot, or has a member
    ///   of `others`.
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
                    .token,
                    "a member's name has a dot: this could pass for a compact token (offset {})",
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

    private static func misplaced(_ member: TokenMember) -> JOSEError {
        switch member {
        case .ciphertext, .recipients:
            JOSEError.malformed(
                .token, "the member {} of a JWE is not allowed here",
                .name(member.name)
            ).withSetting(.encrypted)
        case .payload, .signature, .signatures:
            JOSEError.malformed(
                .token, "the member {} of a JWS is not allowed here", .name(member.name)
            ).withSetting(.notEncrypted)
        default:
            .malformed(.token, "the member {} is not allowed here", .name(member.name))
        }
    }

    private static func failure(
        _ failure: JSONError, _ text: Span<UInt8>, _ limits: JOSELimits
    ) -> JOSEError {
        if failure == .syntax, ByteOffsets(of: CompactToken.dot, in: text).count > 1,
            text[0] == UInt8(ascii: "e")
        {
            return JOSEError.malformed(
                .token, "this is a compact token, not the JSON serialisation"
            ).withSetting(.compactForm)
        }
        return JOSEError(failure, at: .token, in: text, depth: limits.jsonDepth)
    }

    /// The unescaped bytes of a string; nil if the member is absent.
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

    /// As `string`; the text is checked to be base64url.
    func encoded(
        _ node: Int?, _ name: StaticString, at step: JOSEError.Step
    ) throws(JOSEError) -> [UInt8]? {
        guard let text = try string(node, name) else { return nil }
        guard Base64URL.isValid(text.span) else {
            throw .notBase64URL(text.span, step, name)
        }
        return text
    }

    /// The nodes of the entries of an array, 1 to `limits.recipientCount`; nil if `list` is nil.
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
