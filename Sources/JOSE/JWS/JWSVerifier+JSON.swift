// Verifies JWS of the JSON serialisations. Compact tokens are rejected as malformed.

import JOSEBytes

extension JWSVerifier {
    /// Verifies a flattened or general JWS.
    ///
    /// - Parameters:
    ///   - token: The JSON serialisation with its payload.
    ///   - requirement: The signatures that must be valid.
    ///   - encodings: The accepted encodings of the payload.
    ///   - algorithmLocation: The headers that may contain `alg`.
    ///   - now: The time for certificates; the system clock by default.
    /// - Throws: `malformed` or `limitExceeded` for a wrong format of any signature. If the
    ///   requirement is not met, `unsupported`, `algorithmNotAllowed`, `keyNotFound`,
    ///   `keyUnusable`, `untrustedKey` or `signatureInvalid`. `misuse` for an empty `each(of:)`.
    /// - Returns: The payload and the verified signatures.
    ///
    /// Costs at most one verification for each signature, and copies of the token and the payload.
    /// Source: RFC 7515, 7.2.
    public func verifyJSON(
        _ token: String, requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJSONJWS {
        try verify(
            token.utf8.span, rules(requirement, encodings, algorithmLocation),
            VerificationContext(now: now))
    }

    /// Verifies a flattened or general JWS with a detached payload.
    ///
    /// `token` must have no `payload` or an empty one; others are `malformed`. For the other
    /// parameters see `verifyJSON(_:requiring:encodings:algorithmLocation:at:)`.
    ///
    /// - Throws: As `verifyJSON`.
    /// - Returns: The same payload and the verified signatures.
    ///
    /// Source: RFC 7515, appendix F.
    public func verifyDetachedJSON(
        _ token: String, payload: [UInt8], requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let rules = rules(requirement, encodings, algorithmLocation)
        let text = try JWSText(token.utf8.span, rules, check.limits)
        guard text.payload?.isEmpty ?? true else { throw .payloadNotDetached }
        let signed =
            text.encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        let accepted = try check.verifySignatures(
            text, signed, requirement, VerificationContext(now: now))
        return try result(text, payload, accepted)
    }

    /// Verifies a token as `verifyJSON(_:requiring:encodings:algorithmLocation:at:)` does, and
    /// returns what happened to each signature instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The JSON serialisation with its payload.
    ///   - requirement: The signatures that must be valid.
    ///   - encodings: The accepted encodings of the payload.
    ///   - algorithmLocation: The headers that may contain `alg`.
    ///   - now: The time for certificates; the system clock by default.
    public func explainJSON(
        _ token: String, requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) -> TokenExplanation {
        let trace = Trace()
        do throws(JOSEError) {
            _ = try verify(
                token.utf8.span, rules(requirement, encodings, algorithmLocation),
                VerificationContext(now: now, trace: trace))
            trace.passed(.signature, "the token has the required signatures: accepted")
        } catch {
            trace.json(token.utf8.span, error)
            trace.rejected(error)
        }
        return trace.explanation
    }

    private func rules(
        _ requirement: SignatureRequirement, _ encodings: [PayloadEncoding],
        _ algorithmLocation: AlgorithmLocation
    ) -> JSONSignatureRules {
        JSONSignatureRules(
            requirement: requirement, encodings: encodings, algorithmLocation: algorithmLocation,
            extensions: check.headerPolicy.extensions)
    }

    private func verify(
        _ token: Span<UInt8>, _ rules: JSONSignatureRules,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let text = try JWSText(token, rules, check.limits)
        guard let signed = text.payload else { throw .payloadMissing }
        let accepted = try check.verifySignatures(text, signed, rules.requirement, context)
        guard text.encoding == .base64URL else { return try result(text, signed, accepted) }
        guard let payload = Base64URL.decode(signed.span) else {
            throw .notBase64URL(signed.span, .payload, "the payload")
        }
        return try result(text, payload, accepted)
    }

    private func result(
        _ text: JWSText, _ payload: [UInt8], _ accepted: [SignatureCheck.AcceptedSignature]
    ) throws(JOSEError) -> VerifiedJSONJWS {
        var signatures: [VerifiedJSONJWS.Signature] = []
        for signature in accepted {
            signatures.append(
                try VerifiedJSONJWS.Signature(
                    text.entries[signature.index].get(), text.text.document,
                    keyID: check.keyID(signature.keyIndex)))
        }
        return VerifiedJSONJWS(payload: payload, signatures: signatures)
    }
}

extension JOSEError {
    static let payloadNotDetached = JOSEError.malformed(
        .token, "the token has a payload, but a detached payload was passed"
    ).withSetting(.detachedPayload)
    fileprivate static let payloadMissing = JOSEError.malformed(
        .token, "the token has no member payload: use verifyDetachedJSON for a detached payload"
    ).withSetting(.detachedPayload)
}
