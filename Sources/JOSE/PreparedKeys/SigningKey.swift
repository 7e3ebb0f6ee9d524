// What signs with a private key: a prepared operation, or an external key that is asked.

import JOSEBytes
import JOSECrypto

/// A private key made ready to sign in one way, wherever it is.
package struct SigningKey: Sendable {
    /// Signs; for an external key it verifies what that signed.
    private let operation: SignatureOperation
    private let held: Held?

    fileprivate struct Held: Sendable {
        let key: ExternalKeyBinding
        let algorithm: SignatureAlgorithm
    }

    fileprivate init(_ operation: SignatureOperation) {
        self.operation = operation
        held = nil
    }

    fileprivate init(
        verifying operation: SignatureOperation, _ key: ExternalKeyBinding, _ algorithm: SignatureAlgorithm
    ) {
        self.operation = operation
        held = Held(key: key, algorithm: algorithm)
    }

    /// Exact size of a signature in bytes.
    package var signatureBytes: Int { operation.signatureBytes }

    /// Writes the signature of a message; `signature` has exactly `signatureBytes`.
    ///
    /// - Throws: `internal`; `keyUnusable` where the signature of an RSA key does not verify;
    ///   `misuse` for an external key: `signature(of:before:)` is for both.
    @inline(__always)
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard held == nil else { throw .isExternal }
        do throws(CryptoError) {
            return try operation.sign(message, into: &signature)
        } catch {
            throw error == .unusableKey
                ? .keyUnusable(
                    "the RSA key's signatures do not verify: p, q or another private member is wrong"
                )
                : JOSEError(error, rejected: .internalFailure)
        }
    }

    /// Writes the signature of a message by a key that is here; see `sign(_:into:)`.
    package func signature(of message: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        try sign(message, into: &span)
        return signature
    }

    /// The signature of a message by a key that is here, without a suspension, or by an external
    /// key.
    ///
    /// - Parameters:
    ///   - message: The message, whole.
    ///   - end: The latest end of the caller's wait; an external key may have less by its rule.
    /// - Throws: As `sign(_:into:)`, without its `misuse`, and as `SignatureRequest`.
    nonisolated(nonsending) package func signature(
        of message: [UInt8], before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        guard let request = try request(message.span) else {
            return try signature(of: message.span)
        }
        let response = try await request.perform(before: end)
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        try response.finish(message.span, into: &span)
        return signature
    }

    /// What an external key has to be asked for this message; nil for a key that is here.
    ///
    /// - Throws: `limitExceeded` for a message that is longer than the external key signs;
    ///   `internal`.
    package func request(_ message: Span<UInt8>) throws(JOSEError) -> SignatureRequest? {
        guard let held else { return nil }
        return SignatureRequest(
            key: held.key, algorithm: held.algorithm, input: try held.input(message),
            pinned: operation)
    }
}

/// One signature that an external key is asked for: the question, together with the key that it
/// goes to.
package struct SignatureRequest: Sendable {
    fileprivate let key: ExternalKeyBinding
    fileprivate let algorithm: SignatureAlgorithm
    fileprivate let input: ExternalSigningRequest.Input
    /// Verifies with the public key that was pinned.
    fileprivate let pinned: SignatureOperation

    /// Asks the external key.
    ///
    /// - Parameter end: The latest end of the caller's wait; the key's rule may say less.
    /// - Throws: `unavailable` where it cannot be asked, has no answer in time, or the task was
    ///   cancelled.
    /// - Returns: The answer, which belongs to this request alone.
    nonisolated(nonsending) package func perform(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> SignatureResponse {
        SignatureResponse(
            request: self, given: try await key.response(.sign(algorithm, input), before: end))
    }
}

/// The unchecked answer to one request, together with that request: it can finish no other.
package struct SignatureResponse: Sendable {
    fileprivate let request: SignatureRequest
    fileprivate let given: ExternalResult

    /// Reads the answer strictly and verifies it with the pinned public key over the message.
    ///
    /// - Parameters:
    ///   - message: The message that the request was made of.
    ///   - signature: Takes the signature; its size is the key's `signatureBytes`. Zeros after a
    ///     throw that the verification caused.
    /// - Throws: `internal` where the answer is no signature of this message by the request's key.
    package func finish(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard case .signature(let given) = given else { throw .invalidExternalKeySignature }
        guard request.read(given, into: &signature) else {
            request.key.tell(.wrong, of: .sign)
            throw .invalidExternalKeySignature
        }
        do throws(CryptoError) {
            try request.pinned.verify(message, signature: signature.span)
        } catch {
            wipe(&signature)
            if error == .rejected { request.key.tell(.wrong, of: .sign) }
            throw JOSEError(error, rejected: .invalidExternalKeySignature)
        }
    }
}

extension SigningKey.Held {
    fileprivate func input(_ message: Span<UInt8>) throws(JOSEError) -> ExternalSigningRequest.Input {
        guard algorithm.family.takesDigest else {
            guard message.count <= key.capabilities.maxMessageBytes else {
                throw .limitExceeded(
                    .output, "the message has {} bytes; the key's external key signs at most {}",
                    .number(message.count), .number(key.capabilities.maxMessageBytes))
            }
            return .message([UInt8](byteCapacity: message.count) { $0.append(copying: message) })
        }
        do throws(CryptoError) {
            return .digest(try Hash.digest(algorithm.hash, message))
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}

extension SignatureRequest {
    /// Whether the answer has the form of a signature.
    fileprivate func read(
        _ given: ExternalSignature, into signature: inout MutableSpan<UInt8>
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
    /// Whether an external key gets the digest of a message, and not the message itself.
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
        guard held.capabilities.signatures.contains(algorithm) else {
            throw KeyMatch.notOffered.error(
                .signing(algorithm), KeyNames(material.kind, .none))
        }
        return SigningKey(verifying: try signature(algorithm, signing: false), held, algorithm)
    }
}
