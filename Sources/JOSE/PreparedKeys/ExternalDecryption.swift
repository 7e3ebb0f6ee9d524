// Requests to an external key during a decryption, and the meaning of its responses.

import JOSEBytes
package import JOSECrypto

/// A request for one private operation, with the external key that it is for.
package struct DecryptionRequest: Sendable {
    fileprivate enum Request: Sendable {
        case unwrap(KeyManagementAlgorithm, encryptedKey: [UInt8])
        case agree(JWKCurve, publicKey: [UInt8])
    }

    fileprivate let key: ExternalKeyBinding
    /// Nil if public facts show that the message cannot be decrypted: then no request is sent.
    fileprivate let request: Request?
    fileprivate let operation: KeyManagementOperation
    /// The expected size in bytes of each kind of response.
    fileprivate let contentKeyBytes: Int
    fileprivate let blockBytes: Int
    fileprivate let sharedBytes: Int

    /// Sends the request to the external key.
    ///
    /// - Parameter end: The caller's deadline; the key's options may set an earlier one.
    /// - Throws: `unavailable` for an outage, a timeout or a cancelled task.
    /// - Returns: The response, which works with the key of this request only. If the external key
    ///   has no result, that is a response too: the C core then continues with a random key.
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

    /// Reports a secret of a wrong size. The C core gets it all the same, and goes on with a random
    /// key.
    private func check(
        _ secret: ExternalKeySecret, _ byteCount: Int, _ operation: ExternalKeyEvent.Operation
    ) {
        if secret.bytes.count != byteCount { key.report(.invalid, of: operation) }
    }
}

/// The response to one request, with the operation that it is for.
package struct DecryptionResponse: Sendable {
    private let operation: KeyManagementOperation
    private let response: KeyManagementOperation.ExternalResult

    fileprivate init(
        _ operation: KeyManagementOperation, _ response: KeyManagementOperation.ExternalResult
    ) {
        self.operation = operation
        self.response = response
    }

    /// Decrypts a message in place; see
    /// `KeyManagementOperation.open(inPlace:content:_:in:aad:_:in:by:)`.
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
    /// Returns the request for an encrypted key, or for the ephemeral key of an agreement.
    ///
    /// - Parameters:
    ///   - key: The public part of the key.
    ///   - operation: Decrypts with the response.
    ///   - parameters: The header parameters in a row: the ephemeral key's coordinates
    ///     (`operation.parameterBytes`), then `apu` and `apv`.
    ///   - isNeeded: The result of `KeyManagementOperation.mayOpen`. If it is false, or the
    ///     ephemeral key is off the curve, no request is sent.
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
    /// Nil if the ephemeral key is off the curve.
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
    /// Whether these are the coordinates of a point of an EC curve. For X25519 and X448 nothing is
    /// checked here: every byte string has a result (RFC 7748, 5).
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
                throw JOSEError(error, rejected: .decryptionFailed)
            }
            return false
        }
    }
}
