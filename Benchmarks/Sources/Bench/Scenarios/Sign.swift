// Signing: bytes to a compact JWS, an Encodable to a JWT, and the sizes of RSA keys. Each signature
// is verified before it leaves, which the baseline does not do; the entries called portable do it
// by OpenSSL's Montgomery functions.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func signScenarios(_ env: TestEnvironment) -> [Scenario] {
    let bytes = env.claims.count
    return [
        Scenario("sign/baseline", bytes: bytes) { try signBaseline(env, env.token) },
        signing(env, "payload", bound: 1.01) { env.signer },
        signing(env, "payload-portable", bound: 1.07) { env.portableSigner },
        issuing(env, "issue", bound: 1.02) { env.issuer },
        issuing(env, "issue-portable", bound: 1.08) { env.portableIssuer },
    ]
}

private func signing(
    _ env: TestEnvironment, _ name: String, bound: Double, _ signer: @escaping () -> JWSSigner
) -> Scenario {
    Scenario(
        "sign/" + name, baseline: "sign/baseline", bound: .ratio(bound), bytes: env.claims.count
    ) {
        let signer = signer()
        let claims = env.claims
        return { iterations, _ in
            for _ in 0..<iterations { _ = try signer.sign(claims) }
        }
    }
}

private func issuing(
    _ env: TestEnvironment, _ name: String, bound: Double, _ issuer: @escaping () -> JWTIssuer
) -> Scenario {
    Scenario(
        "sign/" + name, baseline: "sign/baseline", bound: .ratio(bound), bytes: env.claims.count
    ) {
        let issuer = issuer()
        let claims = IDTokenClaims.sample
        return { iterations, _ in
            for _ in 0..<iterations { _ = try issuer.issue(claims) }
        }
    }
}

func signBaseline(_ env: TestEnvironment, _ token: String, key: FixtureKey = .signing2048) throws
    -> Work
{
    let input = try SignedParts(token).input
    let baselines = [try env.signing(key), try env.signing(key)]
    return { iterations, thread in
        for _ in 0..<iterations {
            try require(baseline_signing_sign(baselines[thread], input, input.count) == 1, "sign")
        }
    }
}

/// Larger keys: verify and sign, each beside its baseline.
func sizeScenarios(_ env: TestEnvironment) -> [Scenario] {
    [FixtureKey.rsa3072, .rsa4096].flatMap { fixture -> [Scenario] in
        let name = "rsa-\(fixture.bits)/"
        func signer() throws -> JWSSigner {
            try JWSSigner(
                key: try JWK(json: fixture.privateJWK(use: "sig", alg: "RS256")), algorithm: .rs256)
        }
        return [
            Scenario(name + "verify-baseline") {
                try verifyBaseline(env, try signer().sign(env.claims), key: fixture)
            },
            Scenario(
                name + "verify", baseline: name + "verify-baseline",
                bound: .ratio(hasKernels ? 0.45 : hasDoubles ? 0.60 : 1.03)
            ) {
                let key = try JWK(json: fixture.publicJWK(use: "sig", alg: "RS256"))
                let verifier = try JWSVerifier(key: key, algorithms: [.rs256])
                let token = try signer().sign(env.claims)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try verifier.verify(token) }
                }
            },
            Scenario(name + "sign-baseline", gated: false) {
                try signBaseline(env, try signer().sign(env.claims), key: fixture)
            },
            Scenario(
                name + "sign", baseline: name + "sign-baseline", bound: .ratio(1.01), gated: false
            ) {
                let signer = try signer()
                let claims = env.claims
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try signer.sign(claims) }
                }
            },
        ]
    }
}
