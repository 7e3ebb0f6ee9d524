// Every entry of content encryption under `dir`, 600 bytes, with its baseline, and the entries of
// RSA-OAEP.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func contentEntryScenarios(_ env: TestEnvironment) -> [Scenario] {
    ContentEncryptionAlgorithm.all.flatMap { content -> [Scenario] in
        let (encrypt, decrypt) = ("row-encrypt/dir-\(content)", "row-decrypt/dir-\(content)")
        let payload = TestEnvironment.payload(600)
        func baseline() throws -> (baseline: OpaquePointer, aad: UnsafeBufferPointer<UInt8>) {
            guard let made = baseline_content_new(content.description, payload.count) else {
                throw BenchmarkFailure("no baseline for \(content)")
            }
            let key = try contentKey(content)
            let token = try JWEEncrypter(key: key, algorithm: .direct, content: content).encrypt([1]
            )
            // The AAD is lent to the baseline for as long as the work lives.
            let aad = encodedHeader(token)
            let lasting = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: aad.count)
            _ = lasting.update(fromContentsOf: aad)
            return (made, UnsafeBufferPointer(lasting))
        }
        return [
            Scenario("\(encrypt)-baseline", bytes: 600, gated: false) {
                let (made, aad) = try baseline()
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(
                            baseline_content_seal(
                                made, aad.baseAddress, aad.count, payload, payload.count) == 1,
                            "encrypt")
                    }
                }
            },
            Scenario(
                encrypt, baseline: "\(encrypt)-baseline", bound: .ratio(1.5), bytes: 600,
                gated: false
            ) {
                let encrypter = try JWEEncrypter(
                    key: contentKey(content), algorithm: .direct, content: content)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
                }
            },
            Scenario("\(decrypt)-baseline", bytes: 600, gated: false) {
                let (made, aad) = try baseline()
                try require(
                    baseline_content_seal(
                        made, aad.baseAddress, aad.count, payload, payload.count) == 1, "encrypt")
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(baseline_content_unseal(made) == 1, "decrypt")
                    }
                }
            },
            Scenario(
                decrypt, baseline: "\(decrypt)-baseline", bound: .ratio(1.5), bytes: 600,
                gated: false
            ) {
                let key = try contentKey(content)
                let decrypter = try JWEDecrypter(
                    key: key, algorithms: [.direct], content: [content])
                let token = try JWEEncrypter(key: key, algorithm: .direct, content: content)
                    .encrypt(payload)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(
                            decrypter.decrypt(token).unauthenticatedPlaintext.count == 600,
                            "plaintext")
                    }
                }
            },
        ]
    }
}

/// A shared key of the size that the content encryption takes.
private func contentKey(_ content: ContentEncryptionAlgorithm) throws -> JWK {
    for bits in stride(from: 128, through: 512, by: 64) {
        let key = try JWK.generate(.symmetric(bits: bits))
        if (try? JWEEncrypter(key: key, algorithm: .direct, content: content)) != nil { return key }
    }
    throw BenchmarkFailure("no key for \(content)")
}

func rsaEntryScenarios(_ env: TestEnvironment) -> [Scenario] {
    KeyManagementAlgorithm.all.filter { $0.keyTypes == [.rsa] }.flatMap { algorithm in
        let (encrypt, decrypt) = ("row-encrypt/\(algorithm)", "row-decrypt/\(algorithm)")
        // RSA-OAEP is SHA-1, the others say.
        let bits = Int(algorithm.description.split(separator: "-").last ?? "") ?? 1
        return [
            Scenario("\(encrypt)-baseline", bytes: 600, gated: false) {
                try encryptBaseline(env, TestEnvironment.payload(600), oaepBits: bits)
            },
            Scenario(
                encrypt, baseline: "\(encrypt)-baseline", bound: .ratio(1.05), bytes: 600,
                gated: false
            ) {
                let encrypter = try env.encrypter(algorithm)
                let payload = TestEnvironment.payload(600)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
                }
            },
            Scenario("\(decrypt)-baseline", bytes: 600, gated: false) {
                try decryptBaseline(env, TestEnvironment.payload(600), oaepBits: bits)
            },
            Scenario(
                decrypt, baseline: "\(decrypt)-baseline", bound: .ratio(1.05), bytes: 600,
                gated: false
            ) {
                let decrypter = try env.decrypter(algorithm)
                let token = try env.encrypter(algorithm).encrypt(TestEnvironment.payload(600))
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(
                            decrypter.decrypt(token).unauthenticatedPlaintext.count == 600,
                            "plaintext")
                    }
                }
            },
        ]
    }
}
