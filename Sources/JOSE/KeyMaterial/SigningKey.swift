// What signs with a private key: a prepared operation, or the key's custodian.

import JOSEBytes
import JOSECrypto

/// A private key made ready to sign in one way, wherever it is.
package struct SigningKey: Sendable {
    /// Signs; for a key that is elsewhere it verifies what the custodian signed.
    private let operation: SignatureOperation
    private let held: Held?

    fileprivate struct Held: Sendable {
        let key: HeldKey
        let algorithm: SignatureAlgorithm
    }

    fileprivate init(_ operation: SignatureOperation) {
        self.operation = operation
        held = nil
    }

    fileprivate init(
        verifying operation: SignatureOperation, _ key: HeldKey, _ algorithm: SignatureAlgorithm
    ) {
        self.operation = operation
        held = Held(key: key, algorithm: algorithm)
    }

    /// Exact size of a signature in bytes.
    package var signatureBytes: Int { operation.signatureBytes }

    /// Writes the signature of a message; `signature` has exactly `signatureBytes`.
    ///
    /// - Throws: `internal`; `keyUnusable` where the signature of an RSA key does not verify; for a
    ///   key that is elsewhere `misuse` outside of `HeldAnswers.asking`.
    @inline(__always)
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard let held else {
            do throws(CryptoFault) {
                return try operation.sign(message, into: &signature)
            } catch {
                throw error == .unusableKey
                    ? .keyUnusable(
                        "the RSA key's signatures do not verify: p, q or another private member is wrong"
                    )
                    : JOSEError(error, rejected: .internalFailure)
            }
        }
        try sign(message, into: &signature, by: held)
    }

    /// Has the custodian sign, and verifies with the public key that was pinned.
    private func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>, by held: Held
    ) throws(JOSEError) {
        guard let answers = HeldAnswers.current else { throw .heldElsewhere }
        let answer = try answers.answer(at: answers.place(), from: held.key) {
            () throws(JOSEError) in try held.question(message)
        }
        guard case .signature(let given) = answer else { throw .wrongCustodianSignature }
        guard held.read(given, into: &signature) else {
            held.key.tell(.wrong, of: .sign)
            throw .wrongCustodianSignature
        }
        do throws(CryptoFault) {
            try operation.verify(message, signature: signature.span)
        } catch {
            wipe(&signature)
            if error == .rejected { held.key.tell(.wrong, of: .sign) }
            throw JOSEError(error, rejected: .wrongCustodianSignature)
        }
    }
}

extension SigningKey.Held {
    fileprivate func question(_ message: Span<UInt8>) throws(JOSEError) -> HeldQuestion {
        guard algorithm.family.takesDigest else {
            guard message.count <= key.abilities.mostMessageBytes else {
                throw .limitExceeded(
                    .output, "the message has {} bytes; the key's custodian signs at most {}",
                    .number(message.count), .number(key.abilities.mostMessageBytes))
            }
            return .sign(
                algorithm,
                .message([UInt8](byteCapacity: message.count) { $0.append(copying: message) }))
        }
        do throws(CryptoFault) {
            return .sign(algorithm, .digest(try Hash.digest(algorithm.hash, message)))
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// Whether the answer has the form of a signature.
    fileprivate func read(
        _ given: CustodianSignature, into signature: inout MutableSpan<UInt8>
    ) -> Bool {
        switch given {
        case .der(let der):
            return algorithm.family == .ecdsa && ECDSAValue.read(der.span, into: &signature)
        case .plain(let bytes):
            guard bytes.count == signature.count else { return false }
            for index in bytes.indices { signature[index] = bytes[index] }
            return true
        }
    }
}

extension SignatureFamily {
    /// Whether a custodian gets the digest of a message, and not the message itself.
    fileprivate var takesDigest: Bool {
        switch self {
        case .rsaPKCS1, .rsaPSS, .ecdsa: true
        case .edDSA, .mlDSA, .hmac: false
        }
    }
}

extension PreparedKey {
    /// What signs with the private key.
    package func signing(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        guard let held else { return SigningKey(try signature(algorithm, signing: true)) }
        guard held.abilities.signatures.contains(algorithm) else {
            throw KeyFit.notOffered.error(
                .signing(algorithm), KeyNames(material.kind, .none))
        }
        return SigningKey(verifying: try signature(algorithm, signing: false), held, algorithm)
    }
}
