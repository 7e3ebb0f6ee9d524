// JWK and JWK Set: an accepted key is written and read as the same key, and publishing reveals no
// secret.

import JOSE
import JOSEBytes

extension FuzzTarget {
    static let jwk = FuzzTarget("jwk") { bytes in
        guard
            let key = try bounded(
                bytes, pairs: { $0.isKeyPair ? 1 : 0 }, { try JWK(json: bytes) })
        else { return }
        try survives(key)
    }

    static let jwkSet = FuzzTarget("jwk-set") { bytes in
        // A set with an invalid JSON entry: its text twice, and eight bytes of nodes for each byte.
        if let published = try bounded(bytes, times: 10, { try PublicJWKSet(json: bytes) }) {
            try hold(!holdsSecret(bytes), "a published set with a private or symmetric member")
            try hold(published.count <= JOSELimits.standard.keyCount, "more keys than the limit")
            let keys = published.keys()
            for key in keys {
                try hold(!key.isPrivate, "a private key in a published set")
                if let keyID = key.keyID { _ = try accepted { try published.key(keyID: keyID) } }
            }
            // Every entry is a usable key or is reported once, with a limited name.
            let skipped = published.skipped
            try hold(
                keys.count + skipped.count == published.count,
                "an entry is neither used nor skipped")
            try hold(Set(skipped.map(\.index)).count == skipped.count, "an entry is skipped twice")
            for key in skipped {
                try hold((key.keyID?.utf8.count ?? 0) <= 128, "a kid is shown at any length")
                try hold(!key.reason.isEmpty, "an entry is skipped without a reason")
            }
            // An added entry makes no token use another key.
            try selects(published, bytes)
            guard let again = try accepted({ try PublicJWKSet(json: published.json()) }) else {
                throw Broken(description: "a set that was written is rejected")
            }
            try hold(again.keys().count == keys.count, "keys are lost in writing")
        }
        if let own = try accepted({ try JWKSet(json: bytes) }) {
            try hold(
                own.keys.count + own.skipped.count <= JOSELimits.standard.keyCount, "too many keys")
            for key in own.keys { try survives(key) }
        }
    }

    /// The set with one of its entries repeated, and with an entry that is not a key: each kid gets
    /// the same key or none.
    private static func selects(_ set: PublicJWKSet, _ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let open = text.firstIndex(of: "["), set.count > 0, set.count < 900 else { return }
        let added = text[...open] + "null," + text[text.index(after: open)...]
        guard let more = try accepted({ try PublicJWKSet(json: String(added)) }),
            more.count == set.count + 1
        else { return }
        for key in set.keys().prefix(8) {
            guard let keyID = key.keyID, let first = try accepted({ try set.key(keyID: keyID) })
            else { continue }
            guard let second = try accepted({ try more.key(keyID: keyID) }) else {
                throw Broken(description: "an entry that is no key takes a key away")
            }
            try hold(
                try first.thumbprint() == second.thumbprint(), "an added entry changes the key")
        }
    }

    private static func survives(_ key: JWK) throws {
        let print = try key.thumbprint()
        // A symmetric key has no public part.
        if key.keyType != .oct {
            let text = try Array(key.publicJSON().utf8)
            try hold(!holdsSecret(text), "a private member in public JSON")
            let published = try JWK(json: text)
            try hold(
                try published.thumbprint() == print && !published.isPrivate,
                "the public key changed")
            try hold(sameLabels(published, key.publicKey), "the public key's labels changed")
        }
        guard key.isPrivate else { return }
        let secret = try JWK(json: key.privateJSON())
        try hold(try secret.thumbprint() == print && secret.isPrivate, "the private key changed")
        try hold(sameLabels(secret, key), "the private key's labels changed")
    }

    private static func sameLabels(_ a: JWK, _ b: JWK) -> Bool {
        a.keyID.map { Array($0.utf8) } == b.keyID.map { Array($0.utf8) } && a.use == b.use
            && a.algorithm == b.algorithm && a.keyOperations == b.keyOperations
            && a.certificateChain == b.certificateChain
    }

    private static let secretMembers: Set<String> = [
        "d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv",
    ]

    /// Whether a JWK, or a key of a JWK Set, has a private or symmetric member.
    private static func holdsSecret(_ text: [UInt8]) -> Bool {
        guard let document = try? JSONDocument(text, maxDepth: 32) else { return false }
        var found = false
        func look(_ object: Int) {
            document.forEachMember(of: object) { name, _ in
                if let name = document.string(at: name), secretMembers.contains(name) {
                    found = true
                }
            }
        }
        guard let keys = document.member("keys") else {
            look(0)
            return found
        }
        document.forEachElement(of: keys) { key in
            // Members of an unknown key type mean nothing.
            let type = document.member("kty", of: key).flatMap { document.string(at: $0) }
            if let type, ["RSA", "EC", "OKP", "oct", "AKP"].contains(type) { look(key) }
        }
        return found
    }
}

extension JWK {
    /// Whether it is a private ML-DSA key.
    var isKeyPair: Bool { isPrivate && keyType == .akp }
}
