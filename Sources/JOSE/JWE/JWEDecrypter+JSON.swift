// Decrypts JWE in the JSON serialisations, for one recipient or several.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// Decrypts a flattened or general JWE.
    ///
    /// The decrypter selects the recipient by `kid`, algorithm and its own keys, as for compact
    /// tokens. If several recipients match, it tries each in order. Together they may need at most
    /// `JOSELimits.recipientCount` keys and `JOSELimits.tokenIterations` PBES2 iterations.
    ///
    /// - Parameter token: The JSON serialisation.
    /// - Throws: `malformed`, `limitExceeded` or `unsupported` for a defect of the token or of
    ///   any recipient, such as an unknown `crit`; `algorithmNotAllowed`, `keyNotFound` or
    ///   `keyUnusable` if no recipient matches; `misuse` for an external key. Every failure to
    ///   unwrap, decrypt or authenticate is the same `decryptionFailed`.
    /// - Returns: The plaintext, headers and additional data.
    ///
    /// Costs the raw decryption and a copy of the token. Source: RFC 7516, 7.2 and 11.5.
    public func decryptJSON(_ token: String) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(token.utf8.span)
    }

    /// Decrypts the UTF-8 bytes of a flattened or general JWE; see `decryptJSON(_:)` over a string.
    public func decryptJSON(_ token: [UInt8]) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(token.span)
    }

    private func decryptJSON(_ token: Span<UInt8>) throws(JOSEError) -> DecryptedJSONJWE {
        let text = try JWEText(token, opening.limits, understanding: opening.extensions)
        return try opening.decrypt(text, try opening.recipients(of: text, nil))
    }

    /// As `decryptJSON(_:)`, but returns what happened to each recipient instead of throwing.
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
    /// A recipient whose header the policy accepts and for which there is a key.
    struct MatchingRecipient {
        fileprivate let recipient: JWEText.Recipient
        fileprivate let accepted: AcceptedHeader
        /// The PBES2 iterations; 0 for any other algorithm.
        fileprivate let iterations: UInt32
    }

    /// Returns the recipients that the policy accepts and for which there is a key. If there is
    /// none, throws the error with the lowest `rank(_:)`.
    func recipients(
        of token: JWEText, _ trace: Trace?
    ) throws(JOSEError) -> [MatchingRecipient] {
        var matching: [MatchingRecipient] = []
        var best: JOSEError?
        for (index, recipient) in token.recipients.enumerated() {
            let text = recipient.header.document.bytes
            do throws(JOSEError) {
                let accepted = try validate(recipient.header.fields, text.span, trace)
                try JWEOpening.checkProtected(accepted.algorithm, recipient, token)
                let iterations = try checkParameters(recipient, accepted)
                matching.append(
                    MatchingRecipient(
                        recipient: recipient, accepted: accepted, iterations: iterations))
            } catch {
                guard let rank = JWEOpening.rank(error) else { throw error }
                trace?.note(error.step, "recipient \(index + 1) skipped: \(error.message)")
                if let best, let other = JWEOpening.rank(best), other <= rank { continue }
                best = error
            }
        }
        if matching.isEmpty, let best { throw best }
        try checkWork(matching)
        return matching
    }

    /// Integrated encryption (`ContentKeySource.integrated`) needs `alg` in the protected header.
    private static func checkProtected(
        _ algorithm: KeyManagementAlgorithm, _ recipient: JWEText.Recipient, _ token: JWEText
    ) throws(JOSEError) {
        guard algorithm.integratedContent != nil else { return }
        for case let object? in [token.unprotected, recipient.unprotectedHeader] {
            try JoinedHeader.reject([.alg], in: token.text.document, object)
        }
    }

    /// Bounds the work for all recipients together before the first is tried. For one recipient the
    /// work is already bounded.
    private func checkWork(_ recipients: [MatchingRecipient]) throws(JOSEError) {
        guard recipients.count > 1 else { return }
        var (iterations, tries) = (0, 0)
        for match in recipients {
            iterations += Int(match.iterations)
            tries += try maxTries(match)
        }
        guard iterations <= limits.totalIterations else {
            throw .limitExceeded(
                .header,
                """
                p2c of the recipients is {} in total; at most {} are accepted \
                (JOSELimits.tokenIterations)
                """,
                .number(iterations), .number(limits.totalIterations))
        }
        guard tries <= limits.recipientCount else {
            throw .limitExceeded(
                .key,
                "{} keys would be tried for one token; at most {} are (JOSELimits.recipientCount)",
                .number(tries), .number(limits.recipientCount))
        }
    }

    private func maxTries(_ match: MatchingRecipient) throws(JOSEError) -> Int {
        let accepted = match.accepted
        guard accepted.keyIndex == nil else { return 1 }
        let count = Base64URL.decodedCount(match.recipient.encryptedKey.count) ?? 0
        return try keys.candidates(
            accepted.algorithm, accepted.content, encryptedKeyBytes: count
        ).count
    }

    /// Returns the rank of a skipped recipient's error; nil if the error rejects the whole token.
    /// The more checks the recipient passed, the lower the rank. An unknown `kid` ranks last: it
    /// is the error of every recipient that is another party.
    private static func rank(_ error: JOSEError) -> Int? {
        let codes: [JOSEError.Code] = [
            .decryptionFailed, .keyUnusable, .algorithmNotAllowed, .keyNotFound,
        ]
        return codes.firstIndex(of: error.code)
    }

    /// Checks the format of a recipient's header parameters. Returns the PBES2 iterations.
    private func checkParameters(
        _ recipient: JWEText.Recipient, _ accepted: AcceptedHeader
    ) throws(JOSEError) -> UInt32 {
        try withParameters(recipient, accepted) { (parameters, _) throws(JOSEError) in
            parameters.iterations
        }
    }

    private func withParameters<Result>(
        _ recipient: JWEText.Recipient, _ accepted: AcceptedHeader,
        _ body: (_ parameters: KeyParameters, _ values: Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let (text, nodes) = (recipient.header.document.bytes, recipient.header.document.nodes)
        return try RecipientParameters(
            fields: recipient.header.fields, layout: accepted.layout, limits: limits
        ).read(text.span, nodes.span, body)
    }

    fileprivate func decrypt(
        _ token: JWEText, _ recipients: [MatchingRecipient]
    ) throws(JOSEError) -> DecryptedJSONJWE {
        let authenticated = token.authenticated
        let (iv, ciphertext, tag) = (token.iv, token.ciphertext, token.tag)
        for match in recipients {
            let encryptedKey = match.recipient.encryptedKey
            do throws(JOSEError) {
                let opened = try withParameters(match.recipient, match.accepted) {
                    (parameters, values) throws(JOSEError) in
                    try open(
                        match.accepted, aad: authenticated.span,
                        encryptedKey: encryptedKey.span, iv: iv.span,
                        ciphertext: ciphertext.span, tag: tag.span, parameters, in: values)
                }
                return try DecryptedJSONJWE(
                    opened.plaintext, token, match.recipient,
                    keyID: keys.keyID(opened.keyIndex))
            } catch {
                guard error.code == .decryptionFailed else { throw error }
            }
        }
        throw .decryptionFailed
    }

    /// Decrypts with keys that may be external, in the order of the recipients.
    nonisolated(nonsending) func decrypt(
        _ token: JWEText, _ recipients: [MatchingRecipient], before end: ContinuousClock.Instant
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        let authenticated = token.authenticated
        let (iv, ciphertext, tag) = (token.iv, token.ciphertext, token.tag)
        for match in recipients {
            let encryptedKey = match.recipient.encryptedKey
            do throws(JOSEError) {
                var message = try withParameters(match.recipient, match.accepted) {
                    (parameters, values) throws(JOSEError) in
                    try EncryptedMessage(
                        self, match.accepted, aad: authenticated.span,
                        encryptedKey: encryptedKey.span, iv: iv.span,
                        ciphertext: ciphertext.span, tag: tag.span, parameters, in: values)
                }
                let opened = try await message.open(by: self, before: end)
                return try DecryptedJSONJWE(
                    opened.plaintext, token, match.recipient,
                    keyID: keys.keyID(opened.keyIndex))
            } catch {
                guard error.code == .decryptionFailed else { throw error }
            }
        }
        throw .decryptionFailed
    }
}
