// The certificate members of a JWK, x5c, x5t and x5t#S256: checked in form.

import JOSEBytes

extension CertificateMembers {
    /// Reads the members.
    ///
    /// Throws `malformed` for a wrong form. A thumbprint of another length is left out.
    init?(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) {
        let chain = try CertificateMembers.readChain(members, text, tree)
        let sha1 = try JWKFields.bytes(.x5t, members, text, tree)
        let sha256 = try JWKFields.bytes(.x5tS256, members, text, tree)
        if chain == nil, sha1 == nil, sha256 == nil { return nil }
        let isLong = (chain?.count ?? 0) > limits.chainCount
        let isWhole = (sha1?.count ?? 20) == 20 && (sha256?.count ?? 32) == 32
        self.init(
            chain: chain, sha1Thumbprint: sha1?.count == 20 ? sha1 : nil,
            sha256Thumbprint: sha256?.count == 32 ? sha256 : nil,
            oddity: isLong ? .tooManyCertificates : isWhole ? nil : .thumbprintLength)
    }

    private static func readChain(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> [[UInt8]]? {
        guard let array = members[.x5c] else { return nil }
        guard tree[array].kind == .array, tree[array].count > 0 else {
            throw .malformed(.certificate, "x5c is not a list of certificates")
        }
        var chain: [[UInt8]] = []
        var index = array + 1
        while index < tree[array].next {
            let node = tree[index]
            // Some writers escape the solidus, which base64 has: unescape first.
            guard node.kind == .string,
                let der = try JSONText.withString(node, in: text, { StandardBase64.decode($0) }),
                StrictDER.isOneValue(der.span)
            else {
                throw .malformed(
                    .certificate, "x5c holds something that is not base64 of a DER certificate")
            }
            chain.append(der)
            index = node.next
        }
        return chain
    }
}
