// Two threads over one: every operation on one shared key, and on a key for each thread.

@_spi(Bench) import JOSEBenchmark
import JOSE

func threadScenarios(_ env: TestEnvironment) -> [Scenario] {
    func two(_ name: String, over one: String, _ prepare: @escaping () throws -> Work) -> Scenario {
        var scenario = Scenario("threads/" + name, baseline: one, prepare: prepare)
        scenario.threads = 2
        return scenario
    }
    return [
        two("baseline-verify", over: "verify/baseline") { try verifyBaseline(env, env.token) },
        two("verify", over: "verify/payload") {
            let verifier = env.verifier
            let token = env.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
        two("verify-own-key", over: "verify/payload") {
            let verifiers = try (0..<2).map { _ in
                let json = keySetJSON(count: 10, last: .signing2048, use: "sig", alg: "RS256")
                return try JWSVerifier(keys: try PublicJWKSet(json: json), algorithms: [.rs256])
            }
            let token = env.token
            return { iterations, thread in
                for _ in 0..<iterations { _ = try verifiers[thread].verify(token) }
            }
        },
        two("baseline-sign", over: "sign/baseline") { try signBaseline(env, env.token) },
        two("sign", over: "sign/payload") {
            let signer = env.signer
            let claims = env.claims
            return { iterations, _ in
                for _ in 0..<iterations { _ = try signer.sign(claims) }
            }
        },
        two("sign-own-key", over: "sign/payload") {
            let json = FixtureKey.signing2048.privateJWK(use: "sig", alg: "RS256")
            let signers = try (0..<2).map { _ in
                try JWSSigner(key: try JWK(json: json), algorithm: .rs256)
            }
            let claims = env.claims
            return { iterations, thread in
                for _ in 0..<iterations { _ = try signers[thread].sign(claims) }
            }
        },
        two("encrypt", over: "encrypt/600B") {
            let encrypter = try env.encrypter(.rsaOAEP256)
            let payload = TestEnvironment.payload(600)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        },
        two("decrypt", over: "decrypt/600B") {
            let decrypter = try env.decrypter(.rsaOAEP256)
            let token = try env.encrypter(.rsaOAEP256).encrypt(TestEnvironment.payload(600))
            return { iterations, _ in
                for _ in 0..<iterations { _ = try decrypter.decrypt(token) }
            }
        },
        two("decrypt-own-key", over: "decrypt/600B") {
            let json = FixtureKey.encryption2048.privateJWK(use: "enc", alg: nil)
            let decrypters = try (0..<2).map { _ in
                try JWEDecrypter(
                    key: try JWK(json: json), algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
            }
            let token = try env.encrypter(.rsaOAEP256).encrypt(TestEnvironment.payload(600))
            return { iterations, thread in
                for _ in 0..<iterations { _ = try decrypters[thread].decrypt(token) }
            }
        },
        two("nested-open", over: "nested/open-600B") {
            let verifier = try env.nestedVerifier()
            let recipient = try JWTRecipient(
                key: env.encryptionKey, algorithm: .rsaOAEP256, content: .a128CBCHS256)
            let token = try env.issuer.issue(IDTokenClaims.sample, encryptedFor: recipient)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token, as: IDTokenClaims.self) }
            }
        },
    ]
}
