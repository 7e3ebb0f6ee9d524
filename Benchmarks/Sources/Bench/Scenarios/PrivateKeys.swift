// Private keys that opted in to kernels: alone and in batches.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

/// The setting that the kernels of this processor need.
private let acceleration: KeyAcceleration =
    hasKernels ? .withPrivateKeys : .withPrivateKeysAndFloatingPoint

/// Few, so that a slice of the baseline is short: longer ones are interrupted on a busy machine,
/// and a slow baseline would hide slow code.
private let batchCount = 8

func privateKeyScenarios(_ env: TestEnvironment) -> [Scenario] {
    noteKernelBounds()
    guard let bounds = KernelBounds.here else { return [] }
    let (one, nested) = (bounds.one, bounds.nested)
    let bytes = env.claims.count
    return [
        Scenario(
            "private/sign", baseline: "sign/baseline", bound: .ratio(one), bytes: bytes
        ) {
            let signer = try JWSSigner(
                key: env.signingKey.withAcceleration(acceleration), algorithm: .rs256)
            let claims = env.claims
            return { iterations, _ in
                for _ in 0..<iterations { _ = try signer.sign(claims) }
            }
        },
        Scenario(
            "private/decrypt-600B", baseline: "decrypt/600B-baseline", bound: .ratio(one),
            bytes: 600
        ) {
            let decrypter = try env.acceleratedDecrypter()
            let token = try env.encrypter(.rsaOAEP256).encrypt(env.payload600)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try decrypter.decrypt(token) }
            }
        },
        Scenario(
            "private/nested-make-600B", baseline: "nested/make-600B-baseline",
            bound: .ratio(nested)
        ) {
            let (issuer, recipient) = (try env.acceleratedIssuer(), try env.acceleratedRecipient())
            let claims = IDTokenClaims.sample
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try issuer.issue(claims, encryptedFor: recipient)
                }
            }
        },
        Scenario(
            "private/nested-open-600B", baseline: "nested/open-600B-baseline",
            bound: .ratio(nested)
        ) {
            let verifier = try env.nestedVerifier(acceleration)
            let token = try env.issuer.issue(
                IDTokenClaims.sample, encryptedFor: env.acceleratedRecipient())
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try verifier.verify(token, as: IDTokenClaims.self)
                }
            }
        },
    ] + largeKey(env, bounds) + batches(env, bounds) + largeBatch(env, bounds)
}

/// Repeats a baseline for each operation of a batch.
private func repeated(_ name: String, _ prepare: @escaping () throws -> Work) -> Scenario {
    Scenario(name, gated: false) {
        let one = try prepare()
        return { iterations, thread in try one(iterations * batchCount, thread) }
    }
}

private func batches(_ env: TestEnvironment, _ bounds: KernelBounds) -> [Scenario] {
    guard let batch = bounds.batch, let nested = bounds.nestedBatch else { return [] }
    return [
        repeated("private/sign-batch-baseline") { try signBaseline(env, env.token) },
        Scenario(
            "private/sign-batch", baseline: "private/sign-batch-baseline", bound: .ratio(batch)
        ) {
            let issuer = try env.acceleratedIssuer()
            let claims = [IDTokenClaims](repeating: .sample, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in issuer.issueBatch(claims) { _ = try result.get() }
                }
            }
        },
        repeated("private/decrypt-batch-baseline") {
            try decryptBaseline(env, env.payload600, oaepBits: 256)
        },
        Scenario(
            "private/decrypt-batch", baseline: "private/decrypt-batch-baseline",
            bound: .ratio(batch)
        ) {
            let decrypter = try env.acceleratedDecrypter()
            let token = try env.encrypter(.rsaOAEP256).encrypt(env.payload600)
            let tokens = [String](repeating: token, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in decrypter.decryptBatch(tokens) { _ = try result.get() }
                }
            }
        },
        repeated("private/nested-make-batch-baseline") {
            try makeBaseline(env, IDTokenClaims.sample)
        },
        Scenario(
            "private/nested-make-batch", baseline: "private/nested-make-batch-baseline",
            bound: .ratio(nested)
        ) {
            let (issuer, recipient) = (try env.acceleratedIssuer(), try env.acceleratedRecipient())
            let claims = [IDTokenClaims](repeating: .sample, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in issuer.issueBatch(claims, encryptedFor: recipient) {
                        _ = try result.get()
                    }
                }
            }
        },
        repeated("private/nested-open-batch-baseline") {
            try openBaseline(env, IDTokenClaims.sample)
        },
        Scenario(
            "private/nested-open-batch", baseline: "private/nested-open-batch-baseline",
            bound: .ratio(nested)
        ) {
            let verifier = try env.nestedVerifier(acceleration)
            let token = try env.issuer.issue(
                IDTokenClaims.sample, encryptedFor: env.acceleratedRecipient())
            let tokens = [String](repeating: token, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in verifier.verifyBatch(tokens) {
                        _ = try result.get().decode(IDTokenClaims.self)
                    }
                }
            }
        },
    ]
}

// MARK: 3072 bits

private func largeKey(_ env: TestEnvironment, _ bounds: KernelBounds) -> [Scenario] {
    guard let bound = bounds.large else { return [] }
    return [
        Scenario(
            "private/sign-3072", baseline: "rsa-3072/sign-baseline", bound: finite(bound)
        ) {
            let signer = try JWSSigner(key: largeKey(), algorithm: .rs256)
            let claims = env.claims
            return { iterations, _ in
                for _ in 0..<iterations { _ = try signer.sign(claims) }
            }
        }
    ]
}

/// A batch next to one signature of EVP: a slice of as many would take 11 ms.
private func largeBatch(_ env: TestEnvironment, _ bounds: KernelBounds) -> [Scenario] {
    guard let each = bounds.largeBatch else { return [] }
    return [
        Scenario(
            "private/sign-3072-eight", baseline: "rsa-3072/sign-baseline",
            bound: finite(each * Double(batchCount))
        ) {
            let issuer = try JWTIssuer(key: largeKey(), algorithm: .rs256)
            let claims = [IDTokenClaims](repeating: .sample, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in issuer.issueBatch(claims) { _ = try result.get() }
                }
            }
        }
    ]
}

private func finite(_ ratio: Double) -> Bound? { ratio.isFinite ? .ratio(ratio) : nil }

private func largeKey() throws -> JWK {
    try JWK(json: FixtureKey.rsa3072.privateJWK(use: "sig", alg: "RS256"))
        .withAcceleration(acceleration)
}

// MARK: keys

extension TestEnvironment {
    fileprivate func acceleratedIssuer() throws -> JWTIssuer {
        try JWTIssuer(
            key: signingKey.withAcceleration(acceleration), algorithm: .rs256, type: "JWT")
    }

    /// Encryption by the kernel of public operations, as a service would choose next to these keys.
    fileprivate func acceleratedRecipient() throws -> JWTRecipient {
        try JWTRecipient(
            key: encryptionKey.withAcceleration(.withEncryption), algorithm: .rsaOAEP256,
            content: .a128CBCHS256)
    }

    fileprivate func acceleratedDecrypter() throws -> JWEDecrypter {
        try JWEDecrypter(
            key: decryptionKey.withAcceleration(acceleration), algorithms: [.rsaOAEP256],
            content: [.a128CBCHS256])
    }
}
