// How fast each way of computing is on this machine.

import JOSE

/// What one way does in a second, on one thread, with RSA of 2048 bits.
struct AccelerationSpeed {
    let name: String
    let verifications: Int
    /// Of 600 bytes, by RSA-OAEP-256 and A128CBC-HS256.
    let encryptions: Int

    /// Measured now, about half a second in all; nothing where these rows are not available.
    nonisolated(nonsending) static func all() async throws -> [AccelerationSpeed] {
        guard SignatureAlgorithm.rs256.isAvailable, KeyManagementAlgorithm.rsaOAEP256.isAvailable,
            ContentEncryptionAlgorithm.a128CBCHS256.isAvailable
        else { return [] }
        let key = try JWK(json: KnownText.rfc7515A2Key).publicKey
        let payload = [UInt8](repeating: 0x61, count: 600)
        var speeds: [AccelerationSpeed] = []
        for (name, way) in KeyAcceleration.named {
            let verifier = try JWSVerifier(key: key.using(way), algorithms: [.rs256])
            let encrypter = try JWEEncrypter(
                key: key.using(way), algorithm: .rsaOAEP256, content: .a128CBCHS256)
            speeds.append(
                AccelerationSpeed(
                    name: name,
                    verifications: try await Throughput.measure(for: 0.01) {
                        _ = try verifier.verify(KnownText.rfc7515A2Token)
                    },
                    encryptions: try await Throughput.measure(for: 0.01) {
                        _ = try encrypter.encrypt(payload)
                    }))
        }
        return speeds
    }
}
