// Explains why a token selects no key: similar kids, thumbprints, ambiguity, skipped entries.

import JOSEBytes

/// Explains the key selection for one token. Reads public facts only.
struct KeyDiagnosis {
    let keys: [JWK]
    let skipped: [SkippedKey]
    /// Whether the keys are those of this program, not of another party.
    var isLocal = false

    /// The maximum number of keys, besides the selected one, with which an explanation verifies a
    /// signature. It compares the thumbprints of four times as many.
    static let maxKeys = 16

    /// The key's name for people: its `kid` or thumbprint.
    static func name(_ key: JWK) -> String {
        if let keyID = key.keyID { return "key '\(printable(keyID, atMost: 80))'" }
        guard key.keyType != .oct, let print = try? key.thumbprint() else {
            return "the key without kid"
        }
        return "the key without kid (thumbprint \(print))"
    }

    /// The name with the thumbprint, for keys with the same `kid`.
    static func nameWithThumbprint(_ key: JWK) -> String {
        guard key.keyID != nil, key.keyType != .oct, let print = try? key.thumbprint() else {
            return name(key)
        }
        return "\(name(key)) (thumbprint \(print))"
    }

    static func facts(_ key: JWK) -> String {
        let size = key.prepared.material.sizeBits
        let curveOrSize =
            key.curve.map { " \($0.name)" } ?? " \(JOSEError.grouped(size)) bits"
        return "kty \(key.keyType.name)\(key.keyType == .akp ? "" : curveOrSize)"
            + (key.use.map { ", use \(Trace.quoted($0.name))" } ?? ", no use")
            + (key.algorithm.map { ", alg \(Trace.quoted($0.name))" } ?? ", no alg")
    }

    func explain(keyID: String?, _ trace: Trace) {
        guard let keyID else {
            return keys.count == 1 ? explainUse(keys[0], trace) : explainWithoutKeyID(trace)
        }
        let same = keys.filter { $0.isNamed(keyID) }
        if same.count > 1 {
            trace.note(.key, "\(same.count) keys have the kid \(Trace.quoted(keyID))")
            for key in same.prefix(KeyDiagnosis.maxKeys) {
                let print = key.keyType == .oct ? nil : try? key.thumbprint()
                trace.note(
                    .key,
                    "one has \(KeyDiagnosis.facts(key))\(print.map { ", thumbprint \($0)" } ?? "")")
            }
            return trace.advise(
                """
                Each key needs its own kid, or a different kty, use or alg: several keys are never \
                tried in turn. The publisher of the key set must change it.
                """)
        }
        guard same.isEmpty else { return explainUse(same[0], trace) }
        if let near = keys.first(where: { $0.keyID.map { isNear($0, keyID) } ?? false }),
            let own = near.keyID
        {
            trace.note(
                .key,
                "the kid \(Trace.quoted(keyID)) differs from that of key "
                    + "'\(printable(own, atMost: 128))' only in \(difference(own, keyID)), first "
                    + "at byte \(KeyDiagnosis.firstDifference(own, keyID))"
            )
            return trace.advise(
                """
                A kid is compared byte by byte: the sender and the key set must write it equally.
                """
            )
        }
        if let (key, kind) = namedByThumbprint(keyID) {
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
                """
                The key may be one of the skipped entries: their defects are listed above, and the \
                publisher of the key set must correct them.
                """)
        }
        trace.note(.key, "no key has the kid \(Trace.quoted(keyID))")
        if isLocal {
            return trace.advise(
                """
                The token is encrypted for a key that this local set lacks. Add the key, or \
                publish the public keys of this set: the sender may have an older version.
                """)
        }
        trace.advise(
            """
            The key set may be outdated (fetch it again), or key set and token are of different \
            issuers or environments. The properties of every key are listed above.
            """)
    }

    private func explainWithoutKeyID(_ trace: Trace) {
        trace.note(.key, "the header has no kid, and the set has \(keys.count) usable keys")
        trace.advise(
            """
            A token without kid needs exactly one key that matches its algorithm: the sender \
            should write a kid. The properties of every key are listed above.
            """)
    }

    private func explainUse(_ key: JWK, _ trace: Trace) {
        trace.note(.key, "\(KeyDiagnosis.name(key)) has \(KeyDiagnosis.facts(key))")
        trace.advise(
            """
            The key was found but cannot be used for this: compare its kty, use, alg and key_ops \
            with the header's alg.
            """)
    }

    static func skipped(_ entries: [SkippedKey], _ trace: Trace) {
        for entry in entries.prefix(maxKeys) {
            trace.note(
                .keySet,
                "entry \(entry.index + 1) of the key set is skipped: "
                    + printable(entry.reason, atMost: 200))
        }
        if entries.count > maxKeys {
            trace.note(.keySet, "\(entries.count - maxKeys) more entries are skipped")
        }
    }
}

