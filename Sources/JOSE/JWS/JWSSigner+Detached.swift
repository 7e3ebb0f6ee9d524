// Creates compact JWS with a detached (RFC 7515, appendix F) or unencoded (RFC 7797) payload.

import JOSEBytes

extension JWSSigner {
    /// Signs a detached payload.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - encoding: How the payload is encoded for signing; `.unencoded` writes `b64` and `crit`.
    /// - Throws: As `sign(_:)` over a span.
    /// - Returns: The compact serialisation without its payload.
    ///
    /// Costs the raw signature and a copy of the payload. Source: RFC 7515, appendix F; RFC 7797.
    public func signDetached(
        _ payload: [UInt8], encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        let draft = try Draft(detaching: payload, encoding, self)
        return draft.token(try signing.signature(of: draft.input.span))
    }

    /// Signs a payload that the compact token contains unencoded.
    ///
    /// - Parameter payload: Printable ASCII without a dot (RFC 7797, 5.2).
    /// - Throws: As `sign(_:)` over a span, and `misuse` for any other payload.
    /// - Returns: The compact serialisation.
    ///
    /// Do not use it for a JWT: `b64` is not allowed there (RFC 7797, 7).
    public func signUnencoded(_ payload: String) throws(JOSEError) -> String {
        let draft = try Draft(unencoded: payload, self)
        return draft.token(try signing.signature(of: draft.input.span))
    }
}

extension JWSSigner {
    /// A compact token that is not signed yet and whose payload is detached or unencoded.
    struct Draft {
        let header: [UInt8]
        /// The text between the token's dots: empty if the payload is detached.
        let payload: [UInt8]
        let input: [UInt8]
        /// The size of the token in bytes.
        private let size: Int

        init(
            detaching payload: [UInt8], _ encoding: PayloadEncoding, _ signer: JWSSigner
        ) throws(JOSEError) {
            header = try signer.encodedHeader(encoding)
            self.payload = []
            size = try signer.tokenBytes(header, self.payload)
            input = JWSText.signingInput(
                header, encoding == .unencoded ? payload : Base64URL.encode(payload.span))
        }

        init(unencoded payload: String, _ signer: JWSSigner) throws(JOSEError) {
            let payload = Array(payload.utf8)
            guard PayloadEncoding.fitsCompactToken(payload.span) else {
                throw .misuse(
                    """
                    an unencoded payload (b64 false) of a compact token must be printable ASCII \
                    without a dot
                    """
                )
            }
            header = try signer.encodedHeader(.unencoded)
            self.payload = payload
            size = try signer.tokenBytes(header, payload)
            input = JWSText.signingInput(header, payload)
        }

        func token(_ signature: [UInt8]) -> String {
            String(asciiCapacity: size) { out in
                out.append(copying: header.span)
                out.append(0x2e)
                out.append(copying: payload.span)
                out.append(0x2e)
                out.appendBase64URL(of: signature.span)
            }
        }
    }

    /// The exact size of the token in bytes; `payload` is the text between its dots.
    private func tokenBytes(_ header: [UInt8], _ payload: [UInt8]) throws(JOSEError) -> Int {
        let size =
            header.count + payload.count + Base64URL.encodedCount(signing.signatureBytes) + 2
        guard size <= limits.tokenBytes else { throw .outputTooLarge(size, limits) }
        return size
    }
}
