// Every row of key management beside RSA-OAEP and dir, 600 bytes of A128CBC-HS256 content, with its floor.

@_spi(Bench) import JOSEBenchmark
import CBenchFloors
import JOSE

/// What a row's floor does, read from its registered name.
private struct RowFloor {
    let way: floor_way
    let wrapBytes: Int

    init?(_ algorithm: KeyManagementAlgorithm) {
        let name = algorithm.description
        guard !name.hasPrefix("RSA"), name != "dir" else { return nil }
        way =
            name.hasPrefix("ECDH")
            ? FLOOR_ECDH
            : name.hasPrefix("PBES2")
                ? FLOOR_PBES2 : name.hasSuffix("GCMKW") ? FLOOR_GCMKW : FLOOR_KW
        let bits = name.split(separator: "A").last.flatMap { Int($0.prefix { $0.isNumber }) }
        wrapBytes = (bits ?? 0) / 8
    }

    /// The promise: the floors of symmetric rows are a microsecond or two, but for those of passwords.
    var bound: Bound { .ratio(way == FLOOR_ECDH || way == FLOOR_PBES2 ? 1.05 : 1.5) }
}

func keyManagementRowScenarios(_ env: TestEnvironment) -> [Scenario] {
    KeyManagementAlgorithm.all.flatMap { algorithm -> [Scenario] in
        guard let floor = RowFloor(algorithm) else { return [] }
        guard floor.way == FLOOR_ECDH else { return row(env, algorithm, floor, nil) }
        return [JWKCurve.p256, .p384, .p521, .x25519, .x448].flatMap {
            row(env, algorithm, floor, $0)
        }
    }
}

private func row(
    _ env: TestEnvironment, _ algorithm: KeyManagementAlgorithm, _ floor: RowFloor, _ curve: JWKCurve?
) -> [Scenario] {
    let label = algorithm.description + (curve.map { "-\($0)" } ?? "")
    func makeKey() throws -> JWK {
        if let curve { return try JWK.generate(.curve(curve)) }
        return try JWK.generate(.symmetric(bits: floor.wrapBytes * 8))
    }
    func encrypter(_ key: JWK) throws -> JWEEncrypter {
        var options = RecipientOptions()
        options.passwordIterations = 1_000
        return try JWEEncrypter(
            key: curve == nil ? key : key.publicKey, algorithm: algorithm, content: .a128CBCHS256,
            options: options)
    }
    return [
        Scenario("row-encrypt/\(label)-floor", bytes: 600, gated: false) {
            let aad = encodedHeader(try encrypter(makeKey()).encrypt([1]))
            let made = try floorRow(env, floor, curve)
            let payload = TestEnvironment.payload(600)
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(
                        floor_row_encrypt(made.row, aad, aad.count, payload, payload.count) == 1,
                        "encrypt")
                }
            }
        },
        Scenario(
            "row-encrypt/\(label)", floor: "row-encrypt/\(label)-floor", bound: floor.bound,
            bytes: 600, gated: false
        ) {
            let encrypter = try encrypter(makeKey())
            let payload = TestEnvironment.payload(600)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        },
        Scenario("row-decrypt/\(label)-floor", bytes: 600, gated: false) {
            let aad = encodedHeader(try encrypter(makeKey()).encrypt([1]))
            let made = try floorRow(env, floor, curve)
            let into = try env.lane(.encryption2048, capacity: 600)
            // The AAD is lent to the lane for as long as the work lives.
            let lasting = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: aad.count)
            _ = lasting.update(fromContentsOf: aad)
            let payload = TestEnvironment.payload(600)
            try require(
                floor_row_encrypt(
                    made.row, lasting.baseAddress, aad.count, payload, payload.count) == 1,
                "encrypt")
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(floor_row_decrypt(made.row, made.lane, into) == 1, "decrypt")
                }
            }
        },
        Scenario(
            "row-decrypt/\(label)", floor: "row-decrypt/\(label)-floor", bound: floor.bound,
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

private func floorRow(
    _ env: TestEnvironment, _ floor: RowFloor, _ curve: JWKCurve?
) throws -> (row: OpaquePointer, lane: OpaquePointer) {
    let lane = try env.lane(.encryption2048, capacity: 600)
    guard let row = floor_row_new(lane, floor.way, floor.wrapBytes, curve?.name ?? "") else {
        throw BenchmarkFailure("libcrypto makes no contexts for this row")
    }
    return (row, lane)
}
