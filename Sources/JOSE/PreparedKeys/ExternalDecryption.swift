// What an external key is asked to open a message, and what its answer means to C.

import JOSEBytes
package import JOSECrypto

/// One private operation that an external key is asked for: the question, together with the key
/// that it goes to.
package struct DecryptionRequest: Sendable {
    fileprivate let key: ExternalKeyBinding
    /// nil where public facts say that the message cannot be opened: nobody is asked.
    fileprivate let question: ExternalRequest?
    fileprivate let operation: KeyManagementOperation
    /// The right size of each kind of answer, in bytes.
    fileprivate let contentKeyBytes: Int
    fileprivate let blockBytes: Int
    fileprivate let sharedBytes: Int

    /// Asks the external key.
    ///
    /// - Parameter end: The latest end of the caller's wait; the key's rule may say less.
    /// - Throws: `unavailable` where it cannot be asked, has no answer in time, or the task was
    ///   cancelled.
    /// - Returns: The answer, which opens with the key of this request alone. No result is an
    ///   answer too: C goes on with a random key.
    nonisolated(nonsending) package func perform(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> DecryptionResponse {
        guard let question else { return DecryptionResponse(operation, .nothing) }
        let response = try await key.response(question, before: end)
        return DecryptionResponse(operation, meaning(of: response, to: question))
    }

    /// C gets an answer of a wrong size too, and goes on with a random key; the operator is told.
    private func meaning(
        of response: ExternalResult, to question: ExternalRequest
    ) -> KeyManagementOperation.Response {
        let (meaning, size, wanted): (KeyManagementOperation.Response, Int, Int)
        switch response {
        case .nothing: return .nothing
        case .unwrapped(.contentKey(let key)):
            (meaning, size, wanted) = (.contentKey(key.bytes), key.bytes.count, contentKeyBytes)
        case .unwrapped(.block(let block)):
            (meaning, size, wanted) = (.block(block.bytes), block.bytes.count, blockBytes)
        case .agreed(let shared):
            (meaning, size, wanted) = (.shared(shared.bytes), shared.bytes.count, sharedBytes)
        case .signature: (meaning, size, wanted) = (.nothing, 0, 1)
        }
        if size != wanted { key.tell(.wrong, of: question.operation) }
        return meaning
    }
}

/// The answer to one request, together with the operation that it is for.
package struct DecryptionResponse: Sendable {
    private let operation: KeyManagementOperation
    private let response: KeyManagementOperation.Response

    fileprivate init(_ operation: KeyManagementOperation, _ response: KeyManagementOperation.Response) {
        self.operation = operation
        self.response = response
    }

    /// Opens a message in place; see
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
    /// What the key has to be asked about an encrypted key, or the ephemeral key of an agreement.
    ///
    /// It is not asked where public facts say that the message cannot be opened: an encrypted key
    /// of a wrong size or not below the modulus, an ephemeral key off the curve, an IV or a tag of a
    /// wrong size.
    ///
    /// - Parameters:
    ///   - key: The key's public part.
    ///   - operation: What opens with its answers.
    ///   - parts: The sizes of the parts.
    ///   - values: Encrypted key, IV and tag, in this order.
    ///   - parameters: The operation's own parameters first.
    package func decryptionRequest(
        _ key: PreparedKey, _ algorithm: KeyManagementAlgorithm,
        _ operation: KeyManagementOperation, _ content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, parameters: Span<UInt8>
    ) throws(JOSEError) -> DecryptionRequest {
        let encryptedKey = values.extracting(first: parts.encryptedKeyBytes)
        let isWhole =
            encryptedKey.count == operation.encryptedKeyBytes(for: content)
            && parameters.count >= operation.parameterBytes && parts.ivBytes == content.ivBytes
            && values.count - parts.encryptedKeyBytes - parts.ivBytes == content.tagBytes
        let question =
            isWhole
            ? try key.question(
                algorithm, encryptedKey, parameters.extracting(first: operation.parameterBytes))
            : nil
        return DecryptionRequest(
            key: self, question: question, operation: operation,
            contentKeyBytes: content.keyBytes, blockBytes: encryptedKey.count,
            sharedBytes: (key.material as? CurveKeyMaterial)?.curve.native.sizeBytes ?? 0)
    }
}

extension PreparedKey {
    /// nil where the private key need not be asked.
    fileprivate func question(
        _ algorithm: KeyManagementAlgorithm, _ encryptedKey: Span<UInt8>,
        _ ephemeralKey: Span<UInt8>
    ) throws(JOSEError) -> ExternalRequest? {
        if let key = material as? RSAKeyMaterial {
            return key.isBelowModulus(encryptedKey)
                ? .unwrap(algorithm, encryptedKey: copy(encryptedKey)) : nil
        }
        guard let key = material as? CurveKeyMaterial else { return nil }
        guard try key.curve.hasPoint(ephemeralKey) else { return nil }
        return .agree(key.curve, publicKey: copy(ephemeralKey))
    }

    private func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](byteCapacity: bytes.count) { $0.append(copying: bytes) }
    }
}

extension RSAKeyMaterial {
    /// Whether a number of as many bytes as the modulus is below it; both are public.
    fileprivate func isBelowModulus(_ number: Span<UInt8>) -> Bool {
        guard number.count == modulus.count else { return false }
        for index in number.indices where number[index] != modulus[index] {
            return number[index] < modulus[index]
        }
        return false
    }
}

extension JWKCurve {
    /// Whether these are the coordinates of a point of an EC curve; every text is one of an OKP curve (RFC 7748, 5).
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
