// Encryption and decryption by size of payload, RSA-OAEP-256 (and RSA-OAEP once) with
// A128CBC-HS256.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

private let sizes: [(label: String, bytes: Int)] = [
    ("64B", 64), ("600B", 600), ("4KB", 4_096), ("64KB", 65_536), ("1MB", 1 << 20),
    ("16MB", 16 << 20),
]

func encryptScenarios(_ env: TestEnvironment) -> [Scenario] {
    sizes.flatMap { label, bytes in
        encryption(env, label, bytes, .rsaOAEP256, oaepBits: 256)
    } + encryption(env, "600B-sha1", 600, .rsaOAEP, oaepBits: 1)
}

func decryptScenarios(_ env: TestEnvironment) -> [Scenario] {
    sizes.flatMap { label, bytes in
        decryption(env, label, bytes, .rsaOAEP256, oaepBits: 256)
    } + decryption(env, "600B-sha1", 600, .rsaOAEP, oaepBits: 1)
}

/// Beyond 1 MB neither text nor bytes stay in a cache.
private func encryptBound(_ bytes: Int) -> Bound {
    .ratio(bytes <= 1 << 20 ? 1.04 : 1.10)
}
private func decryptBound(_ bytes: Int) -> Bound {
    switch bytes {
    case ...4_096: .ratio(1.01)
    case ...65_536: .ratio(hasTextVectors ? 1.02 : 1.04)
    // The scalar decoder computes, so little of it goes beside the hash.
    default: hasTextVectors ? encryptBound(bytes) : .ratio(1.20)
    }
}

private func encryption(
    _ env: TestEnvironment, _ label: String, _ bytes: Int, _ algorithm: KeyManagementAlgorithm,
    oaepBits: Int
) -> [Scenario] {
    let gated = bytes <= 65_536
    return [
        Scenario("encrypt/\(label)-baseline", bytes: bytes, gated: gated) {
            try encryptBaseline(env, TestEnvironment.payload(bytes), oaepBits: oaepBits)
        },
        Scenario(
            "encrypt/\(label)", baseline: "encrypt/\(label)-baseline", bound: encryptBound(bytes),
            bytes: bytes, gated: gated
        ) {
            let encrypter = try env.encrypter(algorithm)
            let payload = TestEnvironment.payload(bytes)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        },
    ]
}

private func decryption(
    _ env: TestEnvironment, _ label: String, _ bytes: Int, _ algorithm: KeyManagementAlgorithm,
    oaepBits: Int
) -> [Scenario] {
    let gated = bytes <= 65_536
    return [
        Scenario("decrypt/\(label)-baseline", bytes: bytes, gated: gated) {
            try decryptBaseline(env, TestEnvironment.payload(bytes), oaepBits: oaepBits)
        },
        Scenario(
            "decrypt/\(label)", baseline: "decrypt/\(label)-baseline", bound: decryptBound(bytes),
            bytes: bytes, gated: gated
        ) {
            let decrypter = try env.decrypter(algorithm)
            let token = try env.encrypter(algorithm).encrypt(TestEnvironment.payload(bytes))
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(
                        decrypter.decrypt(token).unauthenticatedPlaintext.count == bytes,
                        "plaintext")
                }
            }
        },
    ]
}

extension TestEnvironment {
    func encrypter(_ algorithm: KeyManagementAlgorithm) throws -> JWEEncrypter {
        try JWEEncrypter(
            key: encryptionKey, algorithm: algorithm, content: .a128CBCHS256,
            limits: TestEnvironment.wide)
    }

    func decrypter(_ algorithm: KeyManagementAlgorithm) throws -> JWEDecrypter {
        try JWEDecrypter(
            key: decryptionKey, algorithms: [algorithm], content: [.a128CBCHS256],
            limits: TestEnvironment.wide)
    }

    /// The header that our own encrypter writes: the AAD of the baselines.
    func sealedHeader(oaepBits: Int) throws -> [UInt8] {
        encodedHeader(try encrypter(oaepBits == 1 ? .rsaOAEP : .rsaOAEP256).encrypt([1]))
    }
}

func encryptBaseline(_ env: TestEnvironment, _ payload: [UInt8], oaepBits: Int = 256) throws -> Work
{
    let aad = try env.sealedHeader(oaepBits: oaepBits)
    let lanes = try (0..<2).map { _ in
        try env.lane(.encryption2048, oaepBits: oaepBits, capacity: payload.count)
    }
    return { iterations, thread in
        for _ in 0..<iterations {
            try require(
                baseline_encrypt(lanes[thread], aad, aad.count, payload, payload.count) == 1,
                "encrypt"
            )
        }
    }
}

func decryptBaseline(_ env: TestEnvironment, _ payload: [UInt8], oaepBits: Int = 256) throws -> Work
{
    let aad = try env.sealedHeader(oaepBits: oaepBits)
    let lanes = try (0..<3).map { _ in
        try env.lane(.encryption2048, oaepBits: oaepBits, capacity: payload.count)
    }
    // The AAD is lent to the lane for as long as the work lives.
    let lasting = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: aad.count)
    _ = lasting.update(fromContentsOf: aad)
    try require(
        baseline_encrypt(lanes[2], lasting.baseAddress, aad.count, payload, payload.count) == 1,
        "encrypt")
    return { iterations, thread in
        for _ in 0..<iterations {
            try require(baseline_decrypt(lanes[thread], lanes[2]) == 1, "decrypt")
        }
    }
}
