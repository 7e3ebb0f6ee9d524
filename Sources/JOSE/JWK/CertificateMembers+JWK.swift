// Reads the certificate members of a JWK: `x5c`, `x5t` and `x5t#S256`.

import JOSEBytes

extension CertificateMembers {
    /// Omits a malformed member. Records it, or too many certificates, as the `defect` for which
    /// every `TrustStore` rejects the key. Throws if the leaf is for another key, or a thumbprint
    /// is of another certificate (RFC 7517, 4.7 to 4.9).
    static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits,
        of material: any KeyMaterial
    ) throws(KeyDefect) -> CertificateMembers? {
        guard members[.x5c] != nil || members[.x5t] != nil || members[.x5tS256] != nil else {
            return nil
        }
        var defect: Defect?
        var chain: [[UInt8]]?
        if let array = members[.x5c] {
            (chain, defect) = readChain(array, text, tree)
            if defect == nil, let chain, chain.count > limits.chainCount {
                defect = .tooManyCertificates
            }
        }
        let leaf = chain?.first
        if let leaf {
            do throws(JOSEError) {
                try checkKey(leaf, chain ?? [], material, defect)
            } catch {
                guard error.code == .malformed else { throw KeyDefect(.x5c, error) }
                defect = .chainContent
            }
        }
        if defect == .chainContent { chain = nil }
        let validLeaf = defect == .chainContent ? nil : leaf
        let sha1 = try readThumbprint(.x5t, .sha1, validLeaf, members, text, tree, &defect)
        let sha256 = try readThumbprint(.x5tS256, .sha256, validLeaf, members, text, tree, &defect)
        return CertificateMembers(
            chain: chain, sha1Thumbprint: sha1, sha256Thumbprint: sha256, defect: defect)
    }

    /// If a later certificate is malformed, returns only the first, so that its key can be checked.
    private static func readChain(
        _ array: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> ([[UInt8]]?, Defect?) {
        guard tree[array].kind == .array, tree[array].count > 0 else { return (nil, .chainForm) }
        var chain: [[UInt8]] = []
        var index = array + 1
        while index < tree[array].next {
            let node = tree[index]
            guard node.kind == .string,
                let der = decoded(node, text),
                StrictDER.isOneValue(der.span)
            else { return (chain.isEmpty ? nil : [chain[0]], .chainContent) }
            chain.append(der)
            index = node.next
        }
        return (chain, nil)
    }

    /// Some writers escape `/`, a character of base64, in JSON.
    private static func decoded(_ node: JSONNode, _ text: Span<UInt8>) -> [UInt8]? {
        guard node.hasEscapes else {
            return StandardBase64.decode(text.extracting(node.start..<node.end))
        }
        let value = JSON.string(node, in: text)
        return StandardBase64.decode(value.utf8.span)
    }

    private static func readThumbprint(
        _ member: JWKMember, _ hash: ThumbprintForm, _ leaf: [UInt8]?, _ members: JWKMembers,
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ defect: inout Defect?
    ) throws(KeyDefect) -> [UInt8]? {
        guard members[member] != nil else { return nil }
        guard let bytes = try? JWKFields.bytes(member, members, text, tree) else {
            // Replaces a defect that is tolerated in a token's header, such as a wrong length.
            if defect?.isRejectedInTokenHeader != true { defect = .thumbprintForm }
            return nil
        }
        guard bytes.count == hash.bytes else {
            defect = defect ?? .thumbprintLength
            return nil
        }
        guard let leaf else { return bytes }
        do throws(JOSEError) {
            guard try CertificateMembers.digest(hash.algorithm, leaf) == bytes else {
                throw .keyUnusable(
                    "the thumbprint {} is of another certificate than x5c", .name(member.name))
            }
        } catch {
            throw KeyDefect(member, error)
        }
        return bytes
    }
}
