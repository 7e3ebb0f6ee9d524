// Decrypts JWE of the JSON serialisations; compact tokens are malformed here, as these are elsewhere.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// Decrypts a flattened or general JWE.
    ///
    /// Which recipient is ours is decided by `kid`, algorithm and the keys of this decrypter, as for compact tokens.
    /// Where several are, each is tried in the order of the token, at most 16, and their iterations of PBES2 are at most
    /// `JOSELimits.tokenIterations` together.
    ///
    /// - Parameter token: The JSON serialisation.
    /// - Throws: `malformed` or `limitExceeded` for a fault of form, for whichever recipient; `unsupported`,
    ///   `algorithmNotAllowed`, `keyNotFound` or `keyUnusable` where no recipient is ours; every failure of an
    ///   encrypted key, IV, ciphertext or tag is the same `decryptionFailed`.
    /// - Returns: The plaintext, headers and additional data.
    ///
    /// Costs the raw decryption and a copy of the token. Source: RFC 7516, 7.2 and 11.5.
    public func decryptJSON(_ token: String) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(token.utf8.span)
    }

    /// Decrypts the bytes of a flattened or general JWE; see `decryptJSON(_:)` over a string.
    public func decryptJSON(_ token: [UInt8]) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(token.span)
    }

    private func decryptJSON(_ token: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        let text = try JWEText(token, opening.limits, understanding: opening.extensions)
        return try opening.decrypt(text, try opening.recipients(of: text, nil))
    }

    /// Does what `decryptJSON` does and says which recipients were looked at, instead of throwing.
    public func explainJSON(_ token: String) -> TokenExplanation {
        let trace = Trace()
        do throws(JOSEError) {
            let text = try JWEText(
                token.utf8.span, opening.limits, understanding: opening.extensions)
            _ = try opening.decrypt(text, try opening.recipients(of: text, trace))
            trace.passed(.decryption, "decrypted and authenticated")
        } catch {
            trace.json(token.utf8.span, error)
            trace.rejected(error)
        }
        return trace.explanation
    }
}

extension JWEOpening {
    /// A recipient that may be ours.
    struct Ours {
        fileprivate let recipient: JWEText.Recipient
        fileprivate let admitted: Admitted
        /// Of a password's derivation; 0 for every other algorithm.
        fileprivate let iterations: UInt32
    }

    /// The recipients that our policy and keys admit, at least one.
    func recipients(of token: JWEText, _ trace: Trace?) throws(JOSEError) -> [Ours] {
        var ours: [Ours] = []
        var best: JOSEError?
        for (place, recipient) in token.recipients.enumerated() {
            let text = recipient.header.document.bytes
            do throws(JOSEError) {
                let admitted = try admit(recipient.header.fields, text.span, trace)
                try JWEOpening.checkProtected(admitted.algorithm, recipient, token)
                let iterations = try checkParameters(recipient, admitted)
                ours.append(
                    Ours(recipient: recipient, admitted: admitted, iterations: iterations))
            } catch {
                guard let rank = JWEOpening.rank(error) else { throw error }
                trace?.note(error.step, "recipient \(place + 1) skipped: \(error.message)")
                if let best, let other = JWEOpening.rank(best), other <= rank { continue }
                best = error
            }
        }
        if ours.isEmpty, let best { throw best }
        try checkWork(ours)
        return ours
    }

    /// An algorithm that encrypts the content itself is authenticated with it: it stands in the protected header.
    private static func checkProtected(
        _ algorithm: KeyManagementAlgorithm, _ recipient: JWEText.Recipient, _ token: JWEText
    ) throws(JOSEError) {
        guard algorithm.integratedContent != nil else { return }
        for case let object? in [token.unprotected, recipient.own] {
            try JoinedHeader.reject([.alg], in: token.text.document, object)
        }
    }

    /// What one recipient may cost is bounded; this bounds what several cost together, before any of it is done.
    private func checkWork(_ ours: [Ours]) throws(JOSEError) {
        guard ours.count > 1 else { return }
        var (iterations, tries) = (0, 0)
        for candidate in ours {
            iterations += Int(candidate.iterations)
            tries += try maxTries(candidate)
        }
        guard iterations <= limits.iterationsInAll else {
            throw .limitExceeded(
                .header,
                "p2c of the recipients is {} in all; at most {} are accepted (JOSELimits.tokenIterations)",
                .number(iterations), .number(limits.iterationsInAll))
        }
        guard tries <= limits.recipientCount else {
            throw .limitExceeded(
                .key,
                "{} keys would be tried for one token; at most {} are (JOSELimits.recipientCount)",
                .number(tries), .number(limits.recipientCount))
        }
    }

