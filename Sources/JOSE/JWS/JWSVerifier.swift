// Verifies compact JWS: the way of a token, step by step, forward only.

import JOSEBytes
import JOSECrypto

/// Verifies compact JSON Web Signatures (RFC 7515) with the keys and algorithms of its maker.
///
/// Prepared once, used from many threads. The token chooses nothing: an algorithm outside the list or a key that
/// the set does not name for it is rejected before any cryptography.
public struct JWSVerifier: Sendable {
    let check: SignatureCheck

    /// A verifier with one key.
    ///
    /// - Parameters:
    ///   - key: The signer's key; where it has a `kid`, a token that names another is rejected.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - critical: The extensions in `crit` that the caller understands and checks itself (RFC 7515, 4.1.11), by
    ///     name; read them from the verified header. None if left out.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm or for a registered name in `critical`, `keyUnusable` if the key fits none of
    ///   the algorithms.
    public init(
        key: JWK, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let admission = try SignatureHeaderPolicy(algorithms, critical: critical, limits)
        check = SignatureCheck(try VerificationKeys(key, algorithms), admission)
    }

    /// A verifier with the set that the signer published.
    ///
    /// - Parameters:
    ///   - keys: The signer's keys; the token's `kid` picks one, or rejects.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - critical: The extensions in `crit` that the caller understands and checks itself, by name.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm or for a registered name in `critical`.
    public init(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self.init(keys, try SignatureHeaderPolicy(algorithms, critical: critical, limits))
    }

    /// The verifiers of a tool whose default is `algorithms` and, besides, what a key's own `alg` names.
    ///
    /// - Parameter onlyByKey: Accepted only with a key whose own `alg` names it.
    package init(
        key: JWK, algorithms: [SignatureAlgorithm], onlyByKey: [SignatureAlgorithm],
        critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        let all = algorithms + onlyByKey
        check = SignatureCheck(
            try VerificationKeys(key, all, onlyByKey: onlyByKey),
            try SignatureHeaderPolicy(all, critical: critical, limits))
    }

    /// The same with a set; see the initialiser with `key`.
    package init(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], onlyByKey: [SignatureAlgorithm],
        critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        check = SignatureCheck(
            VerificationKeys(keys, onlyByKey: onlyByKey),
            try SignatureHeaderPolicy(algorithms + onlyByKey, critical: critical, limits))
    }

    init(_ keys: PublicJWKSet, _ admission: SignatureHeaderPolicy) {
        check = SignatureCheck(VerificationKeys(keys), admission)
    }

    /// Verifies a compact JWS.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`, `keyNotFound`, `keyUnusable`
    ///   or `signatureInvalid`.
    /// - Returns: The payload and header; having the value is the proof.
    ///
    /// Costs the raw verification and one allocation, the payload. Source: RFC 7515, 5.2.
    public func verify(_ token: String) throws(JOSEError) -> VerifiedJWS {
        let text = token.utf8.span
        var payload = SignatureCheck.PayloadDestination.wanted
        let parts = try check.verify(text, payload: &payload, VerificationContext())
        return VerifiedJWS(
            payload: try payload.take(parts, of: text), check: check, keyIndex: parts.keyIndex,
            source: HeaderSource(token, count: parts.header.upperBound))
    }

    /// Verifies the bytes of a compact JWS; see `verify(_:)` over a string.
    public func verify(_ token: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        let text = token.span
        var payload = SignatureCheck.PayloadDestination.wanted
        let parts = try check.verify(text, payload: &payload, VerificationContext())
        return VerifiedJWS(
            payload: try payload.take(parts, of: text), check: check, keyIndex: parts.keyIndex,
            source: HeaderSource(token, count: parts.header.upperBound))
    }

    /// Verifies a compact JWS and appends its payload to the caller's buffer, without an allocation.
    ///
    /// - Parameters:
    ///   - token: The bytes of the compact serialisation.
    ///   - payload: Where the payload goes; three quarters of the token's size are always enough.
    /// - Throws: As `verify(_:)`, and `misuse` if the buffer is too small; nothing is appended then.
    public func verify(
        _ token: Span<UInt8>, payload: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        var place = SignatureCheck.PayloadDestination.unwanted
        let parts = try check.verify(token, payload: &place, VerificationContext())
        let encoded = token.extracting(parts.payload)
        guard let count = Base64URL.decodedCount(encoded.count) else {
            throw parts.malformedPayload(token)
        }
        guard count <= payload.freeCapacity else {
            throw .misuse(
                "the payload has {} bytes; the buffer has room for {}", .number(count),
                .number(payload.freeCapacity))
        }
        guard Base64URL.decode(encoded, into: &payload) else {
            throw parts.malformedPayload(token)
        }
    }

    /// Does what `verify(_:)` does and returns step by step what happened, instead of throwing.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Returns: The steps, and the cause and a remedy where the token is rejected. For logs and
    ///   people, never for a peer: it may show what the header holds.
    ///
    /// Costs several verifications where a signature does not verify: other keys are tried to find
    /// the cause.
    public func explain(_ token: String) -> TokenExplanation {
        let text = token.utf8.span
        let trace = Trace()
        trace.form(text)
        do throws(JOSEError) {
            var payload = SignatureCheck.PayloadDestination.wanted
            let parts = try check.verify(
                text, payload: &payload, VerificationContext(trace: trace))
            let count = try payload.take(parts, of: text).count
            trace.passed(.payload, "the payload has \(count) bytes: accepted")
        } catch {
            trace.rejected(error)
        }
        return trace.explanation
    }
}

extension JWSVerifier: RedactedDescription {
    package var shownAs: String { "JWS verifier" }
}
