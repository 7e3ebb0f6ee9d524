// The certificate members of a JWK, x5c, x5t and x5t#S256: checked in form.

import JOSEBytes

extension CertificateMembers {
    /// Reads the members; the length of the chain is judged before any certificate is decoded.
    ///
    /// Throws `malformed` for a wrong form, `limitExceeded` for too many certificates.
    init?(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: Limits
    ) throws(JOSEError) {
        let chain = try CertificateMembers.readChain(members, text, tree, limits)
        let sha1 = try CertificateMembers.thumbprint(.x5t, 20, members, text, tree)
        let sha256 = try CertificateMembers.thumbprint(.x5tS256, 32, members, text, tree)
        if chain == nil, sha1 == nil, sha256 == nil { return nil }
        self.init(chain: chain, sha1Thumbprint: sha1, sha256Thumbprint: sha256)
    }

    private static func readChain(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: Limits
    ) throws(JOSEError) -> [[UInt8]]? {
        guard let array = members[.x5c] else { return nil }
        guard tree[array].kind == .array, tree[array].count > 0 else {
            throw .malformed(.certificate, "x5c is not a list of certificates")
        }
        guard tree[array].count <= limits.chainCount else {
            throw .limitExceeded(.certificate, "x5c has too many certificates")
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

    private static func thumbprint(
        _ member: JWKMember, _ size: Int, _ members: JWKMembers, _ text: Span<UInt8>,
        _ tree: Span<JSONNode>
    ) throws(JOSEError) -> [UInt8]? {
        guard let bytes = try JWKFields.bytes(member, members, text, tree) else { return nil }
        guard bytes.count == size else {
            throw .malformed(.certificate, "a certificate thumbprint has a wrong length")
        }
        return bytes
    }
}
