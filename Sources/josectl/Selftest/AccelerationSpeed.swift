// Measures the speed of each acceleration setting.

import JOSE

/// Operations a second with one setting, on one thread, with a 2,048-bit RSA key.
struct AccelerationSpeed {
    enum Operation: String, CaseIterable {
        case verify, sign
        /// A plaintext of 600 bytes, with RSA-OAEP-256 and A128CBC-HS256.
        case encrypt, decrypt
        /// Eight operations in one call.
        case signTogether = "sign_together"
        case decryptTogether = "decrypt_together"
    }
    let name: String
    private(set) var perSecond: [Operation: Int] = [:]

    subscript(_ operation: Operation) -> Int { perSecond[operation] ?? 0 }

    /// Measures all settings in about two seconds. Empty if an algorithm is unavailable.
    static func all() throws -> [AccelerationSpeed] {
        guard SignatureAlgorithm.rs256.isAvailable, KeyManagementAlgorithm.rsaOAEP256.isAvailable,
            ContentEncryptionAlgorithm.a128CBCHS256.isAvailable, let known = KnownToken.rs256
        else { return [] }
        let key = try JWK(json: known.key)
        let settings = try KeyAcceleration.named.map { name, value in
            try Setting(name, key.withAcceleration(value), known.token)
        }
        var speeds = settings.map { AccelerationSpeed(name: $0.name) }
        // Interleaved, so that other load affects all settings equally.
        for _ in 0..<5 {
            for (index, setting) in settings.enumerated() {
                for operation in Operation.allCases {
                    speeds[index].perSecond[operation] = max(
                        speeds[index][operation], try setting.perSecond(operation))
                }
            }
        }
        return speeds
    }
}

private struct Setting {
    let name: String
    private let known: String
    private let payload: [UInt8]
    private let verifier: JWSVerifier
    private let encrypter: JWEEncrypter
    private let signer: JWSSigner
    private let decrypter: JWEDecrypter
    private let encrypted: String
    private let issuer: JWTIssuer
    private let claims: [[UInt8]]
    private let tokens: [String]

    init(_ name: String, _ key: JWK, _ known: String) throws {
        self.name = name
        self.known = known
        payload = [UInt8](repeating: 0x61, count: 600)
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

    func perSecond(_ operation: AccelerationSpeed.Operation) throws -> Int {
        try run(operation)
        let start = ContinuousClock.now
        var (count, elapsed) = (0, 0.0)
        while elapsed < 0.01 {
            for _ in 0..<8 { count += try run(operation) }
            elapsed = (ContinuousClock.now - start) / .seconds(1)
        }
        return Int(Double(count) / elapsed)
    }

    /// Returns the number of operations: one, or eight in one call.
    @discardableResult
    private func run(_ operation: AccelerationSpeed.Operation) throws -> Int {
        switch operation {
        case .verify: _ = try verifier.verify(known)
        case .sign: _ = try signer.sign(payload)
        case .encrypt: _ = try encrypter.encrypt(payload)
        case .decrypt: _ = try decrypter.decrypt(encrypted)
        case .signTogether: return try issuer.issueBatch(json: claims).map { try $0.get() }.count
        case .decryptTogether:
            return try decrypter.decryptBatch(tokens).map { try $0.get() }.count
        }
        return 1
    }
}
