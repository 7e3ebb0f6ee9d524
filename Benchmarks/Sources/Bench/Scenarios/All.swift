// The lists of everything that is measured, in the order of the table.

@_spi(Bench) import JOSEBenchmark
import CBenchProbe
import JOSE

func allScenarios(_ env: TestEnvironment) throws -> [Scenario] {
    try scenarios(env).map { scenario in
        var scenario = scenario
        if hasDoubles, byDoubles.contains(where: { scenario.name.hasPrefix($0) }) {
            scenario.coreShare = { bench_vector_share() }
        }
        return scenario
    }
}

/// What the kernel of doubles takes most of.
private let byDoubles = [
    "verify/", "reject/", "kernels/verify-batch", "kernels/encrypt-600B", "rsa-3072/verify",
    "rsa-4096/verify", "private/",
]

private func scenarios(_ env: TestEnvironment) throws -> [Scenario] {
    verifyScenarios(env) + fetchedScenarios(env) + kernelScenarios(env)
        + rejectScenarios(env) + signScenarios(env)
        + encryptScenarios(env) + decryptScenarios(env) + nestedScenarios(env)
        + privateKeyScenarios(env)
        + rsaEntryScenarios(env) + keyManagementEntryScenarios(env) + contentEntryScenarios(env)
        + openIDScenarios(env)
        + proofScenarios(env) + pushedScenarios(env)
        + keySetScenarios(env) + keyScenarios(env) + chainScenarios(env)
        + sizeScenarios(env) + signatureEntryScenarios(env) + threadScenarios(env)
}

func allGrowths(_ env: TestEnvironment) -> [Growth] {
    [
        Growth(
            name: "encrypt by payload", unit: "byte", sizes: [1_024, 16_384, 262_144, 4_194_304],
            expected: "O(N)"
        ) { size in
            let encrypter = try env.encrypter(.rsaOAEP256)
            let payload = TestEnvironment.payload(size)
            return { iterations, _ in
                for _ in 0..<iterations { _ = try encrypter.encrypt(payload) }
            }
        },
        Growth(
            name: "verify by payload", unit: "byte", sizes: [1_024, 16_384, 262_144, 4_194_304],
            expected: "O(N)"
        ) { size in
            let verifier = try JWSVerifier(
                key: env.verificationKey, algorithms: [.rs256], limits: TestEnvironment.wide)
            let token = try JWSSigner(
                key: env.signingKey, algorithm: .rs256, limits: TestEnvironment.wide
            )
            .sign(
                TestEnvironment.payload(size))
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
        Growth(
            name: "read a set by keys", unit: "key", sizes: [10, 100, 1_000, 10_000],
            expected: "O(N)"
        ) { size in
            let json = keySetJSON(count: size, last: .signing2048, use: "sig", alg: "RS256")
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try PublicJWKSet(json: json, limits: TestEnvironment.wide)
                }
            }
        },
        Growth(
            name: "verify by keys in the set", unit: "key", sizes: [10, 100, 1_000, 10_000],
            expected: "O(1)"
        ) { size in
            let json = keySetJSON(count: size, last: .signing2048, use: "sig", alg: "RS256")
            let verifier = try JWSVerifier(
                keys: try PublicJWKSet(json: json, limits: TestEnvironment.wide),
                algorithms: [.rs256])
            let token = env.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
        Growth(
            name: "verify by claims", unit: "claim", sizes: [32, 256, 2_048, 16_384],
            expected: "O(N)"
        ) { size in
            let members = (0..<size).map { #""claim-\#($0)":\#($0)"# }.joined(separator: ",")
            let json =
                #"{"iss":"\#(IDTokenClaims.issuer)","aud":"\#(IDTokenClaims.audience)","#
                + #""exp":4102444800,\#(members)}"#
            let token = try JWSSigner(
                key: env.signingKey, algorithm: .rs256, limits: TestEnvironment.wide
            )
            .sign(
                Array(json.utf8))
            let verifier = try env.jwtVerifier(
                .required(
                    key: env.verificationKey, algorithms: [.rs256], limits: TestEnvironment.wide))
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
    ]
}

/// The two large operations whose peak memory is bounded.
func memoryWorks(_ env: TestEnvironment) throws -> [(name: String, tokenBytes: Int, work: Work)] {
    let payload = TestEnvironment.payload(16 << 20)
    let encrypter = try env.encrypter(.rsaOAEP256)
    let decrypter = try env.decrypter(.rsaOAEP256)
    let token = try encrypter.encrypt(payload)
    return [
        ("encrypt 16 MB", token.utf8.count, { _, _ in _ = try encrypter.encrypt(payload) }),
        ("decrypt 16 MB", token.utf8.count, { _, _ in _ = try decrypter.decrypt(token) }),
    ]
}

/// Work whose cost is fitted against a size, such as the number of keys in a set.
struct Growth {
    let name: String
    let unit: String
    let sizes: [Int]
    /// The largest fit that still counts as kept, such as `O(N)`.
    let expected: String
    let prepare: (_ size: Int) throws -> Work
}
