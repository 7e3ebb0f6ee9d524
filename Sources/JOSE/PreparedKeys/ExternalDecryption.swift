// The request to an external key that one decryption needs, and its response.

import JOSEBytes
package import JOSECrypto

/// One private operation for the external key `key`.
package struct DecryptionRequest: Sendable {
    fileprivate enum Request: Sendable {
        case unwrap(KeyManagementAlgorithm, encryptedKey: [UInt8])
        case agree(JWKCurve, publicKey: [UInt8])
    }

    fileprivate let key: ExternalKeyBinding
    /// Nil if public facts show that the message cannot be decrypted: no request is sent then.
    fileprivate let request: Request?
    fileprivate let operation: KeyManagementOperation
    /// The expected sizes in bytes of the three kinds of results.
    fileprivate let contentKeyBytes: Int
    fileprivate let blockBytes: Int
    fileprivate let sharedBytes: Int

    /// Sends the request. `end` is the caller's deadline; the key's options may set an earlier one.
    /// If nothing is sent, or the key throws `failed`, decryption uses a random key. Throws
    /// `unavailable` for an outage, a full queue, a timeout or a cancelled task.
    nonisolated(nonsending) package func perform(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> DecryptionResponse {
        DecryptionResponse(operation, try await response(before: end))
    }

    nonisolated(nonsending) private func response(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> KeyManagementOperation.ExternalResult {
        switch request {
        case nil: return .nothing
        case .unwrap(let algorithm, let encryptedKey)?:
            switch try await key.unwrap(algorithm, encryptedKey, before: end) {
            case nil: return .nothing
            case .contentKey(let secret)?:
                check(secret, contentKeyBytes, .unwrap)
                return .contentKey(secret.bytes)
            case .block(let secret)?:
                check(secret, blockBytes, .unwrap)
                return .block(secret.bytes)
            }
        case .agree(let curve, let publicKey)?:
            guard let secret = try await key.agree(curve, publicKey, before: end) else {
                return .nothing
            }
            check(secret, sharedBytes, .agree)
            return .shared(secret.bytes)
        }
    }

    /// Reports a secret of a wrong size. It is still passed to C, which uses a random key instead.
    private func check(
        _ secret: ExternalKeySecret, _ byteCount: Int, _ operation: ExternalKeyEvent.Operation
    ) {
        if secret.bytes.count != byteCount { key.report(.invalid, of: operation) }
    }
}

/// The result of an external key, and the operation that decrypts with it.
package struct DecryptionResponse: Sendable {
    private let operation: KeyManagementOperation
    private let response: KeyManagementOperation.ExternalResult

    fileprivate init(
        _ operation: KeyManagementOperation, _ response: KeyManagementOperation.ExternalResult
    ) {
        self.operation = operation
        self.response = response
    }

    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(CryptoError) -> Int {
        try operation.open(
            inPlace: &ciphertext, content: content, parts, in: values, aad: aad, parameters,
            in: parameterValues, by: response)
    }
}

extension ExternalKeyBinding {
    /// Returns the request for one decryption. `parameters` has the coordinates of the ephemeral
    /// key, then `apu` and `apv`. If `isNeeded` (`KeyManagementOperation.mayOpen`) is false,
    /// nothing is sent.
    package func decryptionRequest(
        _ key: PreparedKey, _ algorithm: KeyManagementAlgorithm,
        _ operation: KeyManagementOperation, _ content: ContentAlgorithm,
        encryptedKey: Span<UInt8>, parameters: Span<UInt8>, isNeeded: Bool
    ) throws(JOSEError) -> DecryptionRequest {
        let request =
            isNeeded
            ? try key.request(
                algorithm, encryptedKey, parameters.extracting(first: operation.parameterBytes))
            : nil
        return DecryptionRequest(
            key: self, request: request, operation: operation,
            contentKeyBytes: content.keyBytes, blockBytes: encryptedKey.count,
            sharedBytes: (key.material as? CurveKeyMaterial)?.curve.native.sizeBytes ?? 0)
    }
}

extension PreparedKey {
    /// Nil if the ephemeral key is not on the curve: then no request is sent.
    fileprivate func request(
        _ algorithm: KeyManagementAlgorithm, _ encryptedKey: Span<UInt8>,
        _ ephemeralKey: Span<UInt8>
    ) throws(JOSEError) -> DecryptionRequest.Request? {
        guard let key = material as? CurveKeyMaterial else {
            return .unwrap(algorithm, encryptedKey: [UInt8](copying: encryptedKey))
        }
        guard try key.curve.hasPoint(ephemeralKey) else { return nil }
        return .agree(key.curve, publicKey: [UInt8](copying: ephemeralKey))
    }
}

extension JWKCurve {
    /// Whether an EC curve has a point with these coordinates. True for X25519 and X448, where
    /// every byte string has a result (RFC 7748, 5).
    fileprivate func hasPoint(_ coordinates: Span<UInt8>) throws(JOSEError) -> Bool {
        guard native.isEC else { return true }
        let size = native.sizeBytes
        guard coordinates.count == 2 * size else { return false }
        do {
            _ = try NativeKey.ecPublic(
                native, x: coordinates.extracting(0..<size),
                y: coordinates.extracting(size..<(2 * size)))
            return true
        } catch {
            guard error == .unusableKey else {
                throw JOSEError(error, ifRejected: .decryptionFailed)
            }
            return false
        }
    }
}
