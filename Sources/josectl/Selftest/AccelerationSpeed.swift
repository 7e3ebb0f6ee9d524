// Measures the speed of each acceleration setting.

import JOSE

/// Operations a second with one setting, on one thread, with RSA of 2048 bits.
struct AccelerationSpeed {
    let name: String
    var verifications: Int
    /// Of 600 bytes, with RSA-OAEP-256 and A128CBC-HS256.
    var encryptions: Int

    /// Measures all settings in about half a second; empty if an algorithm is unavailable.
    static func all() throws -> [AccelerationSpeed] {
        guard SignatureAlgorithm.rs256.isAvailable, KeyManagementAlgorithm.rsaOAEP256.isAvailable,
            ContentEncryptionAlgorithm.a128CBCHS256.isAvailable, let known = KnownToken.rs256
        else { return [] }
        let key = try JWK(json: known.key).publicKey
        let payload = [UInt8](repeating: 0x61, count: 600)
        let settings = try KeyAcceleration.named.map { name, value in
            (
                name: name,
                verifier: try JWSVerifier(key: key.withAcceleration(value), algorithms: [.rs256]),
                encrypter: try JWEEncrypter(
                    key: key.withAcceleration(value), algorithm: .rsaOAEP256, content: .a128CBCHS256
                )
            )
        }
        var speeds = settings.map {
            AccelerationSpeed(name: $0.name, verifications: 0, encryptions: 0)
        }
        // Interleaved, so that other load affects all settings equally.
        for _ in 0..<5 {
            for (index, setting) in settings.enumerated() {
                let verifications = try perSecond(0.01) {
                    _ = try setting.verifier.verify(known.token)
                }
                let encryptions = try perSecond(0.01) {
                    _ = try setting.encrypter.encrypt(payload)
                }
                speeds[index].verifications = max(speeds[index].verifications, verifications)
                speeds[index].encryptions = max(speeds[index].encryptions, encryptions)
            }
        }
        return speeds
    }

    /// Returns the runs a second, measured for this many seconds.
    private static func perSecond(
        _ slice: Double, _ body: () throws -> Void
    ) throws -> Int {
        try body()
        let start = ContinuousClock.now
        var (count, elapsed) = (0, 0.0)
        while elapsed < slice {
            for _ in 0..<8 { try body() }
            count += 8
            elapsed = (ContinuousClock.now - start) / .seconds(1)
        }
        return Int(Double(count) / elapsed)
    }
}
