// What a custodian is asked to open a message with a key that is elsewhere, and what its answer means to C.

import JOSEBytes
package import JOSECrypto

extension PreparedKey {
    /// The answer of the key's custodian to an encrypted key, or to the ephemeral key of an agreement.
    ///
    /// It is not asked where public facts say that the message cannot be opened: an encrypted key of a wrong size or not
    /// below the modulus, an ephemeral key off the curve. Then, and where it gave no result, C goes on with a random key.
    ///
    /// - Throws: `misuse` where the answer is not there yet.
    package func openingAnswer(
        from held: HeldKey, at place: Int, of answers: HeldAnswers,
        _ algorithm: KeyManagementAlgorithm, _ operation: KeyManagementOperation,
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, parameters: Span<UInt8>
    ) throws(JOSEError) -> KeyManagementOperation.Answer {
        guard encryptedKey.count == operation.encryptedKeyBytes(for: content),
            parameters.count >= operation.parameterBytes,
            let question = try question(
                algorithm, encryptedKey, parameters.extracting(first: operation.parameterBytes))
        else { return .nothing }
        let answer = try answers.answer(at: place, from: held) { question }
        let (meaning, size): (KeyManagementOperation.Answer, Int)
        switch answer {
        case .nothing: return .nothing
        case .unwrapped(.contentKey(let key)):
            (meaning, size) = (.contentKey(key.bytes), key.bytes.count - content.keyBytes)
        case .unwrapped(.block(let block)):
            (meaning, size) = (.block(block.bytes), block.bytes.count - encryptedKey.count)
        case .agreed(let shared):
            let bytes = (material as? CurveKeyMaterial)?.curve.native.sizeBytes ?? 0
            (meaning, size) = (.shared(shared.bytes), shared.bytes.count - bytes)
        case .signature: (meaning, size) = (.nothing, 1)
        }
        if size != 0 { held.tell(.wrong, of: question.operation) }
        return meaning
    }

    /// nil where the private key need not be asked.
    private func question(
        _ algorithm: KeyManagementAlgorithm, _ encryptedKey: Span<UInt8>,
        _ ephemeralKey: Span<UInt8>
    ) throws(JOSEError) -> HeldQuestion? {
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
