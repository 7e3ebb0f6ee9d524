// Every entry of key management beside RSA-OAEP and dir, 600 bytes of A128CBC-HS256 content, with
// its baseline.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

/// What an entry's baseline does, read from its registered name.
private struct EntryBaseline {
    let method: baseline_method
    let wrapBytes: Int

    init?(_ algorithm: KeyManagementAlgorithm) {
        let name = algorithm.description
        guard !name.hasPrefix("RSA"), name != "dir" else { return nil }
        method =
            name.hasPrefix("ECDH")
            ? BASELINE_ECDH
            : name.hasPrefix("PBES2")
                ? BASELINE_PBES2 : name.hasSuffix("GCMKW") ? BASELINE_GCMKW : BASELINE_KW
        let bits = name.split(separator: "A").last.flatMap { Int($0.prefix { $0.isNumber }) }
        wrapBytes = (bits ?? 0) / 8
    }

    /// The bound. It is wider for symmetric algorithms except PBES2: their baselines take one or
    /// two microseconds.
    var bound: Bound { .ratio(method == BASELINE_ECDH || method == BASELINE_PBES2 ? 1.05 : 1.5) }
}

func keyManagementEntryScenarios(_ env: TestEnvironment) -> [Scenario] {
    KeyManagementAlgorithm.all.flatMap { algorithm -> [Scenario] in
        guard let baseline = EntryBaseline(algorithm) else { return [] }
        guard baseline.method == BASELINE_ECDH else { return entry(env, algorithm, baseline, nil) }
        return [JWKCurve.p256, .p384, .p521, .x25519, .x448].flatMap {
            entry(env, algorithm, baseline, $0)
        }
    }
}

private func entry(
    _ env: TestEnvironment, _ algorithm: KeyManagementAlgorithm, _ baseline: EntryBaseline,
    _ curve: JWKCurve?
) -> [Scenario] {
    let label = algorithm.description + (curve.map { "-\($0)" } ?? "")
    func makeKey() throws -> JWK {
        if let curve { return try JWK.generate(.curve(curve)) }
        return try JWK.generate(.symmetric(bits: baseline.wrapBytes * 8))
    }
    func encrypter(_ key: JWK) throws -> JWEEncrypter {
        var options = RecipientOptions()
        options.passwordIterations = 1_000
        return try JWEEncrypter(
            key: curve == nil ? key : key.publicKey, algorithm: algorithm, content: .a128CBCHS256,
            options: options)
    }
    return [
        Scenario("row-encrypt/\(label)-baseline", bytes: 600, gated: false) {
            let aad = encodedHeader(try encrypter(makeKey()).encrypt([1]))
            let made = try baselineEntry(env, baseline, curve)
            let payload = TestEnvironment.payload(600)
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(
                        baseline_entry_encrypt(made.entry, aad, aad.count, payload, payload.count)
                            == 1,
                        "encrypt")
                }
            }
        },
        Scenario(
            "row-encrypt/\(label)", baseline: "row-encrypt/\(label)-baseline",
            bound: baseline.bound,
            bytes: 600, gated: false
        ) {
            let encrypter = try encrypter(makeKey())
            let payload = TestEnvironment.payload(600)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        },
        Scenario("row-decrypt/\(label)-baseline", bytes: 600, gated: false) {
            let aad = encodedHeader(try encrypter(makeKey()).encrypt([1]))
            let made = try baselineEntry(env, baseline, curve)
            let into = try env.lane(.encryption2048, capacity: 600)
            // The AAD is lent to the lane for as long as the work lives.
            let lasting = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: aad.count)
            _ = lasting.update(fromContentsOf: aad)
            let payload = TestEnvironment.payload(600)
            try require(
                baseline_entry_encrypt(
                    made.entry, lasting.baseAddress, aad.count, payload, payload.count) == 1,
                "encrypt")
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(baseline_entry_decrypt(made.entry, made.lane, into) == 1, "decrypt")
                }
            }
        },
        Scenario(
            "row-decrypt/\(label)", baseline: "row-decrypt/\(label)-baseline",
            bound: baseline.bound,
            bytes: 600, gated: false
        ) {
            let key = try makeKey()
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [algorithm], content: [.a128CBCHS256])
            let token = try encrypter(key).encrypt(TestEnvironment.payload(600))
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(
                        decrypter.decrypt(token).unauthenticatedPlaintext.count == 600, "plaintext")
                }
            }
        },
    ]
}

private func baselineEntry(
    _ env: TestEnvironment, _ baseline: EntryBaseline, _ curve: JWKCurve?
) throws -> (entry: OpaquePointer, lane: OpaquePointer) {
    let lane = try env.lane(.encryption2048, capacity: 600)
    guard
        let entry = baseline_entry_new(lane, baseline.method, baseline.wrapBytes, curve?.name ?? "")
    else {
        throw BenchmarkFailure("libcrypto makes no contexts for this entry")
    }
    return (entry, lane)
}
