// Explains why an encrypted token was rejected before it was decrypted. The explanation uses public
// facts only, and a failed decryption gets none (RFC 7516, 11.5).

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    /// Records the cause of an error in the token's format, its header or the selection of a key.
    @inline(never)
    func explain(
        _ error: JOSEError, _ token: Span<UInt8>, _ type: MediaTypeRule, _ trace: Trace
    ) {
        let header = (try? CompactJWE(token, limits)).flatMap {
            RejectedHeader(token.extracting($0.header), limits)
        }
        switch error.code {
        case .malformed where error == .noContentType || error == .otherContentType:
            header?.explainContentType(trace)
        case .malformed where error.step == .token || error.step == .header:
            trace.form(token, .encrypted, error)
        case .algorithmNotAllowed: if let header { explainAlgorithms(header, trace) }
        case .keyNotFound, .keyUnusable: if let header { explainKey(header, trace) }
        case .unsupported where error.step == .header: header?.explainCritical(trace)
        case .claimRejected: header?.explainType(type, trace)
        default: break
        }
    }
}

// MARK: algorithms

extension JWEOpening {
    private func explainAlgorithms(_ header: RejectedHeader, _ trace: Trace) {
        if let name = header.string("alg"),
            !algorithms.contains(where: { name.isExactly($0.staticName) })
        {
            return explainAlgorithm(name, trace)
        }
        if let name = header.string("enc"),
            !content.contains(where: { name.isExactly($0.staticName) })
        {
            return explainContent(name, trace)
        }
        if let name = header.string("zip") { explainCompression(name, trace) }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private func explainAlgorithm(_ name: String, _ trace: Trace) {
        trace.note(
            .algorithm,
            "the header's alg is \(Trace.quoted(name)); the policy allows "
                + "\(JWEOpening.list(algorithms.map(\.name)))"
        )
        if let rejected = RejectedAlgorithm.all.first(where: { name.isExactly($0.name) }) {
            trace.note(.algorithm, "\(name) is never accepted. \(rejected.reason)")
            return trace.advise(
                name.isExactly("RSA1_5")
                    ? """
                    The sender must encrypt with RSA-OAEP-256 or RSA-OAEP: set that in its \
                    configuration, in our registration there, and as alg of our published key.
                    """ : "The sender must encrypt with one of the policy's algorithms.")
        }
        guard
            let known = KeyManagementAlgorithm.entries.first(where: {
                name.isExactly($0.staticName)
            })
        else { return explainUnknown(name, trace) }
        let fitting = keys.diagnosis.keys.first {
            !$0.prepared.material.kind.isDisjoint(with: known.kinds)
        }
        if let fitting {
            trace.note(.key, "\(KeyDiagnosis.name(fitting)) has \(KeyDiagnosis.facts(fitting))")
        } else {
            explainKinds(known, trace)
        }
        guard known.isAvailable else {
            return trace.advise(
                "The installed OpenSSL does not have \(name): `josectl selftest` shows what it has."
            )
        }
        trace.advise(
            fitting == nil
                ? "The sender must encrypt to a key of ours, with an algorithm that works with it."
                : "Allow \(name) if the provider's documentation names it; otherwise someone else "
                    + "made the token.",
            fitting == nil ? nil : .keyManagementAlgorithms, known.name)
    }

    private func explainKinds(_ algorithm: KeyManagementAlgorithm, _ trace: Trace) {
        let types = algorithm.keyTypes.map(\.name).joined(separator: " and ")
        let ours = keys.diagnosis.keys.prefix(KeyDiagnosis.maxKeys).map {
            "\(KeyDiagnosis.name($0)) is \($0.keyType.name)"
        }
        trace.note(
            .key,
            "\(algorithm) works with \(types) keys; "
                + "\(ours.isEmpty ? "we have none" : ours.joined(separator: ", "))"
        )
    }

    private func explainUnknown(_ name: String, _ trace: Trace) {
        guard SignatureAlgorithm.entries.contains(where: { name.isExactly($0.staticName) }) else {
            return trace.explainUnknown(
                "alg", name, KeyManagementAlgorithm.entries.map(\.name), kind: "key management",
                use: "encrypt")
        }
        trace.note(
            .algorithm, "\(name) is an algorithm of signed tokens (JWS), not of encryption")
        trace.advise(
            "The sender made a wrong header: an encrypted token names a key management algorithm.")
    }

    private func explainContent(_ name: String, _ trace: Trace) {
        trace.note(
            .algorithm,
            "the header's enc is \(Trace.quoted(name)); the policy allows "
                + "\(JWEOpening.list(content.map(\.name)))"
        )
        if let rejected = RejectedAlgorithm.all.first(where: { name.isExactly($0.name) }) {
            trace.note(.algorithm, "\(name) is never accepted. \(rejected.reason)")
        }
        let known = ContentEncryptionAlgorithm.entries.first { name.isExactly($0.staticName) }
        guard let known else {
            return trace.explainUnknown(
                "enc", name, ContentEncryptionAlgorithm.entries.map(\.name),
                kind: "content encryption", use: "encrypt")
        }
        trace.advise(
            "Allow \(name) if the provider's documentation names it; otherwise someone else made "
                + "the token.",
            .contentAlgorithms, known.name)
    }

    private func explainCompression(_ name: String, _ trace: Trace) {
        trace.note(
            .algorithm,
            "the header's zip is \(Trace.quoted(name)): the content is compressed; the policy "
                + "allows " + JWEOpening.list(compression.map(\.name)))
        let known = CompressionAlgorithm.entries.first { name.isExactly($0.staticName) }
        trace.advise(
            known == nil
                ? "The sender must omit zip, or compress with DEF, the only registered name."
                : """
                The sender should omit zip: the length of compressed text reveals something of \
                it, and hardly any provider compresses. Allow it only if the provider's \
                documentation requires it.
                """, known == nil ? nil : .compression, known?.name)
    }
}

// MARK: keys

extension JWEOpening {
    private func explainKey(_ header: RejectedHeader, _ trace: Trace) {
        let ours = keys.diagnosis
        guard !ours.keys.isEmpty else {
            trace.note(.keySet, "our key set is empty, or no key in it can be used")
            return trace.advise("Give the decrypter our private keys.")
        }
        let algorithm = header.string("alg").flatMap { name in
            algorithms.first { name.isExactly($0.staticName) }
        }
        if let algorithm,
            !ours.keys.contains(where: {
                !$0.prepared.material.kind.isDisjoint(with: algorithm.kinds)
            })
        {
            explainKinds(algorithm, trace)
            return trace.advise(
                "The sender must encrypt to a key of ours, with an algorithm that works with it.")
        }
        guard ours.keys.contains(where: \.isPrivate) else {
            trace.note(.key, "none of our keys is private")
            return trace.advise("Give the decrypter our private keys: these are public ones.")
        }
        ours.explain(keyID: header.string("kid"), trace)
    }
}
