// Verifies compact JWS.

import JOSEBytes
import JOSECrypto

/// Verifies compact JSON Web Signatures (RFC 7515) with the keys and algorithms that you allow.
///
/// Create it once and use it from any thread. A token with an algorithm outside the list, or with a
/// key that is not for its algorithm, is rejected before any cryptography.
public struct JWSVerifier: Sendable {
    let check: SignatureCheck

    /// Creates a verifier with one key.
    ///
    /// - Parameters:
    ///   - key: The signer's key. If it has a `kid`, a token that names another `kid` is rejected.
    ///   - algorithms: The accepted algorithms.
    ///   - critical: The names of the extensions in `crit` that you check (RFC 7515, 4.1.11). Read
    ///     their values from the verified header.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm, or for an empty or registered name in `critical`;
    ///   `keyUnusable` if the key matches no algorithm; `unsupported` if a FIPS provider lacks one.
    public init(
        key: JWK, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(.one(key), algorithms: algorithms, critical: critical, limits: limits)
    }

    /// Creates a verifier with the signer's key set.
    ///
    /// - Parameters:
    ///   - keys: The signer's keys. The token's `kid` selects one; an unknown `kid` is rejected.
    ///   - algorithms: The accepted algorithms.
    ///   - critical: The names of the extensions in `crit` that you check.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` and `unsupported` as `init(key:algorithms:critical:limits:)`.
    public init(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self.init(
            unchecked: .set(keys),
            try SignatureHeaderPolicy(algorithms, critical: critical, limits))
    }

    /// - Parameter ifNamedByKey: Further algorithms, each only with a key whose `alg` names it.
    package init(
        _ keys: VerifierKeys, algorithms: [SignatureAlgorithm],
        ifNamedByKey: [SignatureAlgorithm] = [], critical: [String], limits: JOSELimits
    ) throws(JOSEError) {
        let all = algorithms + ifNamedByKey
        let headerPolicy = try SignatureHeaderPolicy(all, critical: critical, limits)
        check = SignatureCheck(
            try VerificationKeys(keys, all, ifNamedByKey: ifNamedByKey), headerPolicy)
    }

    /// Does not check that a key matches one of the algorithms.
    init(unchecked keys: VerifierKeys, _ headerPolicy: SignatureHeaderPolicy) {
        check = SignatureCheck(VerificationKeys(unchecked: keys), headerPolicy)
    }

    /// Verifies a compact JWS.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`, `keyNotFound`,
    ///   `keyUnusable`, `untrustedKey` or `signatureInvalid`.
    /// - Returns: The payload and header.
    ///
    /// Costs the raw verification and one allocation, the payload. Source: RFC 7515, 5.2.
    public func verify(_ token: String) throws(JOSEError) -> VerifiedJWS {
        try verify(token.utf8.span, HeaderSource(token))
    }

    /// Verifies the bytes of a compact JWS; see `verify(_:)` over a string.
    public func verify(_ token: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        try verify(token.span, HeaderSource(token))
    }

    @inline(__always)
    private func verify(
        _ token: Span<UInt8>, _ source: HeaderSource
    ) throws(JOSEError) -> VerifiedJWS {
        // A long payload is decoded during verification.
        var payload = SignatureCheck.EarlyPayload.wanted
        let parts = try check.verify(token, payload: &payload, VerificationContext())
        return VerifiedJWS(
            payload: try payload.take(parts, of: token), check: check, keyIndex: parts.keyIndex,
            source: source.withHeader(count: parts.header.upperBound))
    }

    /// Verifies a compact JWS and appends its payload to your buffer, without an allocation.
    ///
    /// - Parameters:
    ///   - token: The bytes of the compact serialisation.
    ///   - payload: The buffer; three quarters of the token's size are always enough.
    /// - Throws: As `verify(_:)`, and `misuse` if the buffer is too small. If it throws, nothing is
    ///   appended.
    public func verify(
        _ token: Span<UInt8>, payload: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        var early = SignatureCheck.EarlyPayload.notWanted
        let parts = try check.verify(token, payload: &early, VerificationContext())
        let encoded = token.extracting(parts.payload)
        guard let count = Base64URL.decodedCount(encoded.count) else {
            throw parts.malformedPayload(token)
        }
        guard count <= payload.freeCapacity else {
            throw .misuse(
                "the payload has {} bytes; the buffer has a free capacity of {}", .number(count),
                .number(payload.freeCapacity))
        }
        guard Base64URL.decode(encoded, into: &payload) else {
            throw parts.malformedPayload(token)
        }
    }

    /// As `verify(_:)`, but returns what happened at each step instead of throwing.
    ///
    /// - Parameter token: The compact serialisation.
    /// - Returns: The steps, and for a rejected token the cause and a remedy. They may show what
    ///   the header contains: do not send them to a peer.
    ///
    /// An invalid signature costs further verifications: other keys are tried.
    public func explain(_ token: String) -> TokenExplanation {
        let text = token.utf8.span
        let trace = Trace()
        trace.form(text)
        do throws(JOSEError) {
            var payload = SignatureCheck.EarlyPayload.wanted
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

extension JWSVerifier: RedactedDescription {}
