// Explains why a signed token was rejected, for `explain`. `verify` uses only `addingCause`.

import JOSEBytes
import JOSECrypto

extension SignatureCheck {
    /// Adds a likely cause to `signatureInvalid`: an empty payload, white space or padding.
    @inline(never)
    static func addingCause(to error: JOSEError, payload: Span<UInt8>) -> JOSEError {
        guard error.code == .signatureInvalid else { return error }
        guard !payload.isEmpty else { return .signatureInvalidDetached }
        // One fast search first: most invalid signatures do not need the two slower scans.
        guard payload.containsSpace(or: UInt8(ascii: "=")) else { return error }
        for index in payload.indices where [0x20, 0x09, 0x0a, 0x0d].contains(payload[index]) {
            return JOSEError(
                .signatureInvalid, .signature,
                JOSEError.Reason(
                    """
                    the signature does not verify: the payload has white space at offset {}, \
                    such as a line break
                    """, .number(index)))
        }
        for index in payload.indices where payload[index] == UInt8(ascii: "=") {
            return JOSEError(
                .signatureInvalid, .signature,
                JOSEError.Reason(
                    "the signature does not verify: the payload has padding (=) at offset {}",
                    .number(index)))
        }
        return error
    }
}

struct SignatureRejection {
    /// Nil if no keys were fetched yet.
    let keys: VerificationKeys?
    let headerPolicy: SignatureHeaderPolicy
    let type: MediaTypeRule
    let trace: Trace

    func explain(_ error: JOSEError, _ token: Span<UInt8>) {
        let aboutKeys: [JOSEError.Step] = [.key, .keySet, .certificate]
        let parts = try? CompactJWS(token, headerPolicy.limits)
        let header = parts.flatMap {
            RejectedHeader(token.extracting($0.header), headerPolicy.limits)
        }
        switch error.code {
        case .malformed where aboutKeys.contains(error.step),
            .limitExceeded where aboutKeys.contains(error.step):
            explainKeySet(header)
        case .malformed, .limitExceeded:
            trace.form(token, .signed, error)
        case .algorithmNotAllowed:
            if let header, let parts { explainAlgorithm(header, SignedParts(parts, token)) }
        case .untrustedKey:
            trace.advise(
                "The key's certificates do not lead to a trust anchor: `josectl chain verify` "
                    + "shows which one fails and why.")
        case .keyNotFound, .keyUnusable:
            if let header, let parts { explainKey(header, SignedParts(parts, token)) }
        case .signatureInvalid:
            if let header, let parts { explainSignature(header, SignedParts(parts, token), token) }
        case .unsupported: header?.explainCritical(trace)
        case .claimRejected: header?.explainType(type, trace)
        default: break
        }
    }

    /// `signature` is decoded; it is empty if it is not base64url.
    struct SignedParts {
        let input: [UInt8]
        let signature: [UInt8]

        init(_ parts: CompactJWS, _ token: Span<UInt8>) {
            let signed = token.extracting(parts.signingInput)
            input = [UInt8](byteCapacity: signed.count) { $0.append(copying: signed) }
            signature = Base64URL.decode(token.extracting(parts.signature)) ?? []
        }

        init(input: [UInt8], signature: [UInt8]) {
            self.input = input
            self.signature = signature
        }
    }

    private func explainKeySet(_ header: RejectedHeader?) {
        let name = header?.string("kid").map { " with the kid \(Trace.quoted($0))" } ?? ""
        trace.note(
            .keySet, "the key\(name) cannot be used: the cause is the key set, not the token")
        trace.advise(
            "The publisher must correct this key of the set: `josectl keys lint` shows what "
                + "is wrong with it."
        )
    }
}

// MARK: the algorithm

extension SignatureRejection {
    private func explainAlgorithm(_ header: RejectedHeader, _ parts: SignedParts) {
        guard let name = header.string("alg") else { return }
        let allowed = headerPolicy.algorithms.map(\.name).joined(separator: ", ")
        trace.note(
            .algorithm,
            "the header's alg is \(Trace.quoted(name)); the policy allows "
                + "\(allowed.isEmpty ? "none" : allowed)"
        )
        if let rejected = RejectedAlgorithm.all.first(where: { name.isExactly($0.name) }) {
            trace.note(.algorithm, "\(name) is never accepted. \(rejected.reason)")
            return trace.advise("The sender must sign with one of the policy's algorithms.")
        }
        guard let known = SignatureAlgorithm.entries.first(where: { name.isExactly($0.staticName) })
        else {
            return explainUnknown(name)
        }
        let keys = self.keys?.diagnosis
        if known.family == .hmac, let keys, explainShared(known, keys, parts) { return }
        let fitting = keys?.keys.first { !$0.prepared.material.kind.isDisjoint(with: known.kinds) }
        if let fitting {
            trace.note(.key, "\(KeyDiagnosis.name(fitting)) has \(KeyDiagnosis.facts(fitting))")
        } else if keys != nil {
            trace.note(
                .key, "no key is for \(name): it works with \(SignatureRejection.types(known))")
        }
        guard known.isAvailable else {
            return trace.advise(
                "The installed OpenSSL does not have \(name): `josectl selftest` shows what it has."
            )
        }
        trace.advise(
            "Allow \(name) if the provider's documentation names it; otherwise someone else made "
                + "the token.",
            .signatureAlgorithms, known.name)
    }

