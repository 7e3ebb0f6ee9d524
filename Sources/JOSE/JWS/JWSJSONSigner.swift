// Makes JWS of the JSON serialisations, with one signature or several.

import JOSEBytes

/// Makes flattened and general JSON Web Signatures (RFC 7515, 7.2).
///
/// Prepared once, used from many threads. Algorithm and `kid` of each signer stand in its protected header.
public struct JWSJSONSigner: Sendable {
    /// One signer with what stands beside its signature.
    public struct Signatory: Sendable {
        let signer: JWSSigner
        let unprotected: [UInt8]?

        /// A signer.
        ///
        /// - Parameters:
        ///   - signer: The key, the algorithm and the protected header.
        ///   - unprotectedHeader: Members that nothing protects; none of them in the protected header too.
        /// - Throws: `misuse` for a registered name or one that the protected header has.
        public init(
            signer: JWSSigner, unprotectedHeader: [String: JSONValue] = [:]
        ) throws(JOSEError) {
            self.signer = signer
            let text = try UnprotectedHeader.text(unprotectedHeader, others: signer.headerNames)
            unprotected = unprotectedHeader.isEmpty ? nil : text
        }
    }

    private let signatories: [Signatory]
    private let limits: JOSELimits

    /// A signer for tokens with these signatures, in this order.
    ///
    /// - Parameters:
    ///   - signatories: One or more.
    ///   - limits: What a reader with the same limits would accept.
    /// - Throws: `misuse` without a signatory, `limitExceeded` for more than the limit.
    public init(
        signatories: [Signatory], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard !signatories.isEmpty else {
            throw .misuse("signatories: is empty: a token has one signature or more")
        }
        guard signatories.count <= limits.recipientCount else {
            throw .limitExceeded(
                .output,
                "the token would have {} signatures; at most {} are accepted (JOSELimits.recipientCount)",
                .number(signatories.count), .number(limits.recipientCount))
        }
        self.signatories = signatories
        self.limits = limits
    }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: Any bytes; UTF-8 text where it stands unencoded.
    ///   - form: General where nothing is said; flattened only with one signature.
    ///   - encoding: How the payload is signed and written.
    /// - Throws: `misuse` for a flattened token with several signatures or an unencoded payload that is no text,
    ///   `limitExceeded` if the token would pass the limit, `internal` if OpenSSL fails.
    /// - Returns: The JSON text.
    ///
    /// Costs the raw signatures and a copy of the payload for each. Source: RFC 7515, 7.2.
    public func sign(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        let signed = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        guard let text = String(validating: signed, as: UTF8.self) else {
            throw .misuse("an unencoded payload (b64 false) in JSON must be UTF-8 text")
        }
        return try write(signed, text, form, encoding)
    }

    /// Signs a payload that travels apart: the token has no `payload` member.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - form: General where nothing is said; flattened only with one signature.
    ///   - encoding: How the payload is signed.
    /// - Throws: As `sign(_:as:encoding:)`.
    /// - Returns: The JSON text. Source: RFC 7515, appendix F.
    public func signDetached(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        let signed = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        return try write(signed, nil, form, encoding)
    }

    private func write(
        _ signed: [UInt8], _ payload: String?, _ form: JSONForm, _ encoding: PayloadEncoding
    ) throws(JOSEError) -> String {
        guard form == .general || signatories.count == 1 else {
            throw .misuse(
                "a flattened token has one signature, not {}: the general form takes more",
                .number(signatories.count))
        }
        guard signed.count <= limits.tokenBytes || payload == nil else {
            throw .outputTooLarge(signed.count, limits)
        }
        var writer = JSONWriter(capacity: signed.count + 1_024 * signatories.count)
        writer.beginObject()
        if let payload {
            writer.name("payload")
            writer.string(payload)
        }
        if form == .general {
            writer.name("signatures")
            writer.beginArray()
        }
        for signatory in signatories {
            if form == .general { writer.beginObject() }
            try write(signatory, signed, encoding, to: &writer)
            if form == .general { writer.endObject() }
        }
        if form == .general { writer.endArray() }
        writer.endObject()
        guard writer.bytes.count <= limits.tokenBytes else {
            throw .outputTooLarge(writer.bytes.count, limits)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(
        _ signatory: Signatory, _ signed: [UInt8], _ encoding: PayloadEncoding,
        to writer: inout JSONWriter
    ) throws(JOSEError) {
        let header = try signatory.signer.encodedHeader(encoding)
        let input = JWSText.signingInput(header, signed)
        writer.name("protected")
        writer.string(String(decoding: header, as: UTF8.self))
        if let unprotected = signatory.unprotected {
            writer.name("header")
            writer.raw(unprotected.span)
        }
        let signature = try signatory.signer.signature(input.span)
        writer.name("signature")
        writer.string(String(decoding: signature, as: UTF8.self))
    }
}

extension JWSJSONSigner: RedactedDescription {
    package var shownAs: String { "JWS signer" }
}

extension JWSJSONSigner.Signatory: RedactedDescription {
    package var shownAs: String { "JWS signatory" }
}
