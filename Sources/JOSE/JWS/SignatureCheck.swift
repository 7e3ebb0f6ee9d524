// The steps of a verification, from the token's form to its signature.

import JOSEBytes
import JOSECrypto

/// Keys, algorithms and limits of a verifier, shared by its copies, and the way of a token through them.
final class SignatureCheck: Sendable {
    private let keys: VerificationKeys
    private let algorithms: [SignatureAlgorithm]
    private let limits: Limits

    init(_ keys: VerificationKeys, _ algorithms: [SignatureAlgorithm], _ limits: Limits) {
        self.keys = keys
        self.algorithms = algorithms
        self.limits = limits
    }

    /// A token whose signature was accepted: where its parts are, and which key it was.
    struct Checked {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int

        /// The payload, decoded into one exact array.
        func payloadBytes(_ token: Span<UInt8>) throws(JOSEError) -> [UInt8] {
            guard let payload = Base64URL.decode(token.extracting(payload)) else {
                throw .payloadNotBase64URL
            }
            return payload
        }
    }

    /// Everything up to and including the signature; the payload is not looked at.
    func verify(
        _ token: Span<UInt8>, type: TypeRule = .any, trace: Trace? = nil
    ) throws(JOSEError) -> Checked {
        let parts = try CompactJWS(token, limits)
        let (algorithm, operation, index) = try HeaderText.read(
            token.extracting(parts.header), limits
        ) { (fields, text, _) throws(JOSEError) in
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
        try SignatureCheck.verify(token, parts, operation)
        trace?.passed(.signature, "the signature verifies")
        return Checked(
            algorithm: algorithm, header: parts.header, payload: parts.payload, keyIndex: index)
    }

    /// The `kid` of the key that verified.
    func keyID(_ index: Int) -> String? { keys.keyID(index) }

    private func admit(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        for algorithm in algorithms where JSON.equals(name, algorithm.name, in: text) {
            return algorithm
        }
        throw .algorithmNotAllowed
    }

    /// The signature's length must be exact before it is decoded; what was signed is a prefix of the token.
    private static func verify(
        _ token: Span<UInt8>, _ parts: CompactJWS, _ operation: SignatureOperation
    ) throws(JOSEError) {
        let signature = token.extracting(parts.signature)
        guard let size = Base64URL.decodedCount(signature.count) else {
            throw .signatureNotBase64URL
        }
        guard size == operation.signatureBytes else {
            guard Base64URL.isValid(signature) else { throw .signatureNotBase64URL }
            throw .signatureInvalid
        }
        try withScratch(of: UInt8.self, capacity: size) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(signature, into: &bytes) else { throw .signatureNotBase64URL }
            do throws(CryptoFault) {
                try operation.verify(token.extracting(parts.signingInput), signature: bytes.span)
            } catch {
                throw JOSEError(error, rejected: .signatureInvalid)
            }
        }
    }
}

extension JOSEError {
    static let payloadNotBase64URL = JOSEError.malformed(.payload, "the payload is not base64url")
    fileprivate static let signatureNotBase64URL = JOSEError.malformed(
        .signature, "the signature is not base64url")
}
