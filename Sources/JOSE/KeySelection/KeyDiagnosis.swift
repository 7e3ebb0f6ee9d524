// Why a token's kid does not lead to a key: names that are nearly the same, thumbprints, ambiguity,
// entries that were skipped.

import JOSEBytes

/// What an explanation finds out about the keys of a verifier or decrypter for one token. It reads
/// public facts only.
struct KeyDiagnosis {
    /// The usable keys; one of a set each.
    let keys: [JWK]
    /// The entries of the set that cannot be used.
    let skipped: [SkippedKey]
    /// Whether the set holds the program's own keys, which nobody else can publish anew.
    var isOurs = false

    /// How many keys an explanation may compute with, besides the one that the token selects.
    static let most = 16

    /// The name of a key for people: its kid, or its thumbprint where it has none.
    static func name(_ key: JWK) -> String {
        if let keyID = key.keyID { return "key '\(printable(keyID, atMost: 80))'" }
        guard key.keyType != .oct, let print = try? key.thumbprint() else {
            return "the key without kid"
        }
        return "the key without kid (thumbprint \(print))"
    }

    /// The same where two keys of one kid are meant: with the thumbprint, which tells them apart.
    static func nameWithThumbprint(_ key: JWK) -> String {
        guard key.keyID != nil, key.keyType != .oct, let print = try? key.thumbprint() else {
            return name(key)
        }
        return "\(name(key)) (thumbprint \(print))"
    }

    /// The facts of a key that selection considers.
    static func facts(_ key: JWK) -> String {
        let size = key.prepared.material.sizeBits
        let curve = key.curve.map { " \($0.name)" } ?? " \(JOSEError.grouped(size)) bits"
        return "kty \(key.keyType.name)\(key.keyType == .akp ? "" : curve)"
            + (key.use.map { ", use \(Trace.quoted($0.name))" } ?? ", no use")
            + (key.algorithm.map { ", alg \(Trace.quoted($0.name))" } ?? ", no alg")
    }

    /// Why no key was selected.
    func explain(keyID: String?, _ trace: Trace) {
        guard let keyID else {
            return keys.count == 1 ? explainUse(keys[0], trace) : explainWithout(trace)
        }
        let same = keys.filter { $0.isNamed(keyID) }
        if same.count > 1 {
            trace.note(.key, "\(same.count) keys have the kid \(Trace.quoted(keyID))")
            for key in same.prefix(KeyDiagnosis.most) {
                let print = key.keyType == .oct ? nil : try? key.thumbprint()
                trace.note(
                    .key,
                    "one has \(KeyDiagnosis.facts(key))\(print.map { ", thumbprint \($0)" } ?? "")")
            }
            return trace.advise(
                """
                Each key needs a kid of its own, or another kty, use or alg: several keys are \
                never tried in turn. \
                The publisher of the key set must change it.
                """)
        }
        guard same.isEmpty else { return explainUse(same[0], trace) }
        if let near = keys.first(where: { $0.keyID.map { isNear($0, keyID) } ?? false }),
            let own = near.keyID
        {
            trace.note(
                .key,
                "the kid \(Trace.quoted(keyID)) differs from that of key "
                    + "'\(printable(own, atMost: 128))' only in \(difference(own, keyID)), first at "
                    + "byte \(KeyDiagnosis.place(own, keyID))"
            )
            return trace.advise(
                "A kid is compared byte by byte: the sender or the key set must write it as "
                    + "the other does."
            )
        }
        if let (key, kind) = namedByNumbers(keyID) {
            trace.note(.key, "the kid is the \(kind) of \(KeyDiagnosis.name(key))")
            return trace.advise(
                "The sender names the key by its \(kind): give the key this kid, "
                    + "\(Trace.quoted(keyID))."
            )
        }
        guard skipped.isEmpty else {
            trace.note(
                .keySet,
                "no usable key has the kid \(Trace.quoted(keyID)), and the set has skipped "
                    + "entries (\(skipped.count))")
            return trace.advise(
                "The key may be one of the entries that are skipped: what is wrong with them is "
                    + "above, and the publisher of the key set must correct it.")
        }
        trace.note(.key, "no key has the kid \(Trace.quoted(keyID))")
        if isOurs {
            return trace.advise(
                """
                The token is encrypted for a key that this set of ours lacks: add the key, or \
                publish the public keys of this set, which the sender may have in an older version.
                """)
        }
        trace.advise(
            """
            The key set may be old (fetch it again), or key set and token are of different issuers \
            or environments. What every key of the set says is above.
            """)
    }

    private func explainWithout(_ trace: Trace) {
        trace.note(.key, "the header has no kid, and the set has \(keys.count) usable keys")
        trace.advise(
            """
            A token without kid needs exactly one key that suits its algorithm: the sender should \
            write a kid. What every \
            key of the set says is above.
            """)
    }

