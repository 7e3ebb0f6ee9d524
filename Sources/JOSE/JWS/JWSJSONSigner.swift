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

    let signatories: [Signatory]
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
        try signed(Draft(payload, form, encoding, self))
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
        try signed(Draft(detaching: payload, form, encoding, self))
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
    /// A token before it is signed.
    struct Draft {
        private let form: JSONForm
        /// The payload as it is signed.
        private let signed: [UInt8]
        /// The same as the token's member; nil for a payload that travels separately.
        private let payload: String?
        /// The base64url texts of the protected headers, one for each signature.
        private let headers: [[UInt8]]

        init(
            _ payload: [UInt8], _ form: JSONForm, _ encoding: PayloadEncoding,
            _ signer: JWSJSONSigner
        ) throws(JOSEError) {
            let signed = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
            guard let text = String(validating: signed, as: UTF8.self) else {
                throw .misuse("an unencoded payload (b64 false) in JSON must be UTF-8 text")
            }
            try self.init(signed: signed, text, form, encoding, signer)
        }

        init(
            detaching payload: [UInt8], _ form: JSONForm, _ encoding: PayloadEncoding,
            _ signer: JWSJSONSigner
        ) throws(JOSEError) {
            let signed = encoding == .unencoded ? payload : Base64URL.encode(payload.span)
            try self.init(signed: signed, nil, form, encoding, signer)
        }

        private init(
            signed: [UInt8], _ payload: String?, _ form: JSONForm, _ encoding: PayloadEncoding,
            _ signer: JWSJSONSigner
        ) throws(JOSEError) {
            guard form == .general || signer.signatories.count == 1 else {
                throw .misuse(
                    "a flattened token has one signature, not {}: the general form takes more",
                    .number(signer.signatories.count))
            }
            self.form = form
            self.signed = signed
            self.payload = payload
            headers = try signer.signatories.map { (signatory) throws(JOSEError) in
                try signatory.signer.encodedHeader(encoding)
            }
            // A token that is larger in any case is rejected before a key is asked.
            var size = payload == nil ? 0 : signed.count
            for (header, signatory) in zip(headers, signer.signatories) {
                size += header.count + (signatory.unprotected?.count ?? 0)
                size += Base64URL.encodedCount(signatory.signer.signing.signatureBytes)
            }
            guard size <= signer.limits.tokenBytes else {
                throw .outputTooLarge(size, signer.limits)
            }
        }

        /// What the signature of this place is made over.
        func input(_ index: Int) -> [UInt8] { JWSText.signingInput(headers[index], signed) }

        /// The JSON text, with one signature for each signatory.
        func token(
            _ signatures: [[UInt8]], _ signer: JWSJSONSigner
        ) throws(JOSEError) -> String {
            var writer = JSONWriter(capacity: signed.count + 1_024 * signatures.count)
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

extension JWSJSONSigner: RedactedDescription {
    package var shownAs: String { "JWS signer" }
}

extension JWSJSONSigner.Signatory: RedactedDescription {
    package var shownAs: String { "JWS signatory" }
}
