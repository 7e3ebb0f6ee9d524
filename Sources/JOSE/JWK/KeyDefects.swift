// Finds all defects of all entries of a key set, for `josectl keys lint`.

import JOSEBytes

package enum KeyDefects {
    /// Returns the defects in order, at most one for each member of an entry. Private and symmetric
    /// keys are allowed. Throws if the whole set cannot be read, or memory or libcrypto fails.
    package static func all(
        in json: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> [SkippedKey] {
        var found: [SkippedKey] = []
        try JWKDocument.forEachKey(json, limits) {
            (text, tree, entry, index, _, defect) throws(JOSEError) in
            let defects = defect.map { [$0] } ?? entryDefects(entry, text, tree, limits)
            for defect in defects {
                guard !defect.isInternal else { throw defect.error }
                found.append(SkippedKey(index, defect, entry, text, tree))
            }
        }
        return found
    }

    /// Returns whether an entry, usable or not, has a private member other than `k` and is not of
    /// type oct.
    package static func holdsPrivateKey(
        _ json: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> Bool {
        var isFound = false
        try JWKDocument.forEachKey(json, limits) { (text, tree, entry, _, _, _) in
            guard let members = JWKMembers(ofEntry: entry, in: text, tree),
                let secret = members.firstSecret, secret != .k
            else { return }
            let isSymmetric = members[.kty].map { JSON.equals(tree[$0], "oct", in: text) } ?? false
            isFound = isFound || !isSymmetric
        }
        return isFound
    }

    private static func entryDefects(
        _ entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) -> [KeyDefect] {
        guard let members = JWKMembers(ofEntry: entry, in: text, tree) else {
            return [JWKDocument.noObject(tree[entry])]
        }
        var found = JWKOutline.defects(members, entry, text, tree, limits)
        do throws(KeyDefect) {
            _ = try JWKOutline(members, entry, text, tree, limits)
        } catch {
            add(error, to: &found)
        }
        if let type = members[.kty], tree[type].kind == .string,
            let typeEntry = KeyTypeEntry(tree[type], in: text)
        {
            for defect in typeEntry.defects(members, text, tree, limits) { add(defect, to: &found) }
        }
        // Only reading the whole key checks private numbers and certificates.
        guard found.isEmpty else { return found }
        do throws(KeyDefect) {
            let key = try JWK.read(text, tree, at: entry, limits)
            let kind = key.prepared.material.kind
            if !kind.isDisjoint(with: .unavailable) {
                found.append(KeyDefect(.kty, .unsupportedByProvider))
            }
        } catch {
            found.append(error)
        }
        return found
    }

    private static func add(_ defect: KeyDefect, to found: inout [KeyDefect]) {
        if !found.contains(where: { $0.member == defect.member }) { found.append(defect) }
    }
}

extension JWKOutline {
    fileprivate static func defects(
        _ members: JWKMembers, _ entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ limits: JOSELimits
    ) -> [KeyDefect] {
        var found: [KeyDefect] = []
        for member in [JWKMember.kty, .kid, .use, .alg] {
            do throws(KeyDefect) { _ = try JWKFields.node(member, members, tree) } catch {
                found.append(error)
            }
        }
        do throws(KeyDefect) { _ = try JWKFields.operations(members, text, tree) } catch {
            found.append(error)
        }
        return found
    }
}

extension KeyTypeEntry {
    fileprivate func defects(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) -> [KeyDefect] {
        guard hasPublicPart else { return [] }
        var found: [KeyDefect] = []
        do throws(KeyDefect) { _ = try checkPublic(members, text, tree, limits) } catch {
            found.append(error)
        }
        for member in [JWKMember.n, .e, .x, .y, .pub]
        where !found.contains(where: { $0.member == member }) {
            do throws(KeyDefect) { try check(member, members, text, tree, limits) } catch {
                found.append(error)
            }
        }
        return found
    }

    private func check(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ limits: JOSELimits
    ) throws(KeyDefect) {
        guard let bytes = try JWKFields.bytes(member, members, text, tree) else { return }
        switch (member, self) {
        case (.n, .rsa), (.e, .rsa):
            let number = bytes.span
            try RSAKeyMaterial.check(
                member, number.extracting(droppingFirst: RSAKeyMaterial.leadingZeros(number)),
                limits)
        case (.x, .ec), (.y, .ec), (.x, .okp):
            let type: KeyType = self == .ec ? .ec : .okp
            if let curve = try? CurveKeyMaterial.readCurve(type, members, text, tree) {
                try CurveKeyMaterial.checkSize(member, bytes.count, curve)
            }
        default: break
        }
    }
}
