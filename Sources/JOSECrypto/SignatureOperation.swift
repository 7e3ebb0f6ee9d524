// Signing and verifying with a prepared key.

internal import CJOSEBytes
internal import CJOSECrypto
import JOSEBytes

/// A signature algorithm, apart from its hash.
package enum SignatureFamily: UInt8, Sendable {
    /// RSASSA-PKCS1-v1_5 (RFC 7518, 3.3).
    case rsaPKCS1
    /// RSASSA-PSS with a salt of the digest's size (RFC 7518, 3.5).
    case rsaPSS
    /// ECDSA on the curve that belongs to the hash (RFC 7518, 3.4).
    case ecdsa
    /// EdDSA on the key's curve; the hash is ignored (RFC 8037, 3.1).
    case edDSA
    /// HMAC with a key of at least the digest's size (RFC 7518, 3.2).
    case hmac
    /// ML-DSA with the key's parameter set and no context; the hash is ignored (RFC 9964, 5).
    case mlDSA

    var native: jose_signature_family {
        switch self {
        case .rsaPKCS1: .JOSE_RSA_PKCS1
        case .rsaPSS: .JOSE_RSA_PSS
        case .ecdsa: .JOSE_ECDSA
        case .edDSA: .JOSE_EDDSA
        case .hmac: .JOSE_HMAC
        case .mlDSA: .JOSE_ML_DSA
        }
    }
}

package struct OperationOptions: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Verifies each ECDSA, EdDSA and ML-DSA signature with a separate copy of the public key
    /// before it is returned. RSA signatures are always verified.
    package static let checksEverySignature = OperationOptions(rawValue: 1)
    /// Uses only EVP. A little slower.
    package static let openSSLOnly = OperationOptions(rawValue: 2)
    package static let noKernels = OperationOptions(rawValue: 4)
    /// Uses vector kernels also for encryption to a public key, whose operand is secret.
    package static let acceleratesEncryption = OperationOptions(rawValue: 8)
    /// Uses vector kernels of integer instructions also for RSA private operations.
    package static let acceleratesPrivateKeys = OperationOptions(rawValue: 16)
    /// With `acceleratesPrivateKeys`: uses kernels of floating-point instructions too.
    package static let allowsFloatingPoint = OperationOptions(rawValue: 32)

    /// Uses the FIPS provider. Not passed to C, which sees the provider of the key.
    package static let fips = OperationOptions(rawValue: 1 << 31)

    package var module: CryptoModule { contains(.fips) ? .fips : .process }

    var native: jose_options { jose_options(rawValue: subtracting(.fips).rawValue) }
}

/// Signs or verifies with one key, family and hash. Any number of threads may use it at once.
package final class SignatureOperation: Sendable {
    let handle: Handle

    package let signatureBytes: Int

    /// Whether a `PrivateBatch` can make the operation faster: it signs with an RSA private key
    /// that opted in to kernels. This never changes, unlike `usesLanesNow`.
    package let gainsFromBatch: Bool

    /// Throws `unusableKey` if the key does not allow the operation.
    package init(
        key: NativeKey, family: SignatureFamily, hash: HashAlgorithm, signing: Bool,
        options: OperationOptions = []
    ) throws(CryptoError) {
        var operation: OpaquePointer?
        try check(
            unsafe jose_signature_make(
                &operation, key.handle.pointer, family.native, hash.native, signing,
                options.native))
        guard let operation = unsafe operation else { throw .failure }
        signatureBytes = unsafe jose_signature_bytes(operation)
        gainsFromBatch =
            signing && [.rsaPKCS1, .rsaPSS].contains(family)
            && options.contains(.acceleratesPrivateKeys)
        handle = unsafe Handle(operation, release: jose_signature_free)
    }

    /// As `KeyManagementOperation.usesLanesNow`.
    package var usesLanesNow: Bool { unsafe jose_signature_uses_lanes(handle.pointer) }

    /// `signature` must have exactly `signatureBytes`. Throws `unusableKey` if the signature of an
    /// imported RSA key does not verify, and `failure` for all other reasons.
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe signature.withPointer { out, outCount in
                unsafe message.withPointer { input, inputCount in
                    unsafe jose_signature_sign(handle.pointer, out, outCount, input, inputCount)
                }
            })
    }

    /// Returns a negative number if the signature was not added.
    func add(
        to batch: OpaquePointer, _ message: UnsafePointer<UInt8>?, _ messageCount: Int,
        _ signature: UnsafePointer<UInt8>?, _ signatureCount: Int
    ) -> Int {
        unsafe jose_batch_add(
            batch, handle.pointer, message, messageCount, signature, signatureCount)
    }

    /// Throws `rejected` for a wrong signature.
    package func verify(
        _ message: Span<UInt8>, signature: Span<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe message.withPointer { input, inputCount in
                unsafe signature.withPointer { bytes, count in
                    unsafe jose_signature_verify(
                        handle.pointer, input, inputCount, bytes, count)
                }
            })
    }

    /// Verifies a signature. The message ends with a base64url payload, from index `start` on,
    /// which may be decoded while the message is hashed. If there is capacity, `payload` receives
    /// the decoded bytes; they are wiped if the signature is wrong. Check the result: a valid
    /// signature may cover a malformed payload.
    package func verify(
        _ message: Span<UInt8>, signature: Span<UInt8>, payloadFrom start: Int,
        into payload: inout OutputSpan<UInt8>
    ) throws(CryptoError) -> PayloadResult {
        guard 0..<message.count ~= start,
            let count = Base64URL.decodedCount(message.count - start),
            count <= payload.freeCapacity
        else {
            try verify(message, signature: signature)
            return .notDecoded
        }
        var result = PayloadResult.notDecoded
        try check(
            unsafe payload.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `count` bytes, for which there is capacity.
                guard let base = buffer.baseAddress else { return .JOSE_INTERNAL }
                var request = unsafe jose_payload(
                    from: start, bytes: base + initialized, len: count, decoder: .best,
                    result: .JOSE_PAYLOAD_NOT_DECODED)
                let status = unsafe message.withPointer { input, inputCount in
                    unsafe signature.withPointer { bytes, count in
                        unsafe jose_signature_verify_decoding(
                            handle.pointer, input, inputCount, &request, bytes, count)
                    }
                }
                result = unsafe PayloadResult(request.result)
                if result == .decoded { initialized += count }
                return status
            })
        return result
    }
}

/// What became of a payload while the message was hashed.
package enum PayloadResult {
    /// The caller must decode it.
    case notDecoded
    case decoded
    case malformed

    fileprivate init(_ result: jose_payload_result) {
        switch result {
        case .JOSE_PAYLOAD_NOT_DECODED: self = .notDecoded
        case .JOSE_PAYLOAD_DECODED: self = .decoded
        case .JOSE_PAYLOAD_MALFORMED: self = .malformed
        }
    }
}

extension jose_decoder {
    static var best: jose_decoder {
        unsafe jose_decoder(
            decode: { unsafe josebytes_base64url_decode($0, $1, $2, .best) },
            chunk: josebytes_base64url_chunk())
    }
}
