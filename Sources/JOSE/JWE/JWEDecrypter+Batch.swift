// Decrypts many tokens in one call.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// Decrypts many compact JWE, each independently.
    ///
    /// - Parameter tokens: The compact serialisations.
    /// - Returns: For each token, in order, the result of `decrypt(_:)`.
    ///
    /// Costs less than single calls for RSA keys with `KeyAcceleration.withPrivateKeys`, if the
    /// processor has AVX-512 IFMA: four private operations run in parallel. Otherwise it costs the
    /// same. If only some of the keys have `withPrivateKeys`, a token for the others costs about 1
    /// µs more (2.3 µs with 9,000 bytes). A token for an external key results in `misuse`.
    public func decryptBatch(_ tokens: [String]) -> [Result<DecryptedJWE, JOSEError>] {
        JWEDecrypter.decryptBatch(tokens.map { (self, $0) })
    }

    /// Decrypts many compact JWE, each independently and with its own decrypter.
    ///
    /// - Parameter batch: The compact serialisations with their decrypters.
    /// - Returns: For each token, in order, the result of its decrypter's `decrypt(_:)`.
    public static func decryptBatch(
        _ batch: [(decrypter: JWEDecrypter, token: String)]
    ) -> [Result<DecryptedJWE, JOSEError>] {
        let entries = batch.map { JWEOpening.BatchEntry($0.decrypter.opening, $0.token) }
        return JWEOpening.openBatch(entries) { (index, open) throws(JOSEError) in
            let (decrypter, token) = batch[index]
            return decrypter.decrypted(try open(), HeaderSource(token))
        }
    }
}

extension JWEOpening {
    struct BatchEntry {
        let opening: JWEOpening
        let token: String
        let type: MediaTypeRule
        let content: ContentTypeRule

        init(
            _ opening: JWEOpening, _ token: String, type: MediaTypeRule = .any,
            content: ContentTypeRule = .any
        ) {
            self.opening = opening
            self.token = token
            self.type = type
            self.content = content
        }

        fileprivate struct Queued {
            var message: EncryptedMessage
            let headerCount: Int
            let hasReplicatedClaims: Bool
            let candidate: Candidate
            let batchIndex: Int
        }

        /// Returns nil if the batch does not take the token. The caller then opens the token alone.
        fileprivate func enqueue(in batch: inout PrivateBatch) throws(JOSEError) -> Queued? {
            guard opening.gainsFromBatch else { return nil }
            let (message, headerCount, hasReplicatedClaims) = try opening.message(
                token.utf8.span, type, content, nil)
            guard let (candidate, index) = try message.enqueue(by: opening, in: &batch) else {
                return nil
            }
            return Queued(
                message: message, headerCount: headerCount,
                hasReplicatedClaims: hasReplicatedClaims, candidate: candidate, batchIndex: index)
        }

        fileprivate func open() throws(JOSEError) -> Opened {
            try opening.open(token.utf8.span, type: type, content: content)
        }

        fileprivate func open(
            _ queued: inout Queued, by batch: borrowing PrivateBatch
        ) throws(JOSEError) -> Opened {
            Opened(
                plaintext: try queued.message.open(
                    by: queued.candidate, batch, queued.batchIndex, opening.limits),
                keyIndex: queued.candidate.index, headerCount: queued.headerCount,
                hasReplicatedClaims: queued.hasReplicatedClaims)
        }
    }

    /// Opens tokens independently. Calls `use` once for each token, in order, and `use` must call
    /// `open` once. The plaintext that `open` returns has no other owner: `use` can wipe it.
    static func openBatch<R>(
        _ entries: [BatchEntry],
        _ use: (_ index: Int, _ open: () throws(JOSEError) -> Opened) throws(JOSEError) -> R
    ) -> [Result<R, JOSEError>] {
        var results: [Result<R, JOSEError>] = []
        results.reserveCapacity(entries.count)
        for start in stride(from: 0, to: entries.count, by: PrivateBatch.maxCount) {
            let chunk = start..<min(start + PrivateBatch.maxCount, entries.count)
            append(chunk, of: entries, to: &results, use)
        }
        return results
    }

    private static func append<R>(
        _ chunk: Range<Int>, of entries: [BatchEntry], to results: inout [Result<R, JOSEError>],
        _ use: (_ index: Int, _ open: () throws(JOSEError) -> Opened) throws(JOSEError) -> R
    ) {
        guard entries[chunk].contains(where: \.opening.gainsFromBatch),
            var batch = try? PrivateBatch(capacity: chunk.count)
        else {
            for index in chunk {
                results.append(
                    Result { () throws(JOSEError) in
                        try use(index) { () throws(JOSEError) in try entries[index].open() }
                    })
            }
            return
        }
        var queue: [Result<BatchEntry.Queued?, JOSEError>] = []
        queue.reserveCapacity(chunk.count)
        for index in chunk {
            queue.append(
                Result { () throws(JOSEError) in try entries[index].enqueue(in: &batch) })
        }
        batch.run()
        for (offset, index) in chunk.enumerated() {
            results.append(
                Result { () throws(JOSEError) in
                    try use(index) { () throws(JOSEError) in
                        guard var queued = try queue[offset].get() else {
                            return try entries[index].open()
                        }
                        queue[offset] = .success(nil)  // `queued` is now the only owner
                        return try entries[index].open(&queued, by: batch)
                    }
                })
        }
    }
}
