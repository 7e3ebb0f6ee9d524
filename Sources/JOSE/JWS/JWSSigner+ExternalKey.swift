// Signing with a key that may be external.

import JOSEBytes

extension JWSSigner {
    /// Signs a payload with a key that may be external.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - header: Members instead of those of the signer; the signer's if left out.
    ///   - timeout: How long the call may take; an external key may have less by its rule.
    /// - Throws: As `sign(_:header:)`; `unavailable` where the external key cannot answer in
    ///   time, or the task was cancelled; `internal` where its answer is no signature of this key;
    ///   `limitExceeded` for a message that is longer than it signs.
    /// - Returns: The compact serialisation; the signature of an external key is verified with
    ///   the public key.
    nonisolated(nonsending) public func sign(
        _ payload: [UInt8], header: HeaderParameters? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        var encoded: [UInt8]?
        if let header { encoded = try encodedHeader(header) }
        let token = try await token(payload, header: encoded, before: .end(of: timeout))
        return String(copying: token.span)
    }

    /// Signs a payload that travels separately with a key that may be external; see
    /// `signDetached(_:encoding:)` and `sign(_:header:timeout:)`.
    nonisolated(nonsending) public func signDetached(
        _ payload: [UInt8], encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        let draft = try Draft(detaching: payload, encoding, self)
        return draft.token(
            try await signing.signature(of: draft.input, before: .end(of: timeout)))
    }

    /// Signs a payload that the compact token holds unencoded, with a key that may be external; see
    /// `signUnencoded(_:)` and `sign(_:header:timeout:)`.
    nonisolated(nonsending) public func signUnencoded(
        _ payload: String, timeout: Duration
    ) async throws(JOSEError) -> String {
        let draft = try Draft(unencoded: payload, self)
        return draft.token(
            try await signing.signature(of: draft.input, before: .end(of: timeout)))
    }

    /// The bytes of a compact token, in one array; what is written of it is wiped where there is no
    /// signature.
    ///
    /// - Parameter header: The base64url text of the header; the signer's if left out.
    nonisolated(nonsending) func token(
        _ payload: [UInt8], header: [UInt8]? = nil, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        var token = try draft(payload.span, header: header)
        do throws(JOSEError) {
            let signature = try await signing.signature(of: token, before: end)
            token.append(addingCapacity: 1 + Base64URL.encodedCount(signature.count)) { out in
                out.append(0x2e)
                out.appendBase64URL(of: signature.span)
            }
            return token
        } catch {
            var bytes = token.mutableSpan
            wipe(&bytes)
            throw error
        }
    }
}

extension JWSJSONSigner {
    /// Signs a payload with keys of which some may be external; see `sign(_:as:encoding:)`.
    ///
    /// - Parameters:
    ///   - payload: Any bytes; UTF-8 text if it is unencoded.
    ///   - form: The serialisation; flattened only with one signature.
    ///   - encoding: How the payload is signed and written.
    ///   - timeout: How long the call may take, all its signatures together.
    /// - Throws: As there, and as `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func sign(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        try await signed(Draft(payload, form, encoding, self), before: .end(of: timeout))
    }

    /// Signs a payload that travels separately with keys of which some may be external; see
    /// `signDetached(_:as:encoding:)` and `sign(_:as:encoding:timeout:)`.
    nonisolated(nonsending) public func signDetached(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        try await signed(Draft(detaching: payload, form, encoding, self), before: .end(of: timeout))
    }

    nonisolated(nonsending) private func signed(
        _ draft: Draft, before end: ContinuousClock.Instant
    ) async throws(JOSEError) -> String {
        var signatures: [[UInt8]] = []
        for (index, signatory) in signatories.enumerated() {
            signatures.append(
                try await signatory.signer.signing.signature(of: draft.input(index), before: end))
        }
        return try draft.token(signatures, self)
    }
}