    private func explainUse(_ key: JWK, _ trace: Trace) {
        trace.note(.key, "\(KeyDiagnosis.name(key)) has \(KeyDiagnosis.facts(key))")
        trace.advise(
            """
            The key was found and cannot be used for this: compare its kty, use, alg and key_ops \
            with the header's alg.
            """)
    }

    /// The entries that cannot be used, the first ones of many.
    static func skipped(_ entries: [SkippedKey], _ trace: Trace) {
        for entry in entries.prefix(most) {
            trace.note(
                .keySet, "entry \(entry.index + 1) of the key set is skipped: \(entry.account)")
        }
        if entries.count > most {
            trace.note(.keySet, "\(entries.count - most) more entries are skipped")
        }
    }
}

extension SkippedKey {
    /// The entry for an explanation.
    fileprivate var account: String { printable(reason, atMost: 200) }
}

// MARK: names

extension KeyDiagnosis {
    private func isNear(_ own: String, _ wanted: String) -> Bool {
        !own.isExactly(wanted) && KeyDiagnosis.plain(own).elementsEqual(KeyDiagnosis.plain(wanted))
    }

    /// The name without case, white space, quotation marks, padding, and with one alphabet of
    /// base64.
    private static func plain(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in name.lowercasedASCII.utf8 {
            switch byte {
            case ...0x20, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"): continue
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "_"))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The first byte, counted from 1, at which two names differ.
    private static func place(_ a: String, _ b: String) -> Int {
        zip(a.utf8, b.utf8).prefix { $0 == $1 }.reduce(1) { count, _ in count + 1 }
    }

    private func difference(_ own: String, _ wanted: String) -> String {
        func without(_ drops: (UInt8) -> Bool, _ text: String) -> [UInt8] {
            text.utf8.filter { !drops($0) }
        }
        func same(_ drops: (UInt8) -> Bool) -> Bool {
            without(drops, own) == without(drops, wanted)
        }
        if own.lowercasedASCII.isExactly(wanted.lowercasedASCII) { return "upper and lower case" }
        if same({ $0 <= 0x20 }) { return "white space" }
        if same({ $0 == UInt8(ascii: "=") }) { return "padding (=)" }
        if same({ $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }) {
            return "quotation marks"
        }
        return "case, white space, padding or the alphabet of base64"
    }

    /// The key whose thumbprint, of one kind or another, the kid is.
    private func namedByNumbers(_ keyID: String) -> (key: JWK, kind: String)? {
        let plain = KeyDiagnosis.plain(keyID)
        func isPlain(_ other: String?) -> Bool {
            other.map { KeyDiagnosis.plain($0).elementsEqual(plain) } ?? false
        }
        // Thumbprints of symmetric keys say something about their secret.
        for key in keys.prefix(4 * KeyDiagnosis.most) where key.keyType != .oct {
            for hash in ThumbprintHash.all {
                if isPlain(try? key.thumbprint(hash)) {
                    return (key, "JWK thumbprint (RFC 7638, \(hash.name))")
                }
                if isPlain(try? key.thumbprintURI(hash)) {
                    return (key, "JWK thumbprint URI (RFC 9278, \(hash.name))")
                }
            }
        }
        return nil
    }
}

// MARK: what a verifier and a decrypter hold

extension VerificationKeys {
    /// The keys for an explanation; reads the whole set.
    var diagnosis: KeyDiagnosis {
        switch source {
        case .one(let key): KeyDiagnosis(keys: [key.jwk], skipped: [])
        case .set(let set): KeyDiagnosis(keys: set.keys(), skipped: set.skipped)
        }
    }

    /// The entries of a set that cannot be used.
    var skipped: [SkippedKey] {
        if case .set(let set) = source { set.skipped } else { [] }
    }

    /// A key that was selected.
    func prepared(_ index: Int) throws(JOSEError) -> PreparedKey {
        switch source {
        case .one(let key): key.jwk.prepared
        case .set(let set): try set.storage.preparedKey(index)
        }
    }
}

extension DecryptionKeys {
    /// The keys for an explanation.
    var diagnosis: KeyDiagnosis {
        KeyDiagnosis(keys: keys.keys, skipped: keys.skipped, isOurs: true)
    }
}

extension VerificationKeys {
    /// The key that a token selects, for an explanation of what came after.
    func index(
        _ algorithm: SignatureAlgorithm, keyID: JSONNode?, in text: Span<UInt8>
    ) -> Int? {
        guard case .set(let set) = source else { return 0 }
        let query = KeyQuery.verifying(algorithm)
        guard let keyID else { return try? set.selectOnly(query) }
        return try? JSONText.withString(keyID, in: text) { (keyID) throws(JOSEError) in
            try set.select(keyID: keyID, query)
        }
    }
}
