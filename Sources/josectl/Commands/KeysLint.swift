// josectl keys lint: what a careful reader of a key set would refuse or warn about.

import JOSE
import JOSEBytes

extension Command {
    static let keysLint = Command(
        name: "keys lint",
        summary: "tell what a careful reader would refuse or warn about",
        arguments: "[FILE|URI]", argumentCount: 1,
        details: """
            Looks at each key and at the chain in its x5c: the leaf, the order, validity, strength, what the
            certificates allow. Which roots to trust is the reader's business. The exit code is 1 if
            something would be refused, 0 if there are warnings only.
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
        let isRefused = remarks.contains { $0.isRefusal }
        if invocation.output.isJSON {
            try Descriptor.output.write(
                try Output.json { writer in
                    writer.name("refused")
                    writer.bool(isRefused)
                    writer.name("remarks")
                    writer.beginArray()
                    for remark in remarks { remark.write(to: &writer) }
                    writer.endArray()
                })
        } else {
            for remark in remarks { try invocation.output.line(remark.text) }
            if remarks.isEmpty { try invocation.output.line("nothing to remark") }
        }
        return isRefused ? .refused : .accepted
    }
}

private struct Lint {
    /// From 1, as people count; nil where the whole set is meant.
    let key: Int?
    let isRefusal: Bool
    let reason: String

    var text: String {
        let place = key.map { "key \($0)" } ?? "the set"
        let level = isRefusal ? Paint.bad("refused") : Paint.caution("warning")
        return "\(level): \(place): \(reason)"
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("key")
        if let key { writer.integer(Int64(key - 1)) } else { writer.null() }
        writer.member("level", isRefusal ? "refused" : "warning")
        writer.member("reason", reason)
        writer.endObject()
    }

    static func remarks(
        _ file: KeyFile, isPrivate: Bool, rule: PublishedCertificateRule, at now: NumericDate
    ) throws -> [Lint] {
        let set = try file.ownSet()
        var remarks = set.skipped.map {
            Lint(key: $0.index + 1, isRefusal: true, reason: $0.reason)
        }
        if !isPrivate {
            do {
                _ = try file.publicSet()
            } catch let refusal as Refusal where refusal.code == .keyUnusable {
                let reason = "it holds a private or symmetric key; publish `josectl keys public`"
                remarks.append(Lint(key: nil, isRefusal: true, reason: reason))
            }
        }
        if set.keys.isEmpty, set.skipped.isEmpty {
            remarks.append(Lint(key: nil, isRefusal: false, reason: "it holds no keys"))
        }
        // The skipped keys leave gaps in the numbers.
        let skipped = Set(set.skipped.map(\.index))
        let places = (0..<(set.keys.count + skipped.count)).filter { !skipped.contains($0) }
        for (index, key) in set.keys.enumerated() {
            let earlier = set.keys[..<index]
            remarks += Lint.remarks(key, earlier, rule, at: now).map {
                Lint(key: places[index] + 1, isRefusal: $0.isRefusal, reason: $0.reason)
            }
        }
        return remarks.sorted { ($0.key ?? 0) < ($1.key ?? 0) }
    }

    private static func remarks(
        _ key: JWK, _ earlier: ArraySlice<JWK>, _ rule: PublishedCertificateRule,
        at now: NumericDate
    ) -> [(isRefusal: Bool, reason: String)] {
        var found: [(Bool, String)] = []
        do {
            try key.checkWhole()
        } catch {
            found.append((true, Refusal(any: error)?.message ?? "it cannot be used"))
        }
        found += ChainLint.remarks(key, rule, at: now)
        if key.keyID == nil { found.append((false, "it has no kid: a token cannot name it")) }
        let isTaken = earlier.contains { $0.isNamed(key.keyID) && $0.use == key.use }
        if isTaken {
            found.append((true, "an earlier key has its kid and use: tokens that name it fail"))
        }
        if key.use == nil { found.append((false, "it has no use: name sig or enc")) }
        if let use = key.use, use != .signature, use != .encryption {
            found.append((true, "its use is neither sig nor enc"))
        }
        if let algorithm = key.algorithm, !Lint.isKnown(algorithm, for: key) {
            found.append((true, "its alg is none that fits its type and use"))
        }
        if key.keyType == .oct { found += Lint.remarksOnSecret(key) }
        return found
    }

    private static func remarksOnSecret(_ key: JWK) -> [(isRefusal: Bool, reason: String)] {
        let name = key.algorithm ?? ""
        let size =
            SignatureAlgorithm.named(name)?.symmetricKeyBytes
            ?? KeyManagementAlgorithm.named(name)?.symmetricKeyBytes
        if let size, !size.allows(key.sizeBits / 8) {
            return [(true, "its size is not what its alg needs")]
        }
        return key.sizeBits < 128 ? [(false, "it has less than 128 bits: it can be guessed")] : []
    }

    private static func isKnown(_ algorithm: String, for key: JWK) -> Bool {
        // A row that is not here is known all the same: what is wrong with its keys here is told by reading them.
        if let row = SignatureAlgorithm.rows.first(where: { $0.name.isExactly(algorithm) }) {
            return key.fit(.verifying(row)) == .fits || key.fit(.signing(row)) == .fits
        }
        if let row = KeyManagementAlgorithm.rows.first(where: { $0.name.isExactly(algorithm) }) {
            return key.fit(.encrypting(row)) == .fits || key.fit(.decrypting(row)) == .fits
        }
        return false
    }
}
