// libcrypto's own calls for one key, behind the floors.

import CJOSEBenchmark

/// Signing and verifying by one row of the signature table.
@safe final class RawSignature {
    // Safe: made in `init`, freed in `deinit`, never handed out.
    private let made: OpaquePointer

    /// - Parameter key: PKCS#8 or SubjectPublicKeyInfo in DER, of a MAC its bytes.
    init(_ algorithm: String, key: [UInt8]) throws {
        guard let made = unsafe floor_signing_new(algorithm, key, key.count) else {
            throw BenchmarkFailure("no floor for \(algorithm) with this key")
        }
        unsafe self.made = made
    }

    deinit { unsafe floor_signing_free(made) }

    func sign(_ text: [UInt8]) -> Bool { unsafe floor_signing_sign(made, text, text.count) == 1 }

    /// Looks at the signature that was made or taken last.
    func verify(_ text: [UInt8]) -> Bool {
        unsafe floor_signing_verify(made, text, text.count) == 1
    }

    func take(_ signature: [UInt8]) -> Bool {
        unsafe floor_signing_take(made, signature, signature.count) == 1
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
        guard let key = unsafe floor_key_new(bytes, bytes.count) else {
            throw BenchmarkFailure("libcrypto rejects the key of a floor")
        }
        guard let lane = unsafe floor_lane_new(key, Int32(oaepBits), capacity) else {
            unsafe floor_key_free(key)
            throw BenchmarkFailure("the key of a floor is none of RSA")
        }
        unsafe self.key = key
        unsafe self.lane = lane
    }

    deinit {
        unsafe floor_lane_free(lane)
        unsafe floor_key_free(key)
    }

    func encrypt(_ text: [UInt8], aad: [UInt8]) -> Bool {
        unsafe floor_encrypt(lane, aad, aad.count, text, text.count) == 1
    }

    /// Holds what a token says, as after its encryption.
    func take(encryptedKey: [UInt8], iv: [UInt8], text: [UInt8], tag: [UInt8], aad: [UInt8]) -> Bool
    {
        guard iv.count == 16, tag.count == 16 else { return false }
        return unsafe floor_take(
            lane, encryptedKey, encryptedKey.count, iv, text, text.count, tag, aad, aad.count) == 1
    }

    func decrypt(_ sealed: RawEncryption) -> Bool {
        unsafe floor_decrypt(lane, sealed.lane) == 1
    }
}
