// josectl keys lint: finds defects in a key set.

import JOSE
import JOSEBytes

extension Command {
    static let keysLint = Command(
        name: "keys lint",
        summary: "report what strict readers would reject or warn about",
        arguments: "[FILE|URI]", maxArguments: 1,
        details: """
            Checks each key and the chain in its x5c: leaf, order, validity, strength and \
            permitted use. Trust anchors are not checked; see 'chain verify'. The exit code is 1 \
            if something would be rejected, 0 if there are only warnings.
            """,
        options: [
            .flag("private", "the file is your own: private keys are allowed"),
            .flag("complete-chain", "require a chain from leaf to root for each key"),
            .at,
        ] + Option.externalKey,
        example: "josectl keys lint --complete-chain public.jwks"
    ) { invocation in
        let file = try await invocation.inputKeys(invocation.line.arguments.first ?? "-")
        let remarks = try LintRemark.remarks(
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
            if remarks.isEmpty { try invocation.output.line("no defects found") }
        }
        return isRejected ? .rejected : .accepted
    }
}

private struct LintRemark {
    /// The number of the key in the file, from 1; nil for the whole file.
    let key: Int?
    /// The kid with escapes, as in `SkippedKey`.
    var keyID: String?
    var member: String?
    let isRejection: Bool
    let reason: String

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
        reason = CommandLineWording.translate(skipped.reason)
    }

    private init(isRejection: Bool, ofSet reason: String) {
        key = nil
        self.isRejection = isRejection
        self.reason = reason
    }

    var text: String {
        let name = keyID.map { ", kid '\($0)'" } ?? ""
        let part = member.map { ", member \($0)" } ?? ""
        let subject = key.map { "key \($0)\(name)\(part)" } ?? "the file"
        let level = isRejection ? TerminalStyle.bad("rejected") : TerminalStyle.caution("warning")
        return "\(level): \(subject): \(reason)"
    }

    func write(to writer: inout JSONWriter) {
        // `key` counts from 1, as the text does; `index` is the position in `keys`.
        writer.member("key", key)
        writer.member("index", key.map { $0 - 1 })
        writer.member("kid", keyID)
        writer.member("member", member)
        writer.member("level", isRejection ? "rejected" : "warning")
        writer.member("reason", reason)
    }

    static func remarks(
        _ file: KeyFile, isPrivate: Bool, rule: PublishedCertificateRule, at now: NumericDate
    ) throws -> [LintRemark] {
        let set = try file.ownSet()
        var remarks = try file.defects().map { LintRemark($0) }
        if !isPrivate {
            do {
                _ = try file.publicSet()
            } catch let rejection as Rejection where rejection.code == .keyUnusable {
                let reason =
                    try file.holdsPrivateKey()
                    ? "it contains a private key; publish the output of `josectl keys public`"
                    : "it contains a symmetric key, which must not be published"
                remarks.append(LintRemark(isRejection: true, ofSet: reason))
            }
        }
        if set.keys.isEmpty, remarks.isEmpty {
            remarks.append(LintRemark(isRejection: false, ofSet: "it contains no keys"))
        }
        // Skipped keys leave gaps in the positions.
        let skipped = Set(set.skipped.map(\.index))
        let indexes = (0..<(set.keys.count + skipped.count)).filter { !skipped.contains($0) }
        let keys = zip(indexes, set.keys).map { (index: $0, key: $1) }
        for (offset, (index, key)) in keys.enumerated() {
            remarks += LintRemark.remarks(key, keys[..<offset], rule, at: now).map {
                LintRemark(index, key, $0)
            }
            if key.keyType == .oct, !isPrivate, file.isSet {
                let reason =
                    "it is a shared secret: remove it from sets that others may read, and replace "
                    + "it if the set was published (use --private for your own sets)"
                remarks.append(LintRemark(index, key, (false, reason)))
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
            found.append((true, Rejection(any: error)?.message ?? "it is unusable"))
        }
        found += ChainLint.remarks(key, rule, at: now)
        if key.hasLeadingZeros {
            found.append((false, "n or e has leading zero bytes (RFC 7518, 6.3.1)"))
        }
        if key.keyID == nil { found.append((false, "it has no kid: tokens cannot refer to it")) }
        found += remarksOnNames(key, earlier)
        if key.use == nil { found.append((false, "it has no use: add sig or enc")) }
        if let use = key.use, use != .signature, use != .encryption {
            let similar = SimilarName.use(use.name).map { "; did you mean \($0)?" } ?? ""
            found.append((true, "its use is neither sig nor enc\(similar)"))
        }
        let hasKnownUse = [nil, .signature, .encryption].contains(key.use)
        if let algorithm = key.algorithm?.name, !LintRemark.isKnown(algorithm, for: key),
            hasKnownUse || !SimilarName.isAlgorithm(algorithm)
        {
            found.append((true, LintRemark.remark(onAlgorithm: algorithm, of: key)))
        }
        if let names = LintRemark.privateOperations(of: key) {
            let others: KeyOperations = [.verify, .encrypt, .wrapKey, .deriveKey, .deriveBits]
            let isUnusable = key.keyOperations.map { $0.isDisjoint(with: others) } ?? false
            found.append(
                (
                    isUnusable,
                    "its key_ops contain \(names), which needs a private key; a public key has "
                        + "\(key.use == .encryption ? "encrypt or wrapKey" : "verify")"
                ))
        }
        if key.keyType == .oct { found += LintRemark.remarksOnSecret(key) }
        return found
    }

    /// Finds an earlier key from which a token cannot distinguish this one.
    private static func remarksOnNames(
        _ key: JWK, _ earlier: ArraySlice<(index: Int, key: JWK)>
    ) -> [(Bool, String)] {
        let namesakes = earlier.filter { _, other in
            other.keyType == key.keyType
                && (key.keyID == nil && other.keyID == nil
                    || key.isNamed(other.keyID))
        }
        if let twin = namesakes.first(where: { $0.key.isSameEntry(as: key) }) {
            return [(false, "it duplicates key \(twin.index + 1)")]
        }
        guard key.keyID != nil else { return [] }
        if let other = namesakes.first(where: {
            $0.key.use == key.use && $0.key.algorithm == key.algorithm
        }) {
            return [
                (
                    true,
                    "it has the same kid, kty, use and alg as key \(other.index + 1): tokens with "
                        + "this kid are rejected"
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
                    "it has the same kid as key \($0.index + 1), and one of them lacks use or alg: "
                        + "tokens that match both are rejected"
                )
            ]
        } ?? []
    }

    private static func remarksOnSecret(_ key: JWK) -> [(isRejection: Bool, reason: String)] {
        let size =
            key.algorithm?.signature?.symmetricKeyBytes
            ?? key.algorithm?.keyManagement?.symmetricKeyBytes
        if let size, !size.allows(key.sizeBits / 8) {
            return [(true, "its size does not match its alg")]
        }
        return key.sizeBits < 128
            ? [(false, "it has fewer than 128 bits and can be guessed")] : []
    }

    /// The operations in a public key's `key_ops` that need a private key (RFC 7517, 4.3).
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

    private static func remark(onAlgorithm name: String, of key: JWK) -> String {
        if let rejected = RejectedAlgorithm.all.first(where: { name.isExactly($0.name) }) {
            return "its alg is \(rejected.name), which is never accepted: \(rejected.remedy)"
        }
        if SimilarName.isAlgorithm(name) {
            return "its alg, \(name), does not match its kty, crv, use or key_ops"
        }
        let similar = SimilarName.algorithm(name).map { "; did you mean \($0)?" } ?? ""
        return "its alg is not a registered algorithm\(similar)"
    }

    private static func isKnown(_ algorithm: String, for key: JWK) -> Bool {
        // Includes algorithms that the installed OpenSSL lacks, which is no defect of the key.
        if let known = SignatureAlgorithm.entries.first(where: { $0.name.isExactly(algorithm) }) {
            return key.match(.verifying(known)) == .matches
                || key.match(.signing(known)) == .matches
        }
        let keyManagement = KeyManagementAlgorithm.entries
        if let known = keyManagement.first(where: { $0.name.isExactly(algorithm) }) {
            return key.match(.encrypting(known)) == .matches
                || key.match(.decrypting(known)) == .matches
        }
        return false
    }
}
