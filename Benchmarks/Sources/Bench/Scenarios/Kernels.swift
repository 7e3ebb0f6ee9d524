// What the vector kernels give beyond the default table, and the portable path where they are not
// used.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func kernelScenarios(_ env: TestEnvironment) -> [Scenario] {
    let portable = [
        Scenario(
            "kernels/verify-portable", baseline: "verify/baseline", bound: .ratio(0.92),
            bytes: env.claims.count
        ) {
            let verifier = try JWSVerifier(
                key: env.verificationKey.withAcceleration(.noKernels), algorithms: [.rs256])
            let token = env.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        }
    ]
    let kernels = KeyAcceleration.kernelsInUse
    let hasLanes = kernels.contains("rsa-x8") || kernels.contains("rsa-fma-x4")
    let bound = hasLanes ? KernelBounds.here?.verifyBatch : nil
    return portable + (bound.map { batch(env, bound: $0) } ?? [])
        + (hasKernels || hasDoubles ? sealings(env) : [])
}

private func sealings(_ env: TestEnvironment) -> [Scenario] {
    let short = hasKernels ? 0.55 : 0.66
    return sealing(env, "600B", 600, .rsaOAEP256, oaepBits: 256, bound: short)
        + sealing(env, "600B-sha1", 600, .rsaOAEP, oaepBits: 1, bound: short)
        + sealing(
            env, "64KB", 65_536, .rsaOAEP256, oaepBits: 256,
            bound: hasKernels ? 0.65 : 0.75)
}

private let batchCount = 64

private func batch(_ env: TestEnvironment, bound: Double) -> [Scenario] {
    [
        Scenario(
            "kernels/verify-batch-baseline", bytes: batchCount * env.claims.count, gated: false
        ) {
            let one = try verifyBaseline(env, env.token)
            return { iterations, thread in try one(iterations * batchCount, thread) }
        },
        Scenario(
            "kernels/verify-batch", baseline: "kernels/verify-batch-baseline", bound: .ratio(bound),
            bytes: batchCount * env.claims.count, gated: false
        ) {
            let verifier = env.verifier
            let tokens = Array(repeating: env.token, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in verifier.verifyBatch(tokens) { _ = try result.get() }
                }
            }
        },
    ]
}

private func sealing(
    _ env: TestEnvironment, _ label: String, _ bytes: Int, _ algorithm: KeyManagementAlgorithm,
    oaepBits: Int, bound: Double
) -> [Scenario] {
    [
        Scenario(
            "kernels/encrypt-\(label)", baseline: "encrypt/\(label)-baseline", bound: .ratio(bound),
            bytes: bytes
        ) {
            let encrypter = try JWEEncrypter(
                key: env.encryptionKey.withAcceleration(.withEncryption),
                algorithm: algorithm,
                content: .a128CBCHS256, limits: TestEnvironment.wide)
            let payload = TestEnvironment.payload(bytes)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        }
    ]
}