    private func maxTries(_ candidate: Ours) throws(JOSEError) -> Int {
        let admitted = candidate.admitted
        guard admitted.keyIndex == nil else { return 1 }
        let count = Base64URL.decodedCount(candidate.recipient.encryptedKey.count) ?? 0
        return try keys.candidates(
            admitted.algorithm, admitted.content, encryptedKeyBytes: count
        ).count
    }

    /// How much a recipient has to do with us that was passed over with this code: 0 is the most; nil ends the work.
    /// A kid that we do not know is last: that is what every other recipient has.
    private static func rank(_ error: JOSEError) -> Int? {
        let codes: [JOSEError.Code] = [
            .decryptionFailed, .keyUnusable, .algorithmNotAllowed, .keyNotFound,
        ]
        return codes.firstIndex(of: error.code)
    }

    /// A fault of form in the parameters of any recipient of ours is told before anything is computed. Returns the
    /// iterations that it asks for.
    private func checkParameters(
        _ recipient: JWEText.Recipient, _ admitted: Admitted
    ) throws(JOSEError) -> UInt32 {
        try withParameters(recipient, admitted) { (parameters, _) throws(JOSEError) in
            parameters.iterations
        }
    }

    private func withParameters<Result>(
        _ recipient: JWEText.Recipient, _ admitted: Admitted,
        _ body: (_ parameters: KeyParameters, _ values: Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let (text, nodes) = (recipient.header.document.bytes, recipient.header.document.nodes)
        return try RecipientParameters(
            fields: recipient.header.fields, form: admitted.form, limits: limits
        ).read(text.span, nodes.span, body)
    }

    fileprivate func decrypt(
        _ token: JWEText, _ ours: [Ours]
    ) throws(JOSEError) -> DecryptedJSONJWE {
        let authenticated = token.authenticated
        let (iv, ciphertext, tag) = (token.iv, token.ciphertext, token.tag)
        for candidate in ours {
            let encryptedKey = candidate.recipient.encryptedKey
            do throws(JOSEError) {
                let opened = try withParameters(candidate.recipient, candidate.admitted) {
                    (parameters, values) throws(JOSEError) in
                    try open(
                        candidate.admitted, aad: authenticated.span,
                        encryptedKey: encryptedKey.span, iv: iv.span,
                        ciphertext: ciphertext.span, tag: tag.span, parameters, in: values)
                }
                return try DecryptedJSONJWE(
                    opened.plaintext, token, candidate.recipient,
                    keyID: keys.keyID(opened.keyIndex))
            } catch {
                guard error.code == .decryptionFailed else { throw error }
            }
        }
        throw .decryptionFailed
    }
    /// As `decrypt(_:_:)`, with keys that may be external: each is asked after the recipients
    /// before it failed.
    nonisolated(nonsending) func decrypt(
        _ token: JWEText, _ ours: [Ours], before end: ContinuousClock.Instant
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        let authenticated = token.authenticated
        let (iv, ciphertext, tag) = (token.iv, token.ciphertext, token.tag)
        for candidate in ours {
            let encryptedKey = candidate.recipient.encryptedKey
            do throws(JOSEError) {
                var message = try withParameters(candidate.recipient, candidate.admitted) {
                    (parameters, values) throws(JOSEError) in
                    try EncryptedMessage(
                        self, candidate.admitted, aad: authenticated.span,
                        encryptedKey: encryptedKey.span, iv: iv.span,
                        ciphertext: ciphertext.span, tag: tag.span, parameters, in: values)
                }
                let opened = try await message.open(by: self, before: end)
                return try DecryptedJSONJWE(
                    opened.plaintext, token, candidate.recipient,
                    keyID: keys.keyID(opened.keyIndex))
            } catch {
                guard error.code == .decryptionFailed else { throw error }
            }
        }
        throw .decryptionFailed
    }
}
