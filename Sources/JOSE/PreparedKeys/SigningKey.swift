// Signing with a private key, local or external.

import JOSEBytes
import JOSECrypto

/// A private key that is ready to sign by one algorithm.
package struct SigningKey: Sendable {
    /// Signs; for an external key it verifies the returned signature.
    private let operation: SignatureOperation
    private let external: External?

    fileprivate struct External: Sendable {
        let key: ExternalKeyBinding
        let algorithm: SignatureAlgorithm
    }

    fileprivate init(_ operation: SignatureOperation) {
        self.operation = operation
        external = nil
    }

    fileprivate init(
        verifying operation: SignatureOperation, _ key: ExternalKeyBinding,
        _ algorithm: SignatureAlgorithm
    ) {
        self.operation = operation
        external = External(key: key, algorithm: algorithm)
    }

    /// The exact size of a signature in bytes.
    package var signatureBytes: Int { operation.signatureBytes }

    /// Writes the signature of a message; `signature` has exactly `signatureBytes`.
    ///
    /// - Throws: `internal`; `keyUnusable` if the signature of an RSA key does not verify; `misuse`
    ///   for an external key, which needs `signature(of:before:)`.
    @inline(__always)
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard external == nil else { throw .needsAsyncCall }
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

    /// Returns the signature of a message by a local key; see `sign(_:into:)`.
    package func signature(of message: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        try sign(message, into: &span)
        return signature
    }

    /// Returns the signature of a message, by an external key or, without a suspension, by a local
    /// one.
    ///
    /// - Parameters:
    ///   - message: The whole message.
    ///   - end: The caller's deadline; the options of an external key may set an earlier one.
    /// - Throws: As `sign(_:into:)` without `misuse`, and as `SignatureRequest`.
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

    /// Returns the request to the external key for this message; nil for a local key.
    ///
    /// - Throws: `limitExceeded` for a message that is longer than the external key signs;
    ///   `internal`.
    package func request(_ message: Span<UInt8>) throws(JOSEError) -> SignatureRequest? {
        guard let external else { return nil }
        return SignatureRequest(
            key: external.key, algorithm: external.algorithm, input: try external.input(message),
            pinned: operation)
    }
}

/// A request for one signature, with the external key that it is for.
package struct SignatureRequest: Sendable {
    fileprivate let key: ExternalKeyBinding
    fileprivate let algorithm: SignatureAlgorithm
    fileprivate let input: ExternalSigningRequest.Input
    /// Verifies with the pinned public key.
    fileprivate let pinned: SignatureOperation

    /// Sends the request to the external key.
    ///
    /// - Parameter end: The caller's deadline; the key's options may set an earlier one.
    /// - Throws: `unavailable` for an outage, a timeout or a cancelled task.
    /// - Returns: The response, which can only finish this request.
    nonisolated(nonsending) package func perform(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> SignatureResponse {
        SignatureResponse(
            request: self, given: try await key.response(.sign(algorithm, input), before: end))
    }
}

/// The unverified response to one request, with that request.
package struct SignatureResponse: Sendable {
    fileprivate let request: SignatureRequest
    fileprivate let given: ExternalResult

    /// Parses the response strictly and verifies the signature of the message with the pinned
    /// public key.
    ///
    /// - Parameters:
    ///   - message: The message of the request.
    ///   - signature: Receives the signature; its size is the key's `signatureBytes`. Zeros if the
    ///     verification fails.
    /// - Throws: `internal` if the response is no signature of this message by the request's key.
    package func finish(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard case .signature(let given) = given else { throw .invalidExternalKeySignature }
        guard request.read(given, into: &signature) else {
            request.key.report(.invalid, of: .sign)
            throw .invalidExternalKeySignature
        }
        do throws(CryptoError) {
            try request.pinned.verify(message, signature: signature.span)
        } catch {
            wipe(&signature)
            if error == .rejected { request.key.report(.invalid, of: .sign) }
            throw JOSEError(error, rejected: .invalidExternalKeySignature)
        }
    }
}

extension SigningKey.External {
    fileprivate func input(
        _ message: Span<UInt8>
    ) throws(JOSEError) -> ExternalSigningRequest.Input {
        guard algorithm.family.takesDigest else {
            guard message.count <= key.capabilities.maxMessageBytes else {
                throw .limitExceeded(
                    .output, "the message has {} bytes; the key's external key signs at most {}",
                    .number(message.count), .number(key.capabilities.maxMessageBytes))
            }
            return .message([UInt8](copying: message))
        }
        do throws(CryptoError) {
            return .digest(try Hash.digest(algorithm.hash, message))
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }
}

extension SignatureRequest {
    /// Copies a signature of the right format into `signature`; false for a wrong format.
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
    /// Whether an external key gets the digest of a message, not the message.
    fileprivate var takesDigest: Bool {
        switch self {
        case .rsaPKCS1, .rsaPSS, .ecdsa: true
        case .edDSA, .mlDSA, .hmac: false
        }
    }
}

extension PreparedKey {
    /// Returns the signer with the private key.
    package func signing(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        guard let externalKey else { return SigningKey(try signature(algorithm, signing: true)) }
        guard externalKey.capabilities.signatures.contains(algorithm) else {
            throw KeyMatch.notOffered.error(
                .signing(algorithm), KeyNames(material.kind, .none))
        }
        return SigningKey(
            verifying: try signature(algorithm, signing: false), externalKey, algorithm)
    }
}
