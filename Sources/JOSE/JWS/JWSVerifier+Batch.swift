// Many tokens at once: for a gateway, an audit of a log, the first look at a queue.

import JOSEBytes
import JOSECrypto

extension JWSVerifier {
    /// Verifies many compact JWS, each for itself, with any mix of keys.
    ///
    /// - Parameter tokens: The compact serialisations.
    /// - Returns: For each token, in order, what `verify(_:)` returns or throws for it.
    ///
    /// Costs less than one call each where the processor has vector kernels: eight RSA operations side by side by AVX-512 IFMA, four by
    /// AVX2 and FMA; else the same.
    public func verifyBatch(_ tokens: [String]) -> [Result<VerifiedJWS, JOSEError>] {
        JWSVerifier.verifyBatch(tokens.map { (self, $0) })
    }

    /// Verifies many compact JWS, each for itself and each by its own verifier, so with any mix of signers.
    ///
    /// - Parameter batch: The compact serialisations, each with the verifier that judges it.
    /// - Returns: For each token, in order, what its verifier's `verify(_:)` returns or throws for it.
    ///
    /// Costs as `verifyBatch(_:)` with one verifier.
    public static func verifyBatch(
        _ batch: [(verifier: JWSVerifier, token: String)]
    ) -> [Result<VerifiedJWS, JOSEError>] {
        var results: [Result<VerifiedJWS, JOSEError>] = []
        results.reserveCapacity(batch.count)
        for start in stride(from: 0, to: batch.count, by: SignatureBatch.most) {
            let chunk = batch[start..<min(start + SignatureBatch.most, batch.count)]
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
        var pending: [Pending] = []
        pending.reserveCapacity(tokens.count)
        for (verifier, token) in tokens {
            pending.append(
                Result { () throws(JOSEError) in try verifier.check.take(token, into: &batch) })
        }
        batch.run()
        for ((verifier, token), pending) in zip(tokens, pending) {
            results.append(
                Result { () throws(JOSEError) in
                    try verifier.check.finish(token, pending.get(), batch)
                })
        }
    }

    /// A token on its way: rejected, or selected and perhaps taken into the batch.
    private typealias Pending = Result<SignatureCheck.Taken, JOSEError>
}

extension SignatureCheck {
    /// A token whose key is known, and its place in the batch, if it was taken.
    fileprivate struct Taken {
        let unjudged: PendingToken
        let place: Int?
    }

    fileprivate func take(
        _ token: String, into batch: inout SignatureBatch
    ) throws(JOSEError) -> Taken {
        let text = token.utf8.span
        let unjudged = try selectKey(CompactJWS(text, limits), text, VerificationContext())
        let encoded = text.extracting(unjudged.parts.signature)
        do throws(JOSEError) {
            let place = try SignatureCheck.withSignature(encoded, unjudged.operation) { signature in
                batch.add(
                    unjudged.operation, message: text.extracting(unjudged.parts.signingInput),
                    signature: signature)
            }
            return Taken(unjudged: unjudged, place: place)
        } catch {
            throw SignatureCheck.naming(error, text.extracting(unjudged.parts.payload))
        }
    }

    /// What the batch did not accept is judged alone.
    fileprivate func finish(
        _ token: String, _ taken: Taken, _ batch: borrowing SignatureBatch
    ) throws(JOSEError) -> VerifiedJWS {
        let text = token.utf8.span
        let unjudged = taken.unjudged
        if let place = taken.place {
            if !batch.accepted(place) {
                try SignatureCheck.verify(text, unjudged)
                batch.overruled(place)
            }
        } else {
            try SignatureCheck.verify(text, unjudged)
        }
        return VerifiedJWS(
            payload: try unjudged.accepted.payloadBytes(text), check: self,
            keyIndex: unjudged.accepted.keyIndex,
            source: HeaderSource(token, count: unjudged.accepted.header.upperBound))
    }
}
