// Results of external keys: signatures, content keys, blocks and shared secrets, none of which can
// be guessed.

import Foundation
import JOSE
import JOSEBytes
import Synchronization

extension FuzzTarget {
    /// The first byte defines the lengths of r and s; the rest is the result.
    static let signatureValue = FuzzTarget("signature-value") { bytes in
        guard let first = bytes.first else { return }
        let half = [32, 48, 66][Int(first) % 3]
        let der = Array(bytes.dropFirst())
        var signature = [UInt8](repeating: 0xa5, count: 2 * half)
        let isRead = try bounded(bytes) {
            var span = signature.mutableSpan
            return ECDSAValue.read(der.span, into: &span)
        }
        guard isRead == true else {
            let isUntouched = signature.allSatisfy { $0 == 0xa5 }
            return try hold(isUntouched, "something was written of a rejected value")
        }
        // Two numbers have exactly one encoding.
        let numbers = [signature.prefix(half), signature.suffix(half)].flatMap { number in
            var number = Array(number.drop { $0 == 0 })
            if number.isEmpty || number[0] >= 0x80 { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        let long: [UInt8] = numbers.count < 0x80 ? [] : [0x81]
        try hold(
            [0x30] + long + [UInt8(numbers.count)] + numbers == der,
            "another text of the same numbers was read")
    }

    /// The first byte defines the operation and the kind of result; the rest is the result.
    static let externalKeyResponse = FuzzTarget("external-key-response") { bytes in
        guard let first = bytes.first else { return }
        let question = ExternalRequests.all[Int(first) / 4 % ExternalRequests.all.count]
        let code = question.rejection(of: FuzzResponse(shape: first % 4, bytes: bytes.dropFirst()))
        let expected = first % 4 == 3 ? JOSEError.Code.unavailable : question.expected
        try hold(
            code == expected,
            "an answer of \(bytes.count) bytes came to \(String(describing: code))")
    }
}

/// Both kinds of result alternately, a rejection, and an outage.
private struct FuzzResponse: Sendable {
    var shape: UInt8 = 2
    var bytes: ArraySlice<UInt8> = []

    func given<Value>(_ first: Value, _ second: Value) throws(ExternalKeyError) -> Value {
        switch shape {
        case 0: return first
        case 1: return second
        case 2: throw .failed
        default: throw .unavailable
        }
    }
}

/// Returns the given result.
private final class FuzzExternalKey: ExternalKey {
    let capabilities = ExternalKeyCapabilities(
        signatures: [.es256, .es512, .rs256], keyManagement: [.rsaOAEP256, .ecdhES, .ecdhESA128KW])
    private let next = Mutex(FuzzResponse())

    func say(_ response: FuzzResponse) { next.withLock { $0 = response } }

    private var response: FuzzResponse { next.withLock { $0 } }

    private static func secret(_ bytes: ArraySlice<UInt8>) -> ExternalKeySecret {
        ExternalKeySecret(count: bytes.count) { out in for byte in bytes { out.append(byte) } }
    }

    func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError) -> ExternalSignature
    {
        let response = response
        return try response.given(.plain(Array(response.bytes)), .der(Array(response.bytes)))
    }

    func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        let response = response
        let secret = FuzzExternalKey.secret(response.bytes)
        return try response.given(.contentKey(secret), .block(secret))
    }

    func agree(_ request: ExternalAgreementRequest) async throws(ExternalKeyError)
        -> ExternalKeySecret
    {
        let response = response
        let secret = FuzzExternalKey.secret(response.bytes)
        return try response.given(secret, secret)
    }
}

/// A machine may be slow, and a late result is an outage.
private let ample = ExternalKeyOptions(timeout: .seconds(3_600))

/// An operation with a key whose external key returns unpredictable bytes: it must always fail in
/// the same way.
private struct ExternalRequests: Sendable {
    let expected: JOSEError.Code
    private let externalKey: FuzzExternalKey
    private let ask: @Sendable () async throws -> Void

    static let all: [ExternalRequests] = {
        let made: [ExternalRequests?] = [
            try? signing(JWK.generate(.curve(.p256)), .es256),
            try? signing(JWK.generate(.curve(.p521)), .es512),
            try? signing(JWK.generate(.rsa), .rs256),
            try? opening(JWK.generate(.rsa), .rsaOAEP256, .a128CBCHS256),
            try? opening(JWK.generate(.curve(.p256)), .ecdhES, .a128GCM),
            try? opening(JWK.generate(.curve(.x25519)), .ecdhESA128KW, .a256CBCHS512),
        ]
        return made.compactMap { $0 }
    }()

    private static func signing(_ key: JWK, _ algorithm: SignatureAlgorithm) throws
        -> ExternalRequests
    {
        let externalKey = FuzzExternalKey()
        let signer = try JWSSigner(
            key: key.publicKey.withExternalKey(externalKey, options: ample), algorithm: algorithm)
        return ExternalRequests(expected: .internal, externalKey: externalKey) {
            _ = try await signer.sign(Array("a payload".utf8), timeout: ample.timeout)
        }
    }

    private static func opening(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws -> ExternalRequests {
        let externalKey = FuzzExternalKey()
        let token = try JWEEncrypter(key: key.publicKey, algorithm: algorithm, content: content)
            .encrypt("a text")
        let decrypter = try JWEDecrypter(
            key: key.publicKey.withExternalKey(externalKey, options: ample),
            algorithms: [algorithm],
            content: [content])
        return ExternalRequests(expected: .decryptionFailed, externalKey: externalKey) {
            _ = try await decrypter.decrypt(token, timeout: ample.timeout)
        }
    }

    /// The outcome for a result; nil if the operation succeeded, which must never happen.
    func rejection(of response: FuzzResponse) -> JOSEError.Code? {
        externalKey.say(response)
        let (end, code) = (DispatchSemaphore(value: 0), Code())
        Task.detached { [ask] in
            do {
                try await ask()
            } catch {
                code.set((error as? JOSEError)?.code)
            }
            end.signal()
        }
        end.wait()
        return code.value
    }

    private final class Code: Sendable {
        private let state = Mutex<JOSEError.Code?>(nil)
        var value: JOSEError.Code? { state.withLock { $0 } }
        func set(_ code: JOSEError.Code?) { state.withLock { $0 = code } }
    }
}