// MARK: Names

extension KeyDiagnosis {
    private func isNear(_ own: String, _ wanted: String) -> Bool {
        !own.isExactly(wanted) && KeyDiagnosis.plain(own).elementsEqual(KeyDiagnosis.plain(wanted))
    }

    /// The lower-case name in base64url's alphabet, without white space, quotes and padding.
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

    /// The position, counted from 1, of the first byte in which two names differ.
    private static func firstDifference(_ a: String, _ b: String) -> Int {
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

    /// The key whose thumbprint equals the `kid`, compared as `plain`, and the kind of thumbprint.
    private func namedByThumbprint(_ keyID: String) -> (key: JWK, kind: String)? {
        let plain = KeyDiagnosis.plain(keyID)
        func isPlain(_ other: String?) -> Bool {
            other.map { KeyDiagnosis.plain($0).elementsEqual(plain) } ?? false
        }
        // The thumbprint of a symmetric key reveals something about its secret.
        for key in keys.prefix(4 * KeyDiagnosis.maxKeys) where key.keyType != .oct {
            for hash in JWK.ThumbprintHash.all {
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

// MARK: The keys of a verifier and a decrypter

extension VerificationKeys {
    /// Reads the whole set.
    var diagnosis: KeyDiagnosis {
        switch source {
        case .one(let key): KeyDiagnosis(keys: [key.jwk], skipped: [])
        case .set(let set): KeyDiagnosis(keys: set.keys(), skipped: set.skipped)
        }
    }

    var skipped: [SkippedKey] {
        if case .set(let set) = source { set.skipped } else { [] }
    }

    func prepared(_ index: Int) throws(JOSEError) -> PreparedKey {
        switch source {
        case .one(let key): key.jwk.prepared
        case .set(let set): try set.storage.preparedKey(index)
        }
    }

    /// The index of the key that a token selects, to explain the later steps.
    func index(
        _ algorithm: SignatureAlgorithm, keyID: JSONNode?, in text: Span<UInt8>
    ) -> Int? {
        guard case .set(let set) = source else { return 0 }
        return try? VerificationKeys.select(set, .verifying(algorithm), keyID, text)
    }
}

extension DecryptionKeys {
    var diagnosis: KeyDiagnosis {
        KeyDiagnosis(keys: keys.keys, skipped: keys.skipped, isLocal: true)
    }
}

extension Trace {
    /// Records each key with its error, which is nil for an eligible key. `skipped` is the number
    /// of entries that were reported before.
    func keys(_ rejections: [(keyID: String?, error: JOSEError?)], skipped: Int = 0) {
        if rejections.isEmpty, skipped == 0 { note(.key, "there is no key") }
        for (keyID, error) in rejections {
            let name =
                keyID.map { "key '\(printable($0, atMost: 80))'" }
                ?? "a key without kid"
            note(.key, error.map { "\(name) skipped: \($0.message)" } ?? "\(name) is eligible")
        }
    }
}
