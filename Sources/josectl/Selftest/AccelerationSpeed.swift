// Measures the speed of each acceleration setting.

import JOSE

/// Operations a second with one setting, on one thread, with RSA of 2048 bits.
struct AccelerationSpeed {
    let name: String
    var verifications = 0
    /// Of 600 bytes, with RSA-OAEP-256 and A128CBC-HS256.
    var encryptions = 0
    var signatures = 0
    var decryptions = 0
    /// The same, eight in a call.
    var signaturesTogether = 0
    var decryptionsTogether = 0

    /// Measures all settings in about two seconds; empty if an algorithm is unavailable.
    static func all() throws -> [AccelerationSpeed] {
        guard SignatureAlgorithm.rs256.isAvailable, KeyManagementAlgorithm.rsaOAEP256.isAvailable,
            ContentEncryptionAlgorithm.a128CBCHS256.isAvailable, let known = KnownToken.rs256
        else { return [] }
        let key = try JWK(json: known.key)
        let payload = [UInt8](repeating: 0x61, count: 600)
        let settings = try KeyAcceleration.named.map { name, value in
            try Setting(name, key.withAcceleration(value), payload)
        }
        var speeds = settings.map { AccelerationSpeed(name: $0.name) }
        // Interleaved, so that other load affects all settings equally.
        for _ in 0..<5 {
            for (index, setting) in settings.enumerated() {
                let verifications = try perSecond(0.01) {
                    _ = try setting.verifier.verify(known.token)
                }
                let encryptions = try perSecond(0.01) {
                    _ = try setting.encrypter.encrypt(payload)
                }
                let signatures = try perSecond(0.01) { _ = try setting.signer.sign(payload) }
                let decryptions = try perSecond(0.01) {
                    _ = try setting.decrypter.decrypt(setting.encrypted)
                }
                let signaturesTogether =
                    try 8
                    * perSecond(0.01) {
                        for result in setting.issuer.issueBatch(json: setting.claims) {
                            _ = try result.get()
                        }
                    }
                let decryptionsTogether =
                    try 8
                    * perSecond(0.01) {
                        for result in setting.decrypter.decryptBatch(setting.tokens) {
                            _ = try result.get()
                        }
                    }
                speeds[index].signaturesTogether = max(
                    speeds[index].signaturesTogether, signaturesTogether)
                speeds[index].decryptionsTogether = max(
                    speeds[index].decryptionsTogether, decryptionsTogether)
                speeds[index].verifications = max(speeds[index].verifications, verifications)
                speeds[index].encryptions = max(speeds[index].encryptions, encryptions)
                speeds[index].signatures = max(speeds[index].signatures, signatures)
                speeds[index].decryptions = max(speeds[index].decryptions, decryptions)
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

/// The operations of one setting, with a token to decrypt.
private struct Setting {
    let name: String
    let verifier: JWSVerifier
    let encrypter: JWEEncrypter
    let signer: JWSSigner
    let decrypter: JWEDecrypter
    let encrypted: String
    let issuer: JWTIssuer
    let claims: [[UInt8]]
    let tokens: [String]

    init(_ name: String, _ key: JWK, _ payload: [UInt8]) throws {
        self.name = name
        verifier = try JWSVerifier(key: key.publicKey, algorithms: [.rs256])
        encrypter = try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        signer = try JWSSigner(key: key, algorithm: .rs256)
        decrypter = try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
        encrypted = try encrypter.encrypt(payload)
        issuer = try JWTIssuer(key: key, algorithm: .rs256)
        claims = [[UInt8]](
            repeating: Array(
                #"{"exp":2000000000,"text":"\#(String(decoding: payload, as: UTF8.self))"}"#.utf8),
            count: 8)
        tokens = [String](repeating: encrypted, count: 8)
    }
}
