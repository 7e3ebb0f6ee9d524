// Verifies many compact JWS in one call.

import JOSEBytes
import JOSECrypto

extension JWSVerifier {
    /// Verifies many compact JWS, each independently, with any mix of keys.
    ///
    /// - Parameter tokens: The compact serialisations.
    /// - Returns: For each token, in order, the result of `verify(_:)`.
    ///
    /// Costs less than single calls for RS256, RS384 and RS512 on a CPU with AVX-512 IFMA (eight
    /// operations run in parallel) or AVX2 and FMA (four). Otherwise, and for all other algorithms,
    /// it costs the same.
    public func verifyBatch(_ tokens: [String]) -> [Result<VerifiedJWS, JOSEError>] {
        JWSVerifier.verifyBatch(tokens.map { (self, $0) })
    }

    /// Verifies many compact JWS, each independently and with its own verifier; see
    /// `verifyBatch(_:)`.
    public static func verifyBatch(
        _ batch: [(verifier: JWSVerifier, token: String)]
    ) -> [Result<VerifiedJWS, JOSEError>] {
        var results: [Result<VerifiedJWS, JOSEError>] = []
        results.reserveCapacity(batch.count)
        for start in stride(from: 0, to: batch.count, by: SignatureBatch.maxCount) {
            let chunk = batch[start..<min(start + SignatureBatch.maxCount, batch.count)]
            append(chunk, to: &results)
        }
        return results
    }

    private static func append(
        _ tokens: ArraySlice<(verifier: JWSVerifier, token: String)>,
        to results: inout [Result<VerifiedJWS, JOSEError>]
    ) {
        guard var batch = try? SignatureBatch(capacity: tokens.count) else {
            for (verifier, token) in tokens {
                results.append(Result { () throws(JOSEError) in try verifier.verify(token) })
            }
            return
        }
        var enqueued: [EnqueueResult] = []
        enqueued.reserveCapacity(tokens.count)
        for (verifier, token) in tokens {
            enqueued.append(
                Result { () throws(JOSEError) in try verifier.check.enqueue(token, in: &batch) })
        }
        batch.run()
        for ((verifier, token), enqueued) in zip(tokens, enqueued) {
            results.append(
                Result { () throws(JOSEError) in
                    try verifier.check.finish(token, enqueued.get(), batch)
                })
        }
    }

    private typealias EnqueueResult = Result<SignatureCheck.EnqueuedToken, JOSEError>
}

extension SignatureCheck {
    fileprivate struct EnqueuedToken {
        let pending: PendingToken
        /// Nil if the batch did not take the signature.
        let batchIndex: Int?
    }

    fileprivate func enqueue(
        _ token: String, in batch: inout SignatureBatch
    ) throws(JOSEError) -> EnqueuedToken {
        let text = token.utf8.span
        let pending = try selectKey(CompactJWS(text, limits), text, VerificationContext())
        let encoded = text.extracting(pending.parts.signature)
        do throws(JOSEError) {
            let index = try SignatureCheck.withSignature(encoded, pending.operation) { signature in
                batch.add(
                    pending.operation, message: text.extracting(pending.parts.signingInput),
                    signature: signature)
            }
            return EnqueuedToken(pending: pending, batchIndex: index)
        } catch {
            throw SignatureCheck.addingCause(
                to: error, payload: text.extracting(pending.parts.payload))
        }
    }

    /// Verifies the signature individually, unless the batch accepted it.
    fileprivate func finish(
        _ token: String, _ enqueued: EnqueuedToken, _ batch: borrowing SignatureBatch
    ) throws(JOSEError) -> VerifiedJWS {
        let text = token.utf8.span
        let pending = enqueued.pending
        if let index = enqueued.batchIndex {
            if !batch.accepted(index) {
                try SignatureCheck.verify(text, pending)
                batch.reportWronglyRejected(index)
            }
        } else {
            try SignatureCheck.verify(text, pending)
        }
        return VerifiedJWS(
            payload: try pending.selected.payloadBytes(text), check: self,
            keyIndex: pending.selected.keyIndex,
            source: HeaderSource(token, count: pending.selected.header.upperBound))
    }
}
