// Calls of libcrypto (Ed25519: libsodium) for one key, used by the baselines.

import CJOSEBenchmark

/// Signs and verifies by one signature algorithm.
@safe final class RawSignature {
    // Safe: made in `init`, freed in `deinit`, never handed out.
    private let made: OpaquePointer

    /// - Parameter key: PKCS#8 or SubjectPublicKeyInfo in DER; the bytes of a MAC key.
    init(_ algorithm: String, key: [UInt8]) throws {
        guard let made = unsafe baseline_signing_new(algorithm, key, key.count) else {
            throw BenchmarkFailure("no baseline for \(algorithm) with this key")
        }
        unsafe self.made = made
    }

    deinit { unsafe baseline_signing_free(made) }

    func sign(_ text: [UInt8]) -> Bool { unsafe baseline_signing_sign(made, text, text.count) == 1 }

    /// Verifies the signature that `sign` made or `take` set last.
    func verify(_ text: [UInt8]) -> Bool {
        unsafe baseline_signing_verify(made, text, text.count) == 1
    }

    func take(_ signature: [UInt8]) -> Bool {
        unsafe baseline_signing_take(made, signature, signature.count) == 1
    }
}

/// RSA-OAEP around A128CBC-HS256: the contexts and buffers of one key.
@safe final class RawEncryption {
    // Safe: both made in `init`, freed in `deinit`, never handed out.
    private let key: OpaquePointer
    private let lane: OpaquePointer

    /// - Parameters:
    ///   - key: PKCS#8 or SubjectPublicKeyInfo in DER.
    ///   - oaepBits: 1 for SHA-1, or 256, 384, 512.
    ///   - capacity: The largest payload in bytes.
    init(key bytes: [UInt8], oaepBits: Int, capacity: Int) throws {
        guard let key = unsafe baseline_key_new(bytes, bytes.count) else {
            throw BenchmarkFailure("libcrypto rejects the key of a baseline")
        }
        guard let lane = unsafe baseline_lane_new(key, Int32(oaepBits), capacity) else {
            unsafe baseline_key_free(key)
            throw BenchmarkFailure("the key of a baseline is not an RSA key")
        }
        unsafe self.key = key
        unsafe self.lane = lane
    }

    deinit {
        unsafe baseline_lane_free(lane)
        unsafe baseline_key_free(key)
    }

    func encrypt(_ text: [UInt8], aad: [UInt8]) -> Bool {
        unsafe baseline_encrypt(lane, aad, aad.count, text, text.count) == 1
    }

    /// Sets the parts of a token, as after its encryption.
    func take(encryptedKey: [UInt8], iv: [UInt8], text: [UInt8], tag: [UInt8], aad: [UInt8]) -> Bool
    {
        guard iv.count == 16, tag.count == 16 else { return false }
        return unsafe baseline_take(
            lane, encryptedKey, encryptedKey.count, iv, text, text.count, tag, aad, aad.count) == 1
    }

    func decrypt(_ sealed: RawEncryption) -> Bool {
        unsafe baseline_decrypt(lane, sealed.lane) == 1
    }
}
