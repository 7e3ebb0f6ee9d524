// Verifies many JWTs in one call.

import JOSEBytes
import JOSECrypto

extension JWTVerifier {
    /// Verifies many tokens, each independently.
    ///
    /// - Parameters:
    ///   - tokens: The compact serialisations.
    ///   - expectation: Values that each token must have.
    ///   - now: The time for all checks; the system clock by default.
    /// - Returns: For each token, in order, the result of `verify(_:expecting:at:)`.
    ///
    /// Signed tokens cost the same as in single calls. Encrypted tokens cost as in
    /// `JWEDecrypter.decryptBatch(_:)`: less for RSA keys with `KeyAcceleration.withPrivateKeys` on
    /// a processor with AVX-512 IFMA.
    public func verifyBatch(
        _ tokens: [String], expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) -> [Result<VerifiedJWT, JOSEError>] {
        JWTVerifier.verifyBatch(
            tokens.map {
                BatchEntry(verifier: self, token: $0, expectation: expectation, now: now)
            })
    }

    /// A token, and the arguments of its `verify(_:expecting:at:)`.
    package struct BatchEntry {
        package let verifier: JWTVerifier
        package let token: String
        package let expectation: ClaimsExpectation
        package let now: NumericDate?

        package init(
            verifier: JWTVerifier, token: String, expectation: ClaimsExpectation,
            now: NumericDate?
        ) {
            self.verifier = verifier
            self.token = token
            self.expectation = expectation
            self.now = now
        }

        fileprivate func verify() throws(JOSEError) -> VerifiedJWT {
            try verifier.verify(token, expecting: expectation, at: now)
        }
    }

    /// Verifies many tokens, each with its own verifier; see `verifyBatch(_:expecting:at:)`.
    package static func verifyBatch(
        _ batch: [BatchEntry]
    ) -> [Result<VerifiedJWT, JOSEError>] {
        var results: [Result<VerifiedJWT, JOSEError>?] = []
        var encrypted: [Int] = []
        var openings: [JWEOpening.BatchEntry] = []
        results.reserveCapacity(batch.count)
        encrypted.reserveCapacity(batch.count)
        openings.reserveCapacity(batch.count)
        for (index, entry) in batch.enumerated() {
            let openingResult = Result { () throws(JOSEError) in
                try entry.verifier.rules.opening(of: entry.token)
            }
            switch openingResult {
            case .success(let opening?):
                encrypted.append(index)
                openings.append(opening)
                results.append(nil)
            case .success(nil):
                results.append(Result { () throws(JOSEError) in try entry.verify() })
            case .failure(let error): results.append(.failure(error))
            }
        }
        let verified = JWEOpening.openBatch(openings) { (number, open) throws(JOSEError) in
            let entry = batch[encrypted[number]]
            var opened = try open()
            return try entry.verifier.rules.verify(
                &opened, entry.token.utf8.span, HeaderSource(entry.token), entry.expectation,
                VerificationContext(now: entry.now))
        }
        for (index, result) in zip(encrypted, verified) { results[index] = result }
        return results.map { $0 ?? .failure(.internalFailure) }
    }
}

extension JWTRules {
    /// Returns nil if the rules do not require encryption.
    fileprivate func opening(
        of token: String
    ) throws(JOSEError) -> JWEOpening.BatchEntry? {
        switch self {
        case .one(let layers): try layers.opening(of: token)
        case .byIssuer(let table): try table.opening(of: token)
        }
    }

    /// Verifies the content of an encrypted token, and wipes it if it is rejected.
    fileprivate func verify(
        _ opened: inout JWEOpening.Opened, _ token: Span<UInt8>, _ source: HeaderSource,
        _ expectation: ClaimsExpectation, _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        switch self {
        case .one(let layers):
            layers.prepare(&context)
            return try layers.verify(&opened, token, source, expectation, context)
        case .byIssuer(let table):
            return try table.verify(&opened, token, source, expectation, context)
        }
    }
}

extension JWTLayers {
    fileprivate func opening(of token: String) throws(JOSEError) -> JWEOpening.BatchEntry? {
        guard let decrypter else { return nil }
        try checkSize(token.utf8.span)
        let (type, content) = outerRules
        return JWEOpening.BatchEntry(decrypter.opening, token, type: type, content: content)
    }
}
