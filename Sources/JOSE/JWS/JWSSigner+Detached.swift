// Makes compact JWS whose payload travels apart (RFC 7515, appendix F) or stands unencoded (RFC 7797).

import JOSEBytes

extension JWSSigner {
    /// Signs a payload that travels apart.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - encoding: How the payload is signed; `.unencoded` writes `b64` and `crit`.
    /// - Throws: `limitExceeded` if the token would pass the limit, `internal` if OpenSSL fails.
    /// - Returns: The compact serialisation with nothing between its dots.
    ///
    /// Costs the raw signature and a copy of the payload. Source: RFC 7515, appendix F; RFC 7797.
    public func signDetached(
        _ payload: [UInt8], encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        let header = try encodedHeader(encoding)
        let signed = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        let input = JWSText.signingInput(header, signed)
        return try token(header, [], signature(input.span))
    }

    /// Signs a payload that stands in the compact token as it is.
    ///
    /// - Parameter payload: Printable ASCII without a dot (RFC 7797, 5.2).
    /// - Throws: `misuse` for any other payload, `limitExceeded` if the token would pass the limit, `internal` if
    ///   OpenSSL fails.
    /// - Returns: The compact serialisation.
    ///
    /// Never for a JWT: its readers refuse it (RFC 7797, 7).
    public func signUnencoded(_ payload: String) throws(JOSEError) -> String {
        let bytes = Array(payload.utf8)
        guard PayloadEncoding.fitsCompactToken(bytes.span) else {
            throw .misuse(
                "an unencoded payload (b64 false) of a compact token must be printable ASCII without a dot"
            )
        }
        let header = try encodedHeader(.unencoded)
        let input = JWSText.signingInput(header, bytes)
        return try token(header, bytes, signature(input.span))
    }

    private func token(
        _ header: [UInt8], _ payload: [UInt8], _ signature: [UInt8]
    ) throws(JOSEError) -> String {
        let size = header.count + payload.count + signature.count + 2
        guard size <= limits.tokenBytes else {
            throw .outputTooLarge(size, limits)
        }
        return String(asciiCapacity: size) { out in
            out.append(copying: header.span)
            out.append(0x2e)
            out.append(copying: payload.span)
            out.append(0x2e)
            out.append(copying: signature.span)
        }
    }
}
