// Issues many JWTs in one call.

import JOSEBytes
import JOSECrypto

extension JWTIssuer {
    /// Issues many tokens, each independently.
    ///
    /// - Parameters:
    ///   - claims: Values that become JSON objects.
    ///   - recipient: The recipient of encrypted tokens; nil for tokens that are only signed.
    ///   - now: The time of `iat`; the system clock by default.
    /// - Returns: For each value, in order, the result of `issue(_:encryptedFor:at:)`.
    ///
    /// Costs less than single calls for an RSA key with `KeyAcceleration.withPrivateKeys`, if the
    /// processor has AVX-512 IFMA: four signatures are made in parallel. Otherwise it costs the
    /// same. With an external key each result is `misuse`.
    public func issueBatch(
        _ claims: [some Encodable], encryptedFor recipient: JWTRecipient? = nil,
        at now: NumericDate? = nil
    ) -> [Result<String, JOSEError>] {
        JWTIssuer.issueBatch(count: claims.count) { (index) throws(JOSEError) in
            BatchEntry(
                issuer: self, claims: try payload(claims[index], now), recipient: recipient,
                now: now)
        }
    }

    /// Issues many tokens whose claims are JSON text, each independently.
    ///
    /// - Parameters:
    ///   - claims: UTF-8 texts of JSON objects.
    ///   - recipient: The recipient of encrypted tokens; nil for tokens that are only signed.
    /// - Returns: For each text, in order, the result of `issue(json:encryptedFor:)`.
    ///
    /// Costs as `issueBatch(_:encryptedFor:at:)`.
    public func issueBatch(
        json claims: [[UInt8]], encryptedFor recipient: JWTRecipient? = nil
    ) -> [Result<String, JOSEError>] {
        JWTIssuer.issueBatch(claims.map { (self, $0, recipient) })
    }

    /// Issues many tokens, each with its own issuer; see `issueBatch(json:encryptedFor:)`.
    package static func issueBatch(
        _ batch: [(issuer: JWTIssuer, claims: [UInt8], recipient: JWTRecipient?)]
    ) -> [Result<String, JOSEError>] {
        issueBatch(count: batch.count) { (index) throws(JOSEError) in
            let (issuer, claims, recipient) = batch[index]
            try issuer.check(json: claims)
            return BatchEntry(issuer: issuer, claims: claims, recipient: recipient, now: nil)
        }
    }
}

extension JWTIssuer {
    private struct BatchEntry {
        let issuer: JWTIssuer
        let claims: [UInt8]
        let recipient: JWTRecipient?
        let now: NumericDate?

        func issue() throws(JOSEError) -> String {
            try issuer.issue(checked: claims.span, encryptedFor: recipient, at: now)
        }

        /// Writes the signing input to `draft` and adds it to `batch`. Issues the token at once if
        /// the batch does not take it.
        func enqueue(
            _ draft: inout [UInt8], in batch: inout PrivateBatch
        ) throws(JOSEError) -> Queued {
            let signer = issuer.signer
            guard signer.signing.gainsFromBatch else { return .issued(try issue()) }
            draft = try signer.draft(claims.span)
            guard let index = signer.signing.add(draft.span, to: &batch) else {
                var bytes = draft.mutableSpan
                wipe(&bytes)
                return .issued(try issue())
            }
            return .signing(index)
        }

        /// Appends the signature from `batch`, which has run, to the signing input `token`. Wipes
        /// `token` at the end.
        func issue(
            _ token: inout [UInt8], by batch: borrowing PrivateBatch, _ index: Int
        ) throws(JOSEError) -> String {
            defer {
                var bytes = token.mutableSpan
                wipe(&bytes)
            }
            token.append(signature: try issuer.signer.signing.signature(index, of: batch))
            guard let recipient else { return String(copying: token.span) }
            return try recipient.encrypter.encrypt(token.span, at: now)
        }
    }

    private enum Queued {
        case issued(String)
        /// The index of the signature in the batch.
        case signing(Int)
    }

    private static func issueBatch(
        count: Int, _ entry: (Int) throws(JOSEError) -> BatchEntry
    ) -> [Result<String, JOSEError>] {
        var results: [Result<String, JOSEError>] = []
        results.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: PrivateBatch.maxCount) {
            let chunk = start..<min(start + PrivateBatch.maxCount, count)
            append(
                chunk.map { index in Result { () throws(JOSEError) in try entry(index) } },
                to: &results)
        }
        return results
    }

    private static func append(
        _ entries: [Result<BatchEntry, JOSEError>], to results: inout [Result<String, JOSEError>]
    ) {
        guard
            entries.contains(where: { (try? $0.get().issuer.signer.signing.gainsFromBatch) == true }
            ),
            var batch = try? PrivateBatch(capacity: entries.count)
        else {
            for entry in entries {
                results.append(Result { () throws(JOSEError) in try entry.get().issue() })
            }
            return
        }
        var queue: [Result<Queued, JOSEError>] = []
        queue.reserveCapacity(entries.count)
        var drafts = [[UInt8]](repeating: [], count: entries.count)
        for (number, entry) in entries.enumerated() {
            queue.append(
                Result { () throws(JOSEError) in
                    try entry.get().enqueue(&drafts[number], in: &batch)
                })
        }
        batch.run()
        for (number, entry) in entries.enumerated() {
            results.append(
                Result { () throws(JOSEError) in
                    switch try queue[number].get() {
                    case .issued(let token): token
                    case .signing(let index):
                        try entry.get().issue(&drafts[number], by: batch, index)
                    }
                })
        }
    }
}
