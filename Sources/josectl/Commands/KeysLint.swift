// josectl keys lint: what a careful reader of a key set would reject or warn about.

import JOSE
import JOSEBytes

extension Command {
    static let keysLint = Command(
        name: "keys lint",
        summary: "tell what a careful reader would reject or warn about",
        arguments: "[FILE|URI]", argumentCount: 1,
        details: """
            Looks at each key and at the chain in its x5c: the leaf, the order, validity, strength, what the
            certificates allow. Which roots to trust is the reader's business. The exit code is 1 if
            something would be rejected, 0 if there are warnings only.
            """,
        options: [
            .flag("private", "the file is ours: private members are right in it"),
            .flag(
                "complete-chain", "each key must have its chain from leaf to root, none self-signed"
            ),
            .at,
        ] + Option.held,
        example: "josectl keys lint --complete-chain public.jwks"
    ) { invocation in
        let file = try await invocation.shownKeys(invocation.line.arguments.first ?? "-")
        let remarks = try Lint.remarks(
            file, isPrivate: invocation.line.has("private"),
            rule: invocation.line.has("complete-chain") ? .completeChain : .any,
            at: try invocation.time() ?? .now)
        let isRejected = remarks.contains { $0.isRejection }
        if invocation.output.isJSON {
            try Descriptor.output.write(
                try Output.json { writer in
                    writer.member("rejected", isRejected)
                    writer.member("remarks", objects: remarks) { $1.write(to: &$0) }
                })
        } else {
            for remark in remarks { try invocation.output.line(remark.text) }
            if remarks.isEmpty { try invocation.output.line("nothing to remark") }
        }
        return isRejected ? .rejected : .accepted
    }
}

private struct Lint {
    /// From 1, as people count; nil where the whole set is meant.
    let key: Int?
    /// Escaped, as a `SkippedKey` has it.
    var keyID: String?
    var member: String?
    let isRejection: Bool
    let reason: String

    /// A remark on one key.
    private init(_ index: Int, _ key: JWK, _ remark: (isRejection: Bool, reason: String)) {
        self.key = index + 1
        keyID = key.keyID.map { printable($0, atMost: 128) }
        isRejection = remark.isRejection
        reason = remark.reason
    }

    private init(_ skipped: SkippedKey) {
        key = skipped.index + 1
        keyID = skipped.keyID
        member = skipped.member
        isRejection = true
        reason = ShellWords.translated(skipped.reason)
    }

    private init(isRejection: Bool, ofSet reason: String) {
        key = nil
        self.isRejection = isRejection
        self.reason = reason
    }

    var text: String {
        let name = keyID.map { ", kid '\($0)'" } ?? ""
        let part = member.map { ", member \($0)" } ?? ""
        let place = key.map { "key \($0)\(name)\(part)" } ?? "the set"
        let level = isRejection ? Paint.bad("rejected") : Paint.caution("warning")
        return "\(level): \(place): \(reason)"
    }

    func write(to writer: inout JSONWriter) {
        // The number in the text, and the place in the array.
        writer.member("key", key)
        writer.member("index", key.map { $0 - 1 })
        writer.member("kid", keyID)
        writer.member("member", member)
        writer.member("level", isRejection ? "rejected" : "warning")
        writer.member("reason", reason)
    }

    static func remarks(
        _ file: KeyFile, isPrivate: Bool, rule: PublishedCertificateRule, at now: NumericDate
    ) throws -> [Lint] {
        let set = try file.ownSet()
        var remarks = try file.defects().map { Lint($0) }
        if !isPrivate {
            do {
                _ = try file.publicSet()
            } catch let rejection as Rejection where rejection.code == .keyUnusable {
                let reason =
                    try file.holdsPrivateKey()
                    ? "it holds a private key; publish what `josectl keys public` writes"
                    : "it holds a symmetric key, which must not be published"
                remarks.append(Lint(isRejection: true, ofSet: reason))
            }
        }
        if set.keys.isEmpty, remarks.isEmpty {
            remarks.append(Lint(isRejection: false, ofSet: "it holds no keys"))
        }
        // The skipped keys leave gaps in the numbers.
        let skipped = Set(set.skipped.map(\.index))
        let places = (0..<(set.keys.count + skipped.count)).filter { !skipped.contains($0) }
        let keys = zip(places, set.keys).map { (index: $0, key: $1) }
        for (count, (index, key)) in keys.enumerated() {
            remarks += Lint.remarks(key, keys[..<count], rule, at: now).map {
                Lint(index, key, $0)
            }
            if key.keyType == .oct, !isPrivate, file.isSet {
                let reason =
                    "it is a shared secret: leave it out of a set that others may read, and make a new one "
                    + "if the set was published (a set of your own: --private)"
                remarks.append(Lint(index, key, (false, reason)))
            }
        }
        return remarks.sorted { ($0.key ?? 0) < ($1.key ?? 0) }
    }

