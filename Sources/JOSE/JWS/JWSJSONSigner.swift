// Creates JWS in the JSON serialisations, with one signature or several.

import JOSEBytes

/// Creates flattened and general JSON Web Signatures (RFC 7515, 7.2).
///
/// Create it once and use it from any thread. `alg` and `kid` are in the protected header of each
/// signature.
public struct JWSJSONSigner: Sendable {
    /// A signer and the unprotected header of its signature.
    public struct Signatory: Sendable {
        let signer: JWSSigner
        let unprotected: [UInt8]?

        /// Creates a signatory.
        ///
        /// - Parameters:
        ///   - signer: The key, the algorithm and the protected header.
        ///   - unprotectedHeader: Members without integrity protection, with names that the
        ///     protected header does not have.
        /// - Throws: `misuse` for a name that `HeaderParameters.additional` rejects or that the
        ///   protected header has, and for a value that JSON cannot represent.
        public init(
            signer: JWSSigner, unprotectedHeader: [String: JSONValue] = [:]
        ) throws(JOSEError) {
            self.signer = signer
            let text = try UnprotectedHeader.text(unprotectedHeader, others: signer.headerNames)
            unprotected = unprotectedHeader.isEmpty ? nil : text
        }
    }

    let signatories: [Signatory]
    private let limits: JOSELimits

    /// Creates a signer for tokens with these signatures, in this order.
    ///
    /// - Parameters:
    ///   - signatories: At least one.
    ///   - limits: Limits on the token. Pass those that its readers apply.
    /// - Throws: `misuse` without a signatory; `limitExceeded` above `limits.recipientCount`.
    public init(
        signatories: [Signatory], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard !signatories.isEmpty else {
            throw .misuse("'signatories' is empty: a token needs at least one signature")
        }
        guard signatories.count <= limits.recipientCount else {
            throw .limitExceeded(
                .output,
                """
                the token would have {} signatures; at most {} are accepted \
                (JOSELimits.recipientCount)
                """,
                .number(signatories.count), .number(limits.recipientCount))
        }
        self.signatories = signatories
        self.limits = limits
    }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: Any bytes; UTF-8 text if `encoding` is `.unencoded`.
    ///   - form: The serialisation; flattened only with one signature.
    ///   - encoding: How the payload is encoded in the token and for signing.
    /// - Throws: `misuse` for a flattened token with several signatures, an unencoded payload that
    ///   is not UTF-8, or an external key; `limitExceeded` if the token is over the limit;
    ///   `internal` if OpenSSL fails.
    /// - Returns: The JSON text.
    ///
    /// Costs the raw signatures, and one copy of the payload for each. Source: RFC 7515, 7.2.
    public func sign(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        try signed(Draft(payload, form, encoding, self))
    }

    /// Signs a detached payload: the token has no `payload` member; see `sign(_:as:encoding:)`.
    ///
    /// - Throws: As `sign(_:as:encoding:)`.
    ///
    /// Source: RFC 7515, appendix F.
    public func signDetached(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        try signed(Draft(payload, form, encoding, self, isDetached: true))
    }

    private func signed(_ draft: Draft) throws(JOSEError) -> String {
        var signatures: [[UInt8]] = []
        for (index, signatory) in signatories.enumerated() {
            let input = draft.input(index)
            signatures.append(try signatory.signer.signing.signature(of: input.span))
        }
        return try draft.token(signatures, self)
    }
}

extension JWSJSONSigner {
    struct Draft {
        private let form: JSONForm
        private let signedPayload: [UInt8]
        /// The member `payload`; nil if the payload is detached.
        private let payload: String?
        /// The base64url texts of the protected headers, in the order of the signatories.
        private let headers: [[UInt8]]

        init(
            _ payload: [UInt8], _ form: JSONForm, _ encoding: PayloadEncoding,
            _ signer: JWSJSONSigner, isDetached: Bool = false
        ) throws(JOSEError) {
            signedPayload = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
            self.payload = isDetached ? nil : String(validating: signedPayload, as: UTF8.self)
            guard isDetached || self.payload != nil else {
                throw .misuse("an unencoded payload (b64 false) in JSON must be UTF-8 text")
            }
            guard form == .general || signer.signatories.count == 1 else {
                throw .misuse(
                    "a flattened token has one signature, not {}: use the general form",
                    .number(signer.signatories.count))
            }
            self.form = form
            headers = try signer.signatories.map { (signatory) throws(JOSEError) in
                try signatory.signer.encodedHeader(encoding)
            }
            // Reject a token that would be too large before keys are used; external ones are slow.
            var size = self.payload == nil ? 0 : signedPayload.count
            for (header, signatory) in zip(headers, signer.signatories) {
                size += header.count + (signatory.unprotected?.count ?? 0)
                size += Base64URL.encodedCount(signatory.signer.signing.signatureBytes)
            }
            guard size <= signer.limits.tokenBytes else {
                throw .outputTooLarge(size, signer.limits)
            }
        }

        func input(_ index: Int) -> [UInt8] {
            JWSText.signingInput(headers[index], signedPayload)
        }

        func token(
            _ signatures: [[UInt8]], _ signer: JWSJSONSigner
        ) throws(JOSEError) -> String {
            var writer = JSONWriter(capacity: signedPayload.count + 1_024 * signatures.count)
            writer.beginObject()
            if let payload {
                writer.name("payload")
                writer.string(payload)
            }
            if form == .general {
                writer.name("signatures")
                writer.beginArray()
            }
            for (index, signature) in signatures.enumerated() {
                if form == .general { writer.beginObject() }
                writer.name("protected")
                writer.string(String(decoding: headers[index], as: UTF8.self))
                if let unprotected = signer.signatories[index].unprotected {
                    writer.name("header")
                    writer.raw(unprotected.span)
                }
                writer.name("signature")
                writer.string(Base64URL.encodeToString(signature.span))
                if form == .general { writer.endObject() }
            }
            if form == .general { writer.endArray() }
            writer.endObject()
            guard writer.bytes.count <= signer.limits.tokenBytes else {
                throw .outputTooLarge(writer.bytes.count, signer.limits)
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

extension JWSJSONSigner: RedactedDescription {}
extension JWSJSONSigner.Signatory: RedactedDescription {}
