// Joins the protected and unprotected parts of a header, and reads them as one.

import JOSEBytes

/// The unprotected parts of a header, and the members that must not be in them.
struct UnprotectedParts {
    /// The parsed token.
    let document: JSONDocument
    /// The nodes of the unprotected headers.
    let objects: [Int]
    let forbidden: [HeaderMember]
}

/// All members of one header (RFC 7515, 4; RFC 7516, 4), joined into one object. A member in two
/// parts becomes a duplicate, which the strict reader rejects.
struct JoinedHeader {
    let document: JSONDocument
    let fields: HeaderFields
    /// The base64url text of the protected part as received; empty if there is none.
    let protected: [UInt8]

    /// - Throws: `malformed`, `limitExceeded`, or `unsupported` for a `crit` that is not supported.
    init(
        protected: [UInt8]?, _ unprotected: UnprotectedParts, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions
    ) throws(JOSEError) {
        self.protected = protected ?? []
        var joined: [UInt8] = []
        if let protected {
            joined += JoinedHeader.members(try JoinedHeader.decoded(protected, limits))
        }
        for object in unprotected.objects {
            let part = unprotected.document
            guard part.kind(at: object) == .object, part.nodes[object].count > 0 else {
                throw .malformed(.header, "an unprotected header is not a JSON object with members")
            }
            try JoinedHeader.reject(unprotected.forbidden, in: part, object)
            if !joined.isEmpty { joined.append(UInt8(ascii: ",")) }
            joined += JoinedHeader.members(part.text(at: object))
        }
        guard joined.count <= limits.headerBytes else {
            throw .headerTooLarge(joined.count, limits)
        }
        document = try JoinedHeader.scanned([0x7b] + joined + [0x7d], limits)
        let (text, nodes) = (document.bytes, document.nodes)
        fields = try HeaderFields(text.span, nodes.span, limits, understanding: extensions)
    }

    /// The JSON text of the protected part. A sender must omit a part without members.
    private static func decoded(
        _ protected: [UInt8], _ limits: JOSELimits
    ) throws(JOSEError) -> ArraySlice<UInt8> {
        guard protected.count <= limits.headerBytes else {
            throw .headerTooLarge(protected.count, limits)
        }
        guard let text = Base64URL.decode(protected.span), !text.isEmpty else {
            throw .notBase64URL(protected.span, .header, "the protected header")
        }
        let document = try scanned(text, limits)
        guard document.kind(at: 0) == .object, document.nodes[0].count > 0 else {
            throw .malformed(.header, "the protected header is not a JSON object with members")
        }
        try checkCritical(document)
        return document.text(at: 0)
    }

    /// Checks that each name in `crit` is in the protected header: anyone in transit may change
    /// other parts (RFC 7515, 4.1.11; RFC 7516, 4.1.13).
    private static func checkCritical(_ document: JSONDocument) throws(JOSEError) {
        let (text, nodes) = (document.bytes, document.nodes)
        var index = 1
        while index < nodes[0].next {
            if HeaderMember.find(nodes[index], in: text.span) == .crit {
                try CriticalHeader.checkForm(index + 1, text.span, nodes.span)
            }
            index = nodes[index + 1].next
        }
    }

    private static func scanned(
        _ text: [UInt8], _ limits: JOSELimits
    ) throws(JOSEError) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(text, maxDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(
                error, at: .header, in: text.span, depth: limits.jsonDepth,
                naming: HeaderText.member)
        }
    }

    /// The text between the braces of an object.
    private static func members(_ object: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        object.dropFirst().dropLast()
    }

    static func reject(
        _ members: [HeaderMember], in document: JSONDocument, _ object: Int
    ) throws(JOSEError) {
        let (text, nodes) = (document.bytes, document.nodes)
        var index = object + 1
        while index < nodes[object].next {
            if let member = HeaderMember.find(nodes[index], in: text.span), members.contains(member)
            {
                throw JOSEError.malformed(
                    .header, "{} is in an unprotected header; it must be protected",
                    .name(member.name)
                ).withSetting(member == .alg ? .algorithmLocation : nil)
            }
            index = nodes[index + 1].next
        }
    }
}
