// What the vector kernels give beyond the default table, and the portable path where they are not used.

@_spi(Bench) import JOSEBenchmark
import CBenchFloors
import JOSE

func kernelScenarios(_ world: World) -> [Scenario] {
    let portable = [
        Scenario(
            "kernels/verify-portable", floor: "verify/floor", bound: .ratio(0.92),
            bytes: world.claims.count
        ) {
            let verifier = try JWSVerifier(
                key: world.verificationKey.withAcceleration(.portable), algorithms: [.rs256])
            let token = world.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        }
    ]
    let kernels = KeyAcceleration.kernelsInUse
    let together = kernels.contains("rsa-x8") ? 0.30 : kernels.contains("rsa-fma-x4") ? 0.45 : nil
    return portable + (together.map { batch(world, bound: $0) } ?? [])
        + (hasKernels || hasDoubles ? sealings(world) : [])
}

private func sealings(_ world: World) -> [Scenario] {
    let short = hasKernels ? 0.55 : 0.66
    return sealing(world, "600B", 600, .rsaOAEP256, oaepBits: 256, bound: short)
        + sealing(world, "600B-sha1", 600, .rsaOAEP, oaepBits: 1, bound: short)
        + sealing(
            world, "64KB", 65_536, .rsaOAEP256, oaepBits: 256,
            bound: hasKernels ? 0.65 : 0.75)
}

private let batchCount = 64

private func batch(_ world: World, bound: Double) -> [Scenario] {
    [
        Scenario("kernels/verify-batch-floor", bytes: batchCount * world.claims.count, gated: false)
        {
            let one = try verifyFloor(world, world.token)
            return { iterations, thread in try one(iterations * batchCount, thread) }
        },
        Scenario(
            "kernels/verify-batch", floor: "kernels/verify-batch-floor", bound: .ratio(bound),
            bytes: batchCount * world.claims.count, gated: false
        ) {
            let verifier = world.verifier
            let tokens = Array(repeating: world.token, count: batchCount)
            return { iterations, _ in
                for _ in 0..<iterations {
                    for result in verifier.verifyBatch(tokens) { _ = try result.get() }
                }
            }
        },
    ]
}

private func sealing(
    _ world: World, _ label: String, _ bytes: Int, _ algorithm: KeyManagementAlgorithm,
    oaepBits: Int, bound: Double
) -> [Scenario] {
    [
        Scenario(
            "kernels/encrypt-\(label)", floor: "encrypt/\(label)-floor", bound: .ratio(bound),
            bytes: bytes
        ) {
            let encrypter = try JWEEncrypter(
                key: world.encryptionKey.withAcceleration(.withEncryption),
                algorithm: algorithm,
                content: .a128CBCHS256, limits: World.wide)
            let payload = World.payload(bytes)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        }
    ]
}
