// Signing and verifying 600 bytes by every entry of the signature table, each beside its baseline.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func signatureEntryScenarios(_ env: TestEnvironment) -> [Scenario] {
    SignatureAlgorithm.all.flatMap { entry -> [Scenario] in
        let name = "row-\(entry)/"
        let payload = env.payload600
        // A MAC takes less than a microsecond: what is around it is seen.
        let bound = Bound.ratio(entry.keyTypes == [.oct] ? 1.5 : 1.05)
        // ML-DSA tries until a signature fits.
        let varies = entry.keyTypes == [.akp]
        return [
            Scenario(name + "sign-baseline", bytes: payload.count, gated: false, varies: varies) {
                let (baseline, input) = try entryBaseline(env, entry)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(
                            baseline_signing_sign(baseline, input, input.count) == 1, "sign")
                    }
                }
            },
            Scenario(
                name + "sign", baseline: name + "sign-baseline", bound: bound, bytes: payload.count,
                gated: false, varies: varies
            ) {
                let signer = try JWSSigner(key: entryKey(entry), algorithm: entry)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try signer.sign(payload) }
                }
            },
            Scenario(name + "verify-baseline", bytes: payload.count, gated: false) {
                let (baseline, input) = try entryBaseline(env, entry)
                try require(baseline_signing_sign(baseline, input, input.count) == 1, "sign")
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(
                            baseline_signing_verify(baseline, input, input.count) == 1, "verify")
                    }
                }
            },
            Scenario(
                name + "verify", baseline: name + "verify-baseline", bound: bound,
                bytes: payload.count,
                gated: false
            ) {
                let key = try entryKey(entry)
                let token = try JWSSigner(key: key, algorithm: entry).sign(payload)
                let verifier = try JWSVerifier(
                    key: key.keyType == .oct ? key : key.publicKey, algorithms: [entry])
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try verifier.verify(token) }
                }
            },
        ]
    }
}

/// What was asked for and cannot be measured: entries that are newer than the libcrypto that runs.
func absentSignatureEntries(_ options: Options) -> [String] {
    [SignatureAlgorithm.mlDSA44, .mlDSA65, .mlDSA87]
        .filter { !$0.isAvailable && options.wants("row-\($0)/sign") }
        .map {
            "row-\($0): not in OpenSSL \(String(cString: baseline_crypto_version())), not measured"
        }
}

private func entryBaseline(
    _ env: TestEnvironment, _ entry: SignatureAlgorithm
) throws -> (baseline: OpaquePointer, input: [UInt8]) {
    let key = try entryKey(entry)
    let bytes = try key.baselineBytes()
    guard let baseline = baseline_signing_new(entry.name, bytes, bytes.count) else {
        throw BenchmarkFailure("no baseline for \(entry)")
    }
    let token = try JWSSigner(key: key, algorithm: entry).sign(env.payload600)
    return (baseline, try SignedParts(token).input)
}

/// A key that the entry takes.
private func entryKey(_ entry: SignatureAlgorithm) throws -> JWK {
    if entry.keyTypes.contains(.rsa) {
        return try JWK(json: FixtureKey.signing2048.privateJWK(use: "sig", alg: nil))
    }
    if entry.keyTypes.contains(.oct) {
        return try JWK(symmetricKey: [UInt8](repeating: 7, count: 64))
    }
    if entry.keyTypes == [.akp] { return try JWK.generate(.akp(entry)) }
    for curve in JWKCurve.all {
        let key = try JWK.generate(.curve(curve))
        if (try? JWSSigner(key: key, algorithm: entry)) != nil { return key }
    }
    throw BenchmarkFailure("no key for \(entry)")
}
