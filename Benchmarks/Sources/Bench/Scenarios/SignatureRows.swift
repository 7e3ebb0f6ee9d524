// Signing and verifying 600 bytes by every row of the signature table, each beside its floor.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchFloors
import JOSE

func signatureRowScenarios(_ env: TestEnvironment) -> [Scenario] {
    SignatureAlgorithm.all.flatMap { row -> [Scenario] in
        let name = "row-\(row)/"
        let payload = env.payload600
        // A MAC takes less than a microsecond: what is around it is seen.
        let bound = Bound.ratio(row.keyTypes == [.oct] ? 1.5 : 1.05)
        // ML-DSA tries until a signature fits.
        let varies = row.keyTypes == [.akp]
        return [
            Scenario(name + "sign-floor", bytes: payload.count, gated: false, varies: varies) {
                let (floor, input) = try rowFloor(env, row)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(floor_signing_sign(floor, input, input.count) == 1, "sign")
                    }
                }
            },
            Scenario(
                name + "sign", floor: name + "sign-floor", bound: bound, bytes: payload.count,
                gated: false, varies: varies
            ) {
                let signer = try JWSSigner(key: rowKey(row), algorithm: row)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try signer.sign(payload) }
                }
            },
            Scenario(name + "verify-floor", bytes: payload.count, gated: false) {
                let (floor, input) = try rowFloor(env, row)
                try require(floor_signing_sign(floor, input, input.count) == 1, "sign")
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(floor_signing_verify(floor, input, input.count) == 1, "verify")
                    }
                }
            },
            Scenario(
                name + "verify", floor: name + "verify-floor", bound: bound, bytes: payload.count,
                gated: false
            ) {
                let key = try rowKey(row)
                let token = try JWSSigner(key: key, algorithm: row).sign(payload)
                let verifier = try JWSVerifier(
                    key: key.keyType == .oct ? key : key.publicKey, algorithms: [row])
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try verifier.verify(token) }
                }
            },
        ]
    }
}

/// What was asked for and cannot be measured: rows that are newer than the libcrypto that runs.
func absentSignatureRows(_ options: Options) -> [String] {
    [SignatureAlgorithm.mlDSA44, .mlDSA65, .mlDSA87]
        .filter { !$0.isAvailable && options.wants("row-\($0)/sign") }
        .map {
            "row-\($0): not in OpenSSL \(String(cString: floor_crypto_version())), not measured"
        }
}

private func rowFloor(
    _ env: TestEnvironment, _ row: SignatureAlgorithm
) throws -> (floor: OpaquePointer, input: [UInt8]) {
    let key = try rowKey(row)
    let bytes = try key.floorBytes()
    guard let floor = floor_signing_new(row.name, bytes, bytes.count) else {
        throw BenchmarkFailure("no floor for \(row)")
    }
    let token = try JWSSigner(key: key, algorithm: row).sign(env.payload600)
    return (floor, try SignedParts(token).input)
}

/// A key that the row takes.
private func rowKey(_ row: SignatureAlgorithm) throws -> JWK {
    if row.keyTypes.contains(.rsa) {
        return try JWK(json: FixtureKey.signing2048.privateJWK(use: "sig", alg: nil))
    }
    if row.keyTypes.contains(.oct) {
        return try JWK(symmetricKey: [UInt8](repeating: 7, count: 64))
    }
    if row.keyTypes == [.akp] { return try JWK.generate(.akp(row)) }
    for curve in JWKCurve.all {
        let key = try JWK.generate(.curve(curve))
        if (try? JWSSigner(key: key, algorithm: row)) != nil { return key }
    }
    throw BenchmarkFailure("no key for \(row)")
}
