// Signed, then encrypted, and back: an ID Token of 600 bytes and one with a photo. The baseline is
// the sum of the baselines of the parts.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func nestedScenarios(_ env: TestEnvironment) -> [Scenario] {
    nested(env, "600B", IDTokenClaims.sample, makeBound: 1.02, openBound: 1.03)
        + nested(
            env, "64KB", PhotoClaims.sample(bytes: 65_536),
            makeBound: hasTextVectors ? 1.02 : 1.09, openBound: hasTextVectors ? 1.02 : 1.11)
}

private func nested<Claims: Codable>(
    _ env: TestEnvironment, _ label: String, _ claims: Claims, makeBound: Double, openBound: Double
) -> [Scenario] {
    func recipient() throws -> JWTRecipient {
        try JWTRecipient(
            key: env.encryptionKey, algorithm: .rsaOAEP256, content: .a128CBCHS256,
            limits: TestEnvironment.wide)
    }
    func token() throws -> String {
        try env.issuer.issue(claims, encryptedFor: try recipient())
    }
    return [
        Scenario("nested/make-\(label)-baseline") { try makeBaseline(env, claims) },
        Scenario(
            "nested/make-\(label)", baseline: "nested/make-\(label)-baseline",
            bound: .ratio(makeBound)
        ) {
            let issuer = env.issuer
            let recipient = try recipient()
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try issuer.issue(claims, encryptedFor: recipient)
                }
            }
        },
        Scenario("nested/open-\(label)-baseline") { try openBaseline(env, claims) },
        Scenario(
            "nested/open-\(label)", baseline: "nested/open-\(label)-baseline",
            bound: .ratio(openBound)
        ) {
            let verifier = try env.nestedVerifier()
            let token = try token()
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token, as: Claims.self) }
            }
        },
    ]
}

/// The sum of signing and encrypting.
func makeBaseline(_ env: TestEnvironment, _ claims: some Encodable) throws -> Work {
    let inner = try env.issuer.issue(claims)
    let sign = try signBaseline(env, inner)
    let encrypt = try encryptBaseline(env, Array(inner.utf8))
    return { iterations, thread in
        for _ in 0..<iterations {
            try sign(1, thread)
            try encrypt(1, thread)
        }
    }
}

/// The sum of decrypting and verifying.
func openBaseline(_ env: TestEnvironment, _ claims: some Encodable) throws -> Work {
    let inner = try env.issuer.issue(claims)
    let verify = try verifyBaseline(env, inner)
    let decrypt = try decryptBaseline(env, Array(inner.utf8))
    return { iterations, thread in
        for _ in 0..<iterations {
            try decrypt(1, thread)
            try verify(1, thread)
        }
    }
}

extension TestEnvironment {
    /// - Parameter acceleration: How the decryption key computes; as in this environment if nil.
    func nestedVerifier(_ acceleration: KeyAcceleration? = nil) throws -> JWTVerifier {
        let key = acceleration.map(decryptionKey.withAcceleration) ?? decryptionKey
        return try jwtVerifier(
            .required(keys: verificationSet, algorithms: [.rs256]),
            encryption: .required(
                keys: JWKSet(keys: [key]),
                algorithms: [.rsaOAEP, .rsaOAEP256], content: [.a128CBCHS256]))
    }
}