    private static func types(_ algorithm: SignatureAlgorithm) -> String {
        algorithm.keyTypes.map(\.name).joined(separator: ", ") + " keys"
    }

    private func explainUnknown(_ name: String) {
        guard KeyManagementAlgorithm.entries.contains(where: { name.isExactly($0.staticName) })
        else {
            return trace.explainUnknown(
                "alg", name, SignatureAlgorithm.entries.map(\.name), kind: "signature", use: "sign")
        }
        trace.note(
            .algorithm, "\(name) is an algorithm of encrypted tokens (JWE), not of signatures")
        trace.advise("The sender made a wrong header: a signed token names a signature algorithm.")
    }

    /// Explains an HMAC algorithm if the verifier has only public keys; otherwise returns false.
    private func explainShared(
        _ algorithm: SignatureAlgorithm, _ keys: KeyDiagnosis, _ parts: SignedParts
    ) -> Bool {
        guard !keys.keys.isEmpty, !keys.keys.contains(where: { $0.keyType == .oct }) else {
            return false
        }
        trace.note(
            .key,
            "\(algorithm) is a MAC with a shared secret (an oct key); the verifier has public keys")
        if let (key, form) = SignatureDiagnosis.confusion(
            parts.input, parts.signature, algorithm, keys)
        {
            trace.note(
                .signature,
                "the MAC verifies with the \(form) of \(KeyDiagnosis.name(key)), which is "
                    + "public, as its secret: an algorithm confusion attack")
            trace.advise(
                "Someone without the private key made this token and used a public key as the "
                    + "secret.")
            return true
        }
        trace.advise(
            """
            Have the sender sign with a private key. Never accept \(algorithm) with a public key \
            as its secret: anyone can make such a token. If you share a secret with the sender \
            (often the client_secret), give the verifier that secret as an oct key; a relying \
            party of OpenID Connect sets `idToken.signature`.
            """)
        return true
    }
}

// MARK: the key and the signature

extension SignatureRejection {
    private func explainKey(_ header: RejectedHeader, _ parts: SignedParts) {
        guard let keys = keys?.diagnosis,
            let algorithm = algorithm(header)
        else { return }
        if algorithm.family == .hmac, explainShared(algorithm, keys, parts) { return }
        guard !keys.keys.isEmpty else {
            let reason = keys.skipped.isEmpty ? "is empty" : "has no usable key"
            trace.note(.keySet, "the key set \(reason): the cause is the key set, not the token")
            return trace.advise(
                "The key set may be empty, outdated or of another kind: fetch it again, or have "
                    + "its publisher correct it."
            )
        }
        keys.explain(keyID: header.string("kid"), trace)
        if let signer = SignatureDiagnosis.signer(of: parts.input, parts.signature, algorithm, keys)
        {
            trace.note(
                .signature,
                "the signature would verify with \(KeyDiagnosis.name(signer)), which the "
                    + "token does not select"
            )
        } else {
            trace.note(.signature, "no key of the set would verify the signature")
        }
    }

    func explainSignature(
        _ parts: SignedParts, _ algorithm: SignatureAlgorithm, _ selected: PreparedKey,
        keyID: String?
    ) {
        guard let keys = keys?.diagnosis else { return }
        SignatureDiagnosis(
            input: parts.input, signature: parts.signature, algorithm: algorithm, keys: keys,
            selected: selected, keyID: keyID, trace: trace
        ).explain()
    }

    private func explainSignature(
        _ header: RejectedHeader, _ parts: SignedParts, _ token: Span<UInt8>
    ) {
        guard let keys,
            let algorithm = algorithm(header), let (index, selected) = selected(header, algorithm)
        else { return }
        if let finding = TokenOutline(token).foreignCharacter() {
            trace.note(.signature, finding.text)
            let plain = parts.input.filter { $0 > 0x20 }
            if let operation = try? selected.signature(algorithm, signing: false),
                plain.count < parts.input.count,
                (try? operation.verify(plain.span, signature: parts.signature.span)) != nil
            {
                trace.note(.signature, "without the white space the signature verifies")
            }
            return trace.advise(finding.advice)
        }
        if parts.signature.isEmpty, let finding = TokenOutline(token).finding(.signed) {
            trace.note(.signature, finding.text)
            return trace.advise(finding.advice)
        }
        explainSignature(parts, algorithm, selected, keyID: keys.keyID(index))
    }

    private func algorithm(_ header: RejectedHeader) -> SignatureAlgorithm? {
        header.string("alg").flatMap { name in
            headerPolicy.algorithms.first { name.isExactly($0.staticName) }
        }
    }

    private func selected(
        _ header: RejectedHeader, _ algorithm: SignatureAlgorithm
    ) -> (index: Int, key: PreparedKey)? {
        guard let keys else { return nil }
        let text = header.document.bytes
        let keyID = header.document.member("kid").map { header.document.nodes[$0] }
        guard let index = keys.index(algorithm, keyID: keyID, in: text.span),
            let key = try? keys.prepared(index)
        else { return nil }
        return (index, key)
    }
}
