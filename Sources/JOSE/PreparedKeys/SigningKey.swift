// Signing with a private key, local or external.

import JOSEBytes
import JOSECrypto

/// A private key that is prepared to sign with one algorithm.
package struct SigningKey: Sendable {
    /// Signs with a local key. For an external key it verifies the returned signature instead.
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

    package var signatureBytes: Int { operation.signatureBytes }

    /// Writes the signature of a message; `signature` has exactly `signatureBytes`.
    ///
    /// - Throws: `keyUnusable` if the signature of an RSA key does not verify; `misuse` for an
    ///   external key, which needs `signature(of:before:)`; else `internal`.
    @inline(__always)
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(JOSEError) {
        guard external == nil else { throw .needsAsyncCall }
        do throws(CryptoError) {
            return try operation.sign(message, into: &signature)
        } catch {
            throw SigningKey.failure(error)
        }
    }

    private static func failure(_ error: CryptoError) -> JOSEError {
        error == .unusableKey
            ? .keyUnusable(
                "the RSA key's signatures do not verify: a private member, such as p, is wrong")
            : JOSEError(error, ifRejected: .internalFailure)
    }

    /// Adds a message to a batch and returns its index; nil if it must be signed alone.
    func add(_ message: Span<UInt8>, to batch: inout PrivateBatch) -> Int? {
        guard external == nil, operation.gainsFromBatch else { return nil }
        return batch.add(signing: operation, message)
    }

    var gainsFromBatch: Bool { external == nil && operation.gainsFromBatch }

    /// Returns the signature at an index of a batch that ran; see `sign(_:into:)`.
    func signature(
        _ index: Int, of batch: borrowing PrivateBatch
    ) throws(JOSEError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        do throws(CryptoError) {
            try batch.signature(index, into: &span)
        } catch {
            throw SigningKey.failure(error)
        }
        return signature
    }

    package func signature(of message: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        try sign(message, into: &span)
        return signature
    }

    /// Signs with an external key, or without suspension with a local one. An external signature is
    /// parsed strictly and verified with the public key. `end` is the caller's deadline; the
    /// options of an external key may set an earlier one.
    ///
    /// - Throws: As `sign(_:into:)` for a local key. For an external key `unavailable` for an
    ///   outage, a full queue, a timeout or a cancelled task, `internal` if there is no valid
    ///   signature, `limitExceeded` for a message longer than the key's `maxMessageBytes`.
    nonisolated(nonsending) package func signature(
        of message: [UInt8], before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        guard let external else { return try signature(of: message.span) }
        let input = try external.input(message)
        let given = try await external.key.sign(external.algorithm, input, before: end)
        guard let given else { throw .invalidExternalKeySignature }
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var span = signature.mutableSpan
        guard external.read(given, into: &span) else {
            external.key.report(.invalid, of: .sign)
            throw .invalidExternalKeySignature
        }
        do throws(CryptoError) {
            try operation.verify(message.span, signature: span.span)
        } catch {
            wipe(&span)
            if error == .rejected { external.key.report(.invalid, of: .sign) }
            throw JOSEError(error, ifRejected: .invalidExternalKeySignature)
        }
        return signature
    }
}

extension SigningKey.External {
    fileprivate func input(
        _ message: [UInt8]
    ) throws(JOSEError) -> ExternalSigningRequest.Input {
        guard algorithm.family.takesDigest else {
            guard message.count <= key.capabilities.maxMessageBytes else {
                throw .limitExceeded(
                    .output, "the message has {} bytes; the external key signs at most {} bytes",
                    .number(message.count), .number(key.capabilities.maxMessageBytes))
            }
            return .message(message)
        }
        do throws(CryptoError) {
            return .digest(try Hash.digest(algorithm.hash, message.span))
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    /// Writes a signature in JOSE format to `signature`; false if `given` has a wrong format.
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
    /// Whether an external key gets the digest of the message, not the message.
    fileprivate var takesDigest: Bool {
        switch self {
        case .rsaPKCS1, .rsaPSS, .ecdsa: true
        case .edDSA, .mlDSA, .hmac: false
        }
    }
}

extension PreparedKey {
    package func signing(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        guard let externalKey else { return SigningKey(try signature(algorithm, signing: true)) }
        guard externalKey.capabilities.signatures.contains(algorithm) else {
            throw KeyMatch.unsupportedByExternalKey.error(
                .signing(algorithm), KeyLabels(material.kind, .none))
        }
        return SigningKey(
            verifying: try signature(algorithm, signing: false), externalKey, algorithm)
    }
}
