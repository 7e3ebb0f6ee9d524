// The same way where keys are fetched, or external ones of ours are asked.

import JOSEBytes

extension JWTLayers {
    /// Opens the layers that the rules name, in their order, and judges the claims.
    ///
    /// - Parameter end: When an external key of ours must have answered.
    nonisolated(nonsending) func verify(
        _ token: String, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> VerifiedJWT {
        guard waits else {
            return try verify(token.utf8.span, HeaderSource(token), expectation, context)
        }
        try checkSize(token.utf8.span)
        prepare(&context)
        if case .fetched(let keys) = signer, decrypter == nil {
            let admitted = try keys.admit(token.utf8.span, context)
            let fetched = try await keys.verifier(for: admitted)
            let verified = try verifySigned(
                token.utf8.span, HeaderSource(token), admitted, fetched, expectation, context)
            try checkOwn(verified, context)
            keys.remember(admitted, of: token.utf8.span)
            return verified
        }
        guard let decrypter else { throw .keysElsewhere }
        let (type, content) = outerRules
        var opened = try await decrypter.opening.open(
            token, type: type, content: content, trace: context.trace, before: end)
        return try await verify(&opened, token, expectation, context)
    }

    /// Judges what was in an encrypted token, and wipes it where it is rejected.
    nonisolated(nonsending) func verify(
        _ opened: inout JWEOpening.Opened, _ token: String, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) async throws(JOSEError) -> VerifiedJWT {
        guard case .fetched(let keys) = signer else {
            return try verify(
                &opened, token.utf8.span, HeaderSource(token), expectation, context)
        }
        do throws(JOSEError) {
            try checkSize(opened.plaintext.span)
            let admitted = try keys.admit(opened.plaintext.span, context)
            let fetched = try await keys.verifier(for: admitted)
            let verified = try verifySigned(
                opened.plaintext.span, nil, admitted, fetched, expectation, context)
            keys.remember(admitted, of: opened.plaintext.span)
            return try accept(verified, token.utf8.span, HeaderSource(token), &opened, context)
        } catch {
            let cause = JWTLayers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    private func verifySigned(
        _ token: Span<UInt8>, _ source: HeaderSource?, _ admitted: FetchedKeys.Admitted,
        _ fetched: FetchedKeys.Fetched, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        do throws(JOSEError) {
            return try verifySigned(
                token, source, fetched.verifier, header: admitted.header, expectation, context)
        } catch {
            throw fetched.meaning(of: error, admitted)
        }
    }
}
