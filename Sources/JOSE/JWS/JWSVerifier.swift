// Verifies compact JWS: the way of a token, step by step, forward only.

import JOSEBytes
import JOSECrypto

/// Verifies compact JSON Web Signatures (RFC 7515) with the keys and algorithms of its maker.
///
/// Prepared once, used from many threads. The token chooses nothing: an algorithm outside the list or a key that
/// the set does not name for it is refused before any cryptography.
public struct JWSVerifier: Sendable {
    let check: SignatureCheck

    /// A verifier with one key.
    ///
    /// - Parameters:
    ///   - key: The signer's key; where it has a `kid`, a token that names another is refused.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm, `keyUnusable` if the key fits none of them.
    public init(
        key: JWK, algorithms: [SignatureAlgorithm], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let admission = try SignatureAdmission(algorithms, limits)
        check = SignatureCheck(try VerificationKeys(key, algorithms), admission)
    }

    /// A verifier with the set that the signer published.
    ///
    /// - Parameters:
    ///   - keys: The signer's keys; the token's `kid` picks one, or refuses.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm.
    public init(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self.init(keys, try SignatureAdmission(algorithms, limits))
    }

    init(_ keys: PublicJWKSet, _ admission: SignatureAdmission) {
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
        var payload = SignatureCheck.PayloadPlace.wanted
        let parts = try check.verify(text, payload: &payload)
        return VerifiedJWS(
            payload: try payload.take(parts, of: text), check: check, keyIndex: parts.keyIndex,
            source: HeaderSource(token, count: parts.header.upperBound))
    }

    /// Verifies the bytes of a compact JWS; see `verify(_:)` over a string.
    public func verify(_ token: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        let text = token.span
        var payload = SignatureCheck.PayloadPlace.wanted
        let parts = try check.verify(text, payload: &payload)
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
        var place = SignatureCheck.PayloadPlace.unwanted
        let parts = try check.verify(token, payload: &place)
        let encoded = token.extracting(parts.payload)
        guard let count = Base64URL.decodedCount(encoded.count) else { throw .payloadNotBase64URL }
        guard count <= payload.freeCapacity else {
            throw .misuse("the payload buffer is too small")
        }
        guard Base64URL.decode(encoded, into: &payload) else { throw .payloadNotBase64URL }
    }
}

extension JWSVerifier: RedactedDescription {
    package var shownAs: String { "JWS verifier" }
}
