// A key made ready to sign or to verify in one way.

internal import CJOSEBytes
internal import CJOSECrypto
import JOSEBytes

/// A kind of signature; the hash is said apart.
package enum SignatureFamily: UInt8, Sendable {
    /// RSASSA-PKCS1-v1_5 (RFC 7518 section 3.3).
    case rsaPKCS1
    /// RSASSA-PSS with a salt as long as the digest (RFC 7518 section 3.5).
    case rsaPSS
    /// ECDSA on the curve that goes with the hash (RFC 7518 section 3.4).
    case ecdsa
    /// EdDSA on the curve that the key says; the hash is not looked at (RFC 8037 section 3.1).
    case edDSA
    /// HMAC with a key at least as long as the digest (RFC 7518 section 3.2).
    case hmac
    /// ML-DSA with the parameter set that the key says and no context; the hash is not looked at (RFC 9964, 5).
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

/// How an operation does its work.
package struct OperationOptions: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Verifies each ECDSA, EdDSA and ML-DSA signature against a public copy held apart before it leaves; RSA always does.
    package static let checksEverySignature = OperationOptions(rawValue: 1)
    /// Stays on OpenSSL's EVP interface alone (FIPS), a little slower.
    package static let openSSLOnly = OperationOptions(rawValue: 2)
    /// No vector kernels; OpenSSL's functions alone.
    package static let noKernels = OperationOptions(rawValue: 4)
    /// Vector kernels also where the operand is secret: encryption to a public key.
    package static let acceleratesEncryption = OperationOptions(rawValue: 8)

    var native: jose_options { jose_options(rawValue: rawValue) }
}

/// Signs or verifies with one key, family and hash; may be used from many threads at once.
package final class SignatureOperation: Sendable {
    private let handle: Handle

    /// Exact size of a signature in bytes.
    package let signatureBytes: Int

    /// Prepares the operation.
    /// - Throws: `unusableKey` if the key cannot do it.
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
        handle = unsafe Handle(operation, release: jose_signature_free)
    }

    /// Writes the signature of message; `signature` has exactly `signatureBytes`.
    package func sign(
        _ message: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe signature.lend { out, outCount in
                unsafe message.lend { input, inputCount in
                    unsafe jose_signature_sign(handle.pointer, out, outCount, input, inputCount)
                }
            })
    }

    /// Adds a signature to a batch; negative where it was not taken.
    func add(
        to batch: OpaquePointer, _ message: UnsafePointer<UInt8>?, _ messageCount: Int,
        _ signature: UnsafePointer<UInt8>?, _ signatureCount: Int
    ) -> Int {
        unsafe jose_batch_add(
            batch, handle.pointer, message, messageCount, signature, signatureCount)
    }

    /// Returns if the signature is right.
    /// - Throws: `rejected` for any other signature.
    package func verify(
        _ message: Span<UInt8>, signature: Span<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe message.lend { input, inputCount in
                unsafe signature.lend { bytes, count in
                    unsafe jose_signature_verify(
                        handle.pointer, input, inputCount, bytes, count)
                }
            })
    }

    /// Returns if the signature is right, and appends the payload that ends the message as base64url where it can be decoded
    /// beside the hash.
    ///
    /// - Parameters:
    ///   - start: Where in the message its text begins.
    ///   - payload: With room for it. What was written of a message that is rejected is wiped.
    /// - Throws: `rejected` for any other signature.
    /// - Returns: What became of the payload; it was appended if it was read.
    package func verify(
        _ message: Span<UInt8>, signature: Span<UInt8>, payloadFrom start: Int,
        into payload: inout OutputSpan<UInt8>
    ) throws(CryptoError) -> PayloadResult {
        guard 0..<message.count ~= start,
            let count = Base64URL.decodedCount(message.count - start),
            count <= payload.freeCapacity
        else {
            try verify(message, signature: signature)
            return .left
        }
        var fate = PayloadResult.left
        try check(
            unsafe payload.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes `count` bytes at the most, and there is room for them.
                guard let base = buffer.baseAddress else { return .JOSE_INTERNAL }
                var asked = unsafe jose_payload(
                    from: start, bytes: base + initialized, len: count, decoder: .best,
                    result: .JOSE_PAYLOAD_NOT_DECODED)
                let status = unsafe message.lend { input, inputCount in
                    unsafe signature.lend { bytes, count in
                        unsafe jose_signature_verify_decoding(
                            handle.pointer, input, inputCount, &asked, bytes, count)
                    }
                }
                fate = unsafe PayloadResult(asked.result)
                if fate == .read { initialized += count }
                return status
            })
        return fate
    }
}

/// What became of a payload that might be decoded beside its hash.
package enum PayloadResult {
    /// Nothing: it is still to be decoded.
    case left
    case read
    case malformed

    fileprivate init(_ fate: jose_payload_result) {
        switch fate {
        case .JOSE_PAYLOAD_NOT_DECODED: self = .left
        case .JOSE_PAYLOAD_DECODED: self = .read
        case .JOSE_PAYLOAD_MALFORMED: self = .malformed
        }
    }
}

extension jose_decoder {
    /// The best one of this processor.
    static var best: jose_decoder {
        unsafe jose_decoder(
            decode: { unsafe josebytes_base64url_decode($0, $1, $2, .best) },
            chunk: josebytes_base64url_chunk())
    }
}