    private static func remarks(
        _ key: JWK, _ earlier: ArraySlice<(index: Int, key: JWK)>,
        _ rule: PublishedCertificateRule, at now: NumericDate
    ) -> [(isRejection: Bool, reason: String)] {
        var found: [(Bool, String)] = []
        do {
            try key.checkWhole()
        } catch {
            found.append((true, Rejection(any: error)?.message ?? "it cannot be used"))
        }
        found += ChainLint.remarks(key, rule, at: now)
        if key.hasLeadingZeros {
            found.append((false, "n or e has leading zero bytes, which RFC 7518, 2 leaves out"))
        }
        if key.keyID == nil { found.append((false, "it has no kid: a token cannot name it")) }
        found += remarksOnNames(key, earlier)
        if key.use == nil { found.append((false, "it has no use: name sig or enc")) }
        if let use = key.use, use != .signature, use != .encryption {
            let near = NearName.use(use.name).map { "; write \($0)" } ?? ""
            found.append((true, "its use is neither sig nor enc\(near)"))
        }
        let hasKnownUse = [nil, .signature, .encryption].contains(key.use)
        if let algorithm = key.algorithm?.name, !Lint.isKnown(algorithm, for: key),
            hasKnownUse || !NearName.isAlgorithm(algorithm)
        {
            found.append((true, Lint.remark(onAlgorithm: algorithm, of: key)))
        }
        if let names = Lint.privateOperations(of: key) {
            let others: KeyOperations = [.verify, .encrypt, .wrapKey, .deriveKey, .deriveBits]
            let isUseless = key.keyOperations.map { $0.isDisjoint(with: others) } ?? false
            found.append(
                (
                    isUseless,
                    "its key_ops name \(names), which needs a private key; a public one has "
                        + "\(key.use == .encryption ? "encrypt or wrapKey" : "verify")"
                ))
        }
        if key.keyType == .oct { found += Lint.remarksOnSecret(key) }
        return found
    }

    /// Keys that a token cannot tell from an earlier one.
    private static func remarksOnNames(
        _ key: JWK, _ earlier: ArraySlice<(index: Int, key: JWK)>
    ) -> [(Bool, String)] {
        let namesakes = earlier.filter { _, other in
            other.keyType == key.keyType
                && (key.keyID == nil && other.keyID == nil
                    || key.isNamed(other.keyID))
        }
        if let twin = namesakes.first(where: { $0.key.isSameEntry(as: key) }) {
            return [(false, "it is the same as key \(twin.index + 1): one is enough")]
        }
        guard key.keyID != nil else { return [] }
        if let other = namesakes.first(where: {
            $0.key.use == key.use && $0.key.algorithm == key.algorithm
        }) {
            return [
                (
                    true,
                    "an earlier key has its kid, kty, use and alg (key \(other.index + 1)): tokens that name it fail"
                )
            ]
        }
        let unclear = namesakes.first { _, other in
            (other.use == nil || key.use == nil || other.use == key.use)
                && (other.algorithm == nil || key.algorithm == nil
                    || other.algorithm == key.algorithm)
        }
        return unclear.map {
            [
                (
                    false,
                    "key \($0.index + 1) has its kid too, and one of them lacks use or alg: tokens that match both fail"
                )
            ]
        } ?? []
    }

    private static func remarksOnSecret(_ key: JWK) -> [(isRejection: Bool, reason: String)] {
        let size =
            key.algorithm?.signature?.symmetricKeyBytes
            ?? key.algorithm?.keyManagement?.symmetricKeyBytes
        if let size, !size.allows(key.sizeBits / 8) {
            return [(true, "its size is not what its alg needs")]
        }
        return key.sizeBits < 128 ? [(false, "it has less than 128 bits: it can be guessed")] : []
    }

    /// The operations in a public key's `key_ops` that only a private key does (RFC 7517, 4.3).
    private static func privateOperations(of key: JWK) -> String? {
        guard !key.isPrivate, key.keyType != .oct, let operations = key.keyOperations else {
            return nil
        }
        let names: [(KeyOperations, String)] = [
            (.sign, "sign"), (.decrypt, "decrypt"), (.unwrapKey, "unwrapKey"),
        ]
        let found = names.filter { operations.contains($0.0) }.map(\.1)
        return found.isEmpty ? nil : found.joined(separator: " and ")
    }

    /// What is wrong with an `alg` that does not match the key.
    private static func remark(onAlgorithm name: String, of key: JWK) -> String {
        if let rejected = RejectedAlgorithm.all.first(where: { name.isExactly($0.name) }) {
            return "its alg is \(rejected.name), which is never accepted: \(rejected.remedy)"
        }
        if NearName.isAlgorithm(name) {
            return "its alg, \(name), does not match its kty, crv, use or key_ops"
        }
        let near = NearName.algorithm(name).map { "; write \($0)" } ?? ""
        return "its alg is not a registered algorithm\(near)"
    }

    private static func isKnown(_ algorithm: String, for key: JWK) -> Bool {
        // A row that is not here is known all the same: what is wrong with its keys here is told by reading them.
        if let row = SignatureAlgorithm.rows.first(where: { $0.name.isExactly(algorithm) }) {
            return key.match(.verifying(row)) == .matches || key.match(.signing(row)) == .matches
        }
        if let row = KeyManagementAlgorithm.rows.first(where: { $0.name.isExactly(algorithm) }) {
            return key.match(.encrypting(row)) == .matches || key.match(.decrypting(row)) == .matches
        }
        return false
    }
}
