// Verifies compact JWS with a detached (RFC 7515, appendix F) or unencoded (RFC 7797) payload.

import JOSEBytes
import JOSECrypto

extension JWSVerifier {
    /// Verifies a compact JWS with a detached payload.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation without payload; a token with a payload is `malformed`.
    ///   - payload: The payload's bytes.
    ///   - encodings: The accepted encodings of the payload.
    /// - Throws: As `verify(_:)`.
    /// - Returns: The same payload and the header.
    ///
    /// Costs the raw verification and copies of the header and the payload. Source: RFC 7515,
    /// appendix F; RFC 7797.
    public func verifyDetached(
        _ token: String, payload: [UInt8], encodings: [PayloadEncoding] = [.base64URL]
    ) throws(JOSEError) -> VerifiedJWS {
        let text = token.utf8.span
        let parts = try CompactJWS(text, check.limits)
        guard parts.payload.isEmpty else { throw .payloadNotDetached }
        let (encoding, key) = try check.selectKey(parts, text, encodings)
        let signed =
            encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        let protected = [UInt8](byteCapacity: parts.header.count) {
            $0.append(copying: text.extracting(parts.header))
        }
        let input = JWSText.signingInput(protected, signed)
        try SignatureCheck.verify(
            input.span, encoded: text.extracting(parts.signature), key.operation)
        return VerifiedJWS(
            payload: payload, check: check, keyIndex: key.index,
            source: HeaderSource(token, count: parts.header.upperBound))
    }

    /// Verifies a compact JWS with an unencoded payload, as `JWSSigner.signUnencoded` creates it.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation; an unencoded payload is printable ASCII without a dot.
    ///   - encodings: The accepted encodings of the payload; add `.base64URL` to accept both.
    /// - Throws: As `verify(_:)`; `unsupported` for a token with another encoding.
    /// - Returns: The payload and the header.
    ///
    /// Costs the raw verification and one allocation, the payload. Source: RFC 7797.
    public func verifyUnencoded(
        _ token: String, encodings: [PayloadEncoding] = [.unencoded]
    ) throws(JOSEError) -> VerifiedJWS {
        let text = token.utf8.span
        let parts = try CompactJWS(text, check.limits)
        let (encoding, key) = try check.selectKey(parts, text, encodings)
        let encoded = text.extracting(parts.payload)
        if encoding == .unencoded, !PayloadEncoding.fitsCompactToken(encoded) {
            throw .malformed(
                .payload, "b64 is false, but the payload is not printable ASCII without a dot")
        }
        try SignatureCheck.verify(
            text.extracting(parts.signingInput), encoded: text.extracting(parts.signature),
            key.operation)
        let payload =
            encoding == .unencoded
            ? [UInt8](byteCapacity: encoded.count) { $0.append(copying: encoded) }
            : Base64URL.decode(encoded)
        guard let payload else { throw .notBase64URL(encoded, .payload, "the payload") }
        return VerifiedJWS(
            payload: payload, check: check, keyIndex: key.index,
            source: HeaderSource(token, count: parts.header.upperBound))
    }
}

extension SignatureCheck {
    fileprivate func selectKey(
        _ parts: CompactJWS, _ token: Span<UInt8>, _ encodings: [PayloadEncoding]
    ) throws(JOSEError) -> (PayloadEncoding, SelectedKey) {
        try HeaderText.read(
            token.extracting(parts.header), limits,
            understanding: headerPolicy.extensions.with(
                unencodedPayload: encodings.contains(.unencoded))
        ) { (fields, text, _) throws(JOSEError) in
            let encoding: PayloadEncoding = fields.isUnencoded ? .unencoded : .base64URL
            guard encodings.contains(encoding) else { throw .payloadEncodingNotAllowed }
            return (encoding, try selectKey(fields, text, VerificationContext()))
        }
    }
}
