// Verifies a JWT with fetched keys, or with external decryption keys.

import JOSEBytes

extension JWTLayers {
    /// - Parameter end: The deadline for an external key; nil applies only the key's own timeout.
    nonisolated(nonsending) func verify(
        _ token: String, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> VerifiedJWT {
        guard maySuspend else {
            return try verify(token.utf8.span, HeaderSource(token), expectation, context)
        }
        try checkSize(token.utf8.span)
        prepare(&context)
        if case .fetched(let keys) = signatureKeys, decrypter == nil {
            let header = try keys.header(of: token.utf8.span, context)
            let fetched = try await keys.keys(for: header)
            let verified = try verifySigned(
                token.utf8.span, HeaderSource(token), fetched.verifier, fetched: fetched,
                expectation, context)
            keys.cacheHeader(header, of: token.utf8.span)
            return verified
        }
        guard let decrypter else { throw .keysNeedAsyncVerifier }
        let (type, content) = outerRules
        var opened = try await decrypter.opening.open(
            token, type: type, content: content, trace: context.trace, before: end)
        return try await verify(&opened, token, expectation, context)
    }

    /// Verifies the content of an encrypted token, and wipes it if it is rejected.
    nonisolated(nonsending) func verify(
        _ opened: inout JWEOpening.Opened, _ token: String, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) async throws(JOSEError) -> VerifiedJWT {
        guard case .fetched(let keys) = signatureKeys else {
            return try verify(
                &opened, token.utf8.span, HeaderSource(token), expectation, context)
        }
        do throws(JOSEError) {
            try checkSize(opened.plaintext.span)
            let header = try keys.header(of: opened.plaintext.span, context)
            let fetched = try await keys.keys(for: header)
            var verified = try verifySigned(
                opened.plaintext.span, nil, fetched.verifier, fetched: fetched,
                outerHeader: token.utf8.span.extracting(first: opened.replicatedHeaderBytes),
                expectation, context)
            keys.cacheHeader(header, of: opened.plaintext.span)
            verified.keepHeaders(of: &opened, HeaderSource(token))
            return verified
        } catch {
            let cause = JWTLayers.contentError(error, inside: opened)
            opened.wipe()
            throw cause
        }
    }
}
