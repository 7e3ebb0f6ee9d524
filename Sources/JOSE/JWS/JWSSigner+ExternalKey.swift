// Signs with keys that may be external (`JWK.withExternalKey(_:options:)`).

import JOSEBytes

extension JWSSigner {
    /// Signs a payload with a key that may be external.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - header: Replaces the signer's `header`; nil keeps it. `alg` and `kid` stay.
    ///   - timeout: The time that the call may take; the key's own options may allow less.
    /// - Throws: As `sign(_:header:)`. Also `unavailable` if the external key does not respond in
    ///   time or the task is cancelled, `internal` if its response is not a signature of this key,
    ///   and `limitExceeded` for a message that is too long for the external key.
    /// - Returns: The compact serialisation. An external key's signature was verified with its
    ///   public key.
    nonisolated(nonsending) public func sign(
        _ payload: [UInt8], header: HeaderParameters? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        var encoded: [UInt8]?
        if let header { encoded = try encodedHeader(header) }
        let token = try await token(payload, header: encoded, before: .end(of: timeout))
        return String(copying: token.span)
    }

    /// Signs a detached payload with a key that may be external; see `signDetached(_:encoding:)`
    /// and `sign(_:header:timeout:)`.
    nonisolated(nonsending) public func signDetached(
        _ payload: [UInt8], encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        let draft = try Draft(detaching: payload, encoding, self)
        return draft.token(
            try await signing.signature(of: draft.input, before: .end(of: timeout)))
    }

    /// Signs a payload that the compact token contains unencoded, with a key that may be external;
    /// see `signUnencoded(_:)` and `sign(_:header:timeout:)`.
    nonisolated(nonsending) public func signUnencoded(
        _ payload: String, timeout: Duration
    ) async throws(JOSEError) -> String {
        let draft = try Draft(unencoded: payload, self)
        return draft.token(
            try await signing.signature(of: draft.input, before: .end(of: timeout)))
    }

    /// The bytes of a token, wiped if signing fails. `header` is base64url; nil for the signer's.
    nonisolated(nonsending) func token(
        _ payload: [UInt8], header: [UInt8]? = nil, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        var token = try draft(payload.span, header: header)
        do throws(JOSEError) {
            token.append(signature: try await signing.signature(of: token, before: end))
            return token
        } catch {
            var bytes = token.mutableSpan
            wipe(&bytes)
            throw error
        }
    }
}

extension JWSJSONSigner {
    /// Signs a payload with keys that may be external; see `sign(_:as:encoding:)`.
    ///
    /// `timeout` is the time that all signatures together may take.
    ///
    /// - Throws: As `sign(_:as:encoding:)` and `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func sign(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        try await signed(Draft(payload, form, encoding, self), before: .end(of: timeout))
    }

    /// Signs a detached payload with keys that may be external; see `signDetached(_:as:encoding:)`
    /// and `sign(_:as:encoding:timeout:)`.
    nonisolated(nonsending) public func signDetached(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, timeout: Duration
    ) async throws(JOSEError) -> String {
        try await signed(
            Draft(payload, form, encoding, self, isDetached: true), before: .end(of: timeout))
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

extension [UInt8] {
    /// Appends a dot and the signature in base64url.
    mutating func append(signature: [UInt8]) {
        append(addingCapacity: 1 + Base64URL.encodedCount(signature.count)) { out in
            out.append(0x2e)
            out.appendBase64URL(of: signature.span)
        }
    }
}
