// Compact JWS whose payload travels apart (RFC 7515, appendix F) or stands unencoded (RFC 7797).

import JOSEBytes
import JOSECrypto

extension JWSVerifier {
    /// Verifies a compact JWS whose payload travels apart.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation with nothing between its dots; one with a payload is `malformed`.
    ///   - payload: The payload's bytes.
    ///   - encodings: How the payload may be signed; `.unencoded` only where it is expected.
    /// - Throws: As `verify(_:)`.
    /// - Returns: The same payload and the header; having the value is the proof.
    ///
    /// Costs the raw verification and a copy of the payload. Source: RFC 7515, appendix F; RFC 7797.
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

    /// Verifies a compact JWS that holds its payload unencoded, as `JWSSigner.signUnencoded` makes
    /// it.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation; an unencoded payload is printable ASCII without a dot.
    ///   - encodings: How the payload may be signed; name `.base64URL` too to accept both.
    /// - Throws: As `verify(_:)`; `unsupported` for a token whose `b64` the list does not name.
    /// - Returns: The payload and the header; having the value is the proof.
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
    /// How the payload is encoded, and the algorithm and key of the header.
    fileprivate func selectKey(
        _ parts: CompactJWS, _ token: Span<UInt8>, _ encodings: [PayloadEncoding]
    ) throws(JOSEError) -> (PayloadEncoding, SelectedKey) {
        try HeaderText.read(
            token.extracting(parts.header), limits,
            understanding: admission.extensions.with(
                unencodedPayload: encodings.contains(.unencoded))
        ) { (fields, text, _) throws(JOSEError) in
            let encoding: PayloadEncoding = fields.isUnencoded ? .unencoded : .base64URL
            guard encodings.contains(encoding) else { throw .payloadEncodingNotAllowed }
            return (encoding, try admitKey(fields, text, VerificationContext()))
        }
    }
}
