// Verifies JWS of the JSON serialisations; compact tokens are malformed here, as these are elsewhere.

import JOSEBytes

extension JWSVerifier {
    /// Verifies a flattened or general JWS.
    ///
    /// - Parameters:
    ///   - token: The JSON serialisation, with its payload inside.
    ///   - requirement: Which signatures must be valid.
    ///   - encodings: How the payload may be signed; `.unencoded` only where it is expected.
    ///   - algorithmLocation: Where `alg` may stand.
    ///   - now: The time for keys whose certificates were validated; the system's clock where none is given.
    /// - Throws: `malformed` or `limitExceeded` for a fault of form in any of the signatures, `unsupported`,
    ///   `algorithmNotAllowed`, `keyNotFound`, `keyUnusable` or `signatureInvalid` by the rule.
    /// - Returns: The payload and the signatures that were verified; having the value is the proof.
    ///
    /// Costs up to one verification a signature, at most 16, and a copy of the token. Source: RFC 7515, 7.2.
    public func verifyJSON(
        _ token: String, requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let rules = JSONSignatureRules(
            requirement: requirement, encodings: encodings, algorithmLocation: algorithmLocation,
            extensions: check.admission.extensions)
        return try verify(token.utf8.span, rules, VerificationContext(now: now))
    }

    /// Verifies a flattened or general JWS whose payload travels apart.
    ///
    /// - Parameters:
    ///   - token: The JSON serialisation whose `payload` is absent or empty; one with a payload is `malformed`.
    ///   - payload: The payload's bytes.
    ///   - requirement: Which signatures must be valid.
    ///   - encodings: How the payload may be signed.
    ///   - algorithmLocation: Where `alg` may stand.
    ///   - now: The time for keys whose certificates were validated; the system's clock where none is given.
    /// - Throws: As `verifyJSON(_:requiring:encodings:algorithmLocation:at:)`.
    /// - Returns: The same payload and the signatures that were verified.
    ///
    /// Costs a copy of the payload more than the other. Source: RFC 7515, appendix F.
    public func verifyDetachedJSON(
        _ token: String, payload: [UInt8], requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let rules = JSONSignatureRules(
            requirement: requirement, encodings: encodings, algorithmLocation: algorithmLocation,
            extensions: check.admission.extensions)
        let text = try JWSText(token.utf8.span, rules, check.limits)
        guard text.payload?.isEmpty ?? true else { throw .payloadNotDetached }
        let signed =
            text.encoding == .unencoded ? payload : Base64URL.encode(payload.span)
        let accepted = try check.judge(
            text, signed, requirement, VerificationContext(now: now))
        return try proof(text, payload, accepted)
    }

    /// Does what `verifyJSON` does and says what happened to each signature, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The JSON text.
    ///   - requirement: The signatures that must be valid.
    ///   - encodings: How the payload may be signed.
    ///   - algorithmLocation: Where `alg` may stand.
    ///   - now: The time to judge certificates by; the system's clock where none is given.
    public func explainJSON(
        _ token: String, requiring requirement: SignatureRequirement,
        encodings: [PayloadEncoding] = [.base64URL],
        algorithmLocation: AlgorithmLocation = .protectedHeader, at now: NumericDate? = nil
    ) -> TokenExplanation {
        let rules = JSONSignatureRules(
            requirement: requirement, encodings: encodings, algorithmLocation: algorithmLocation,
            extensions: check.admission.extensions)
        let trace = Trace()
        do throws(JOSEError) {
            _ = try verify(
                token.utf8.span, rules, VerificationContext(now: now, trace: trace))
            trace.passed(.signature, "the token has the signatures that it must have: accepted")
        } catch {
            trace.json(token.utf8.span, error)
            trace.rejected(error)
        }
        return trace.explanation
    }

    private func verify(
        _ token: Span<UInt8>, _ rules: JSONSignatureRules,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJSONJWS {
        let text = try JWSText(token, rules, check.limits)
        guard let signed = text.payload else {
            throw .payloadMissing
        }
        let accepted = try check.judge(text, signed, rules.requirement, context)
        guard text.encoding == .base64URL else { return try proof(text, signed, accepted) }
        guard let payload = Base64URL.decode(signed.span) else {
            throw .notBase64URL(signed.span, .payload, "the payload")
        }
        return try proof(text, payload, accepted)
    }

    private func proof(
        _ text: JWSText, _ payload: [UInt8], _ accepted: [SignatureCheck.Accepted]
    ) throws(JOSEError) -> VerifiedJSONJWS {
        var signatures: [VerifiedSignature] = []
        for signature in accepted {
            signatures.append(
                try VerifiedSignature(
                    text.entries[signature.place].get(), text.text.document,
                    keyID: check.keyID(signature.keyIndex)))
        }
        return VerifiedJSONJWS(payload: payload, signatures: signatures)
    }
}

extension JOSEError {
    static let payloadNotDetached = JOSEError.malformed(
        .token, "the token has a payload, but a detached one was given"
    ).by(.detachedPayload)
    fileprivate static let payloadMissing = JOSEError.malformed(
        .token, "the token has no member payload: verifyDetachedJSON takes a detached one"
    ).by(.detachedPayload)
}
