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
        let draft = try Draft(detaching: payload, encoding, self)
        return draft.token(try signing.signature(of: draft.input.span))
    }

    /// Signs a payload that stands in the compact token as it is.
    ///
    /// - Parameter payload: Printable ASCII without a dot (RFC 7797, 5.2).
    /// - Throws: `misuse` for any other payload, `limitExceeded` if the token would pass the limit, `internal` if
    ///   OpenSSL fails.
    /// - Returns: The compact serialisation.
    ///
    /// Never for a JWT: its readers reject it (RFC 7797, 7).
    public func signUnencoded(_ payload: String) throws(JOSEError) -> String {
        let draft = try Draft(unencoded: payload, self)
        return draft.token(try signing.signature(of: draft.input.span))
    }
}

extension JWSSigner {
    /// A compact token before it is signed, whose payload is not written as it is signed.
    struct Draft {
        let header: [UInt8]
        /// What is between the dots.
        let payload: [UInt8]
        /// What is signed.
        let input: [UInt8]
        /// The size of the token in bytes.
        private let size: Int

        /// A token whose payload travels separately.
        init(
            detaching payload: [UInt8], _ encoding: PayloadEncoding, _ signer: JWSSigner
        ) throws(JOSEError) {
            header = try signer.encodedHeader(encoding)
            self.payload = []
            size = try signer.tokenBytes(header, self.payload)
            input = JWSText.signingInput(
                header, encoding == .unencoded ? payload : Base64URL.encode(payload.span))
        }

        /// A token that holds its payload unencoded.
        init(unencoded payload: String, _ signer: JWSSigner) throws(JOSEError) {
            let payload = Array(payload.utf8)
            guard PayloadEncoding.fitsCompactToken(payload.span) else {
                throw .misuse(
                    "an unencoded payload (b64 false) of a compact token must be printable ASCII without a dot"
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

    /// The exact size of a token with this text between its dots, before anything is signed.
    ///
    /// - Throws: `limitExceeded` for one that is larger than the limit.
    private func tokenBytes(_ header: [UInt8], _ payload: [UInt8]) throws(JOSEError) -> Int {
        let size =
            header.count + payload.count + Base64URL.encodedCount(signing.signatureBytes) + 2
        guard size <= limits.tokenBytes else { throw .outputTooLarge(size, limits) }
        return size
    }
}
