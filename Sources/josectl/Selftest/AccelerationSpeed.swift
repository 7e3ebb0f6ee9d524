// How fast each way of computing is on this machine.

import JOSE

/// What one way does in a second, on one thread, with RSA of 2048 bits.
struct AccelerationSpeed {
    let name: String
    var verifications: Int
    /// Of 600 bytes, by RSA-OAEP-256 and A128CBC-HS256.
    var encryptions: Int

    /// Measured now, about half a second in all; nothing where these rows are not available.
    static func all() throws -> [AccelerationSpeed] {
        guard SignatureAlgorithm.rs256.isAvailable, KeyManagementAlgorithm.rsaOAEP256.isAvailable,
            ContentEncryptionAlgorithm.a128CBCHS256.isAvailable, let known = KnownToken.rs256
        else { return [] }
        let key = try JWK(json: known.key).publicKey
        let payload = [UInt8](repeating: 0x61, count: 600)
        let settings = try KeyAcceleration.named.map { name, way in
            (
                name: name,
                verifier: try JWSVerifier(key: key.withAcceleration(way), algorithms: [.rs256]),
                encrypter: try JWEEncrypter(
                    key: key.withAcceleration(way), algorithm: .rsaOAEP256, content: .a128CBCHS256)
            )
        }
        var speeds = settings.map {
            AccelerationSpeed(name: $0.name, verifications: 0, encryptions: 0)
        }
        // In turns, so that what else the machine does meets all of them.
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

    /// Runs a second, from one run of this many seconds.
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

    /// A number with a mark between the thousands.
    static func written(_ count: Int) -> String {
        var text = String(count)
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return text
    }
}
