// Key sets by size, and keys from JWK, PEM and DER: reading, picking, the first use and later ones.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func keySetScenarios(_ env: TestEnvironment) -> [Scenario] {
    let bounds: [Int: Double] = [10: 6_000, 1_000: 300_000, 10_000: 5_000_000]
    func text(_ count: Int) -> [UInt8] {
        Array(keySetJSON(count: count, last: .signing2048, use: "sig", alg: "RS256").utf8)
    }
    return [1, 10, 1_000, 10_000].flatMap { count -> [Scenario] in
        let isSmall = count <= 1_000
        return [
            Scenario(
                "set-\(count)/read-and-pick", bound: bounds[count].map { .nanoseconds($0) },
                gated: isSmall
            ) {
                let json = text(count)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        let set = try PublicJWKSet(json: json, limits: TestEnvironment.wide)
                        _ = try set.key(keyID: "sig-2048")
                    }
                }
            },
            Scenario("set-\(count)/pick", gated: isSmall) {
                let set = try PublicJWKSet(json: text(count), limits: TestEnvironment.wide)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try set.key(keyID: "sig-2048") }
                }
            },
            Scenario("set-\(count)/first-verify", gated: isSmall) {
                let json = text(count)
                let token = env.token
                return { iterations, _ in
                    for _ in 0..<iterations {
                        let set = try PublicJWKSet(json: json, limits: TestEnvironment.wide)
                        _ = try JWSVerifier(keys: set, algorithms: [.rs256]).verify(token)
                    }
                }
            },
            Scenario(
                "set-\(count)/later-verify", baseline: "verify/baseline", bound: .ratio(1.03),
                gated: isSmall
            ) {
                let set = try PublicJWKSet(json: text(count), limits: TestEnvironment.wide)
                let verifier = try JWSVerifier(keys: set, algorithms: [.rs256])
                let token = env.token
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try verifier.verify(token) }
                }
            },
        ]
    }
}

func keyScenarios(_ env: TestEnvironment) -> [Scenario] {
    let fixture = FixtureKey.signing2048
    return [
        Scenario("key/fromdata-baseline") {
            let numbers = fixture.numbers
            let importer = withBaselineNumbers(numbers) { baseline_importer_new($0[0], $0[1]) }
            return { iterations, _ in
                for _ in 0..<iterations { try require(baseline_import(importer) == 1, "fromdata") }
            }
        },
        Scenario("key/public-jwk", baseline: "key/fromdata-baseline", bound: .ratio(2)) {
            let json = Array(fixture.publicJWK(use: "sig", alg: "RS256").utf8)
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try JWSVerifier(key: try JWK(json: json), algorithms: [.rs256])
                }
            }
        },
        Scenario("key/private-jwk", baseline: "key/pkcs8-der-baseline", bound: .nanoseconds(25_000))
        {
            let json = Array(fixture.privateJWK(use: "sig", alg: "RS256").utf8)
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try JWSSigner(key: try JWK(json: json), algorithm: .rs256)
                }
            }
        },
    ] + keyFileScenarios(env)
}

/// Key files, read and prepared, beside libcrypto's readers alone.
private func keyFileScenarios(_ env: TestEnvironment) -> [Scenario] {
    let forms: [(label: String, form: baseline_form)] = [
        ("pkcs8-pem", BASELINE_PKCS8_PEM), ("pkcs8-der", BASELINE_PKCS8_DER),
        ("pkcs1-pem", BASELINE_PKCS1_PEM), ("pkcs1-der", BASELINE_PKCS1_DER),
        ("spki-pem", BASELINE_SPKI_PEM), ("spki-der", BASELINE_SPKI_DER),
    ]
    return forms.flatMap { label, form -> [Scenario] in
        let isPublic = label.hasPrefix("spki")
        let name = "key/" + label
        return [
            Scenario(name + "-baseline") {
                let file = try env.keyFile(form, .signing2048)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        try require(baseline_read_key(form, file, file.count) == 1, label)
                    }
                }
            },
            Scenario(
                name, baseline: name + "-baseline", bound: isPublic ? nil : .nanoseconds(25_000)
            ) {
                let file = try env.keyFile(form, .signing2048)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        let key = try KeyFileContents(file).key()
                        if isPublic {
                            _ = try JWSVerifier(key: key, algorithms: [.rs256])
                        } else {
                            _ = try JWSSigner(key: key, algorithm: .rs256)
                        }
                    }
                }
            },
        ]
    }
}

extension TestEnvironment {
    /// A key file as libcrypto writes it.
    func keyFile(_ form: baseline_form, _ key: FixtureKey) throws -> [UInt8] {
        var file = [UInt8](repeating: 0, count: 4_096)
        let count = baseline_write_key(form, try baselineKey(key), &file, file.count)
        try require(count > 0, "libcrypto writes no key file")
        return Array(file[..<count])
    }
}
