// Verifies compact JWS: the way of a token, step by step, forward only.

import JOSEBytes
import JOSECrypto

/// Verifies compact JSON Web Signatures (RFC 7515) with the keys and algorithms of its maker.
///
/// Prepared once, used from many threads. The token chooses nothing: an algorithm outside the list or a key that
/// the set does not name for it is refused before any cryptography.
public struct JWSVerifier: Sendable {
    private let keys: VerificationKeys
    private let algorithms: [SignatureAlgorithm]
    private let limits: Limits

    /// A verifier with one key.
    ///
    /// - Parameters:
    ///   - key: The signer's key; where it has a `kid`, a token that names another is refused.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm, `keyUnusable` if the key fits none of them.
    public init(
        key: JWK, algorithms: [SignatureAlgorithm], limits: Limits = .standard
    ) throws(JOSEError) {
        guard !algorithms.isEmpty else { throw .misuse("name the algorithms to accept") }
        keys = try VerificationKeys(key, algorithms)
        self.algorithms = algorithms
        self.limits = limits
    }

    /// A verifier with the set that the signer published.
    ///
    /// - Parameters:
    ///   - keys: The signer's keys; the token's `kid` picks one, or refuses.
    ///   - algorithms: The only algorithms that are accepted.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm.
    public init(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], limits: Limits = .standard
    ) throws(JOSEError) {
        guard !algorithms.isEmpty else { throw .misuse("name the algorithms to accept") }
        self.keys = VerificationKeys(keys)
        self.algorithms = algorithms
        self.limits = limits
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
        let parts = try check(text)
        return VerifiedJWS(
            payload: try JWSVerifier.payload(parts, text),
            keys: keys, keyIndex: parts.keyIndex,
            source: HeaderSource(token, count: parts.header.upperBound))
    }

    /// Verifies the bytes of a compact JWS; see `verify(_:)` over a string.
    public func verify(_ token: [UInt8]) throws(JOSEError) -> VerifiedJWS {
        let text = token.span
        let parts = try check(text)
        return VerifiedJWS(
            payload: try JWSVerifier.payload(parts, text),
            keys: keys, keyIndex: parts.keyIndex,
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
        let parts = try check(token)
        let encoded = token.extracting(parts.payload)
        guard let count = Base64URL.decodedCount(encoded.count) else { throw .payloadNotBase64URL }
        guard count <= payload.freeCapacity else {
            throw .misuse("the payload buffer is too small")
        }
        guard Base64URL.decode(encoded, into: &payload) else { throw .payloadNotBase64URL }
    }
}

extension JWSVerifier {
    /// A token whose signature was accepted: where its parts are.
    struct Checked {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int
    }

    /// Everything up to and including the signature; the payload is not looked at.
    func check(
        _ token: Span<UInt8>, type: TypeRule = .any, trace: Trace? = nil
    ) throws(JOSEError) -> Checked {
        let parts = try CompactJWS(token, limits)
        let (algorithm, operation, index) = try HeaderText.read(
            token.extracting(parts.header), limits
        ) {
            (fields, text, _) throws(JOSEError) in
            trace?.passed(.header, "JWS header \(Trace.printable(text))")
            let algorithm = try admit(fields, text)
            trace?.passed(.algorithm, "\(algorithm) is allowed")
            trace?.keys(keys.fits(algorithm))
            guard MediaType.satisfies(type, fields.type, in: text) else {
                throw .claimRejected("typ", "the token is of another type")
            }
            let (operation, index) = try keys.operation(algorithm, keyID: fields.keyID, in: text)
            return (algorithm, operation, index)
        }
        let signature = token.extracting(parts.signature)
        guard let size = Base64URL.decodedCount(signature.count) else {
            throw .malformed(.signature, "the signature is not base64url")
        }
        guard size == operation.signatureBytes else {
            guard Base64URL.isValid(signature) else {
                throw .malformed(.signature, "the signature is not base64url")
            }
            throw .signatureInvalid
        }
        try withScratch(of: UInt8.self, capacity: size) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(signature, into: &bytes) else {
                throw .malformed(.signature, "the signature is not base64url")
            }
            do throws(CryptoFault) {
                try operation.verify(
                    token.extracting(parts.signingInput), signature: bytes.span)
            } catch {
                throw JOSEError(error, rejected: .signatureInvalid)
            }
        }
        trace?.passed(.signature, "the signature verifies")
        return Checked(
            algorithm: algorithm, header: parts.header, payload: parts.payload, keyIndex: index)
    }

    /// The `kid` of the key that verified.
    func keyID(_ checked: Checked) -> String? { keys.keyID(checked.keyIndex) }

    private func admit(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        for algorithm in algorithms where JSON.equals(name, algorithm.name, in: text) {
            return algorithm
        }
        throw .algorithmNotAllowed
    }

    static func payload(_ parts: Checked, _ token: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        guard let payload = Base64URL.decode(token.extracting(parts.payload)) else {
            throw .payloadNotBase64URL
        }
        return payload
    }
}

extension JOSEError {
    static let payloadNotBase64URL = JOSEError.malformed(.payload, "the payload is not base64url")
}
