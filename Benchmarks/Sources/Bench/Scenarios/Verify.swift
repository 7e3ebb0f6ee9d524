// Verification: a token to its payload, to checked claims, to a Codable of twenty members;
// rejections.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

/// Whether a vector kernel verifies here, or that of doubles; elsewhere OpenSSL's Montgomery
/// functions.
let hasKernels = KeyAcceleration.kernelsInUse.contains("rsa")
let hasDoubles = !hasKernels && KeyAcceleration.kernelsInUse.contains("rsa-fma")
/// Whether texts are read and written by AVX2 or better: else base64url is a twelfth of the work of
/// 64 KB, or more.
let hasTextVectors = hasKernels || hasDoubles
private let verifyBound = Bound.ratio(KernelBounds.here?.verify ?? 0.92)

func verifyScenarios(_ env: TestEnvironment) -> [Scenario] {
    let bytes = env.claims.count
    return [
        Scenario("verify/baseline", bytes: bytes) { try verifyBaseline(env, env.token) },
        Scenario("verify/payload", baseline: "verify/baseline", bound: verifyBound, bytes: bytes) {
            let verifier = env.verifier
            let token = env.token
            let count = env.claims.count
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(verifier.verify(token).payload.count == count, "payload")
                }
            }
        },
        Scenario(
            "verify/into-buffer", baseline: "verify/baseline", bound: verifyBound, bytes: bytes
        ) {
            let verifier = env.verifier
            let token = Array(env.token.utf8)
            let count = env.claims.count
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
            return { iterations, _ in
                for _ in 0..<iterations {
                    var out = OutputSpan(buffer: buffer, initializedCount: 0)
                    try verifier.verify(token.span, payload: &out)
                    try require(out.finalize(for: buffer) == count, "payload")
                }
            }
        },
        Scenario("verify/one-key", baseline: "verify/baseline", bound: verifyBound, bytes: bytes) {
            let verifier = try JWSVerifier(key: env.verificationKey, algorithms: [.rs256])
            let token = env.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
        Scenario(
            "verify/policy", baseline: "verify/baseline",
            bound: .ratio(hasKernels ? 0.52 : hasDoubles ? 0.68 : 1.09),
            bytes: bytes
        ) {
            let verifier = try env.jwtVerifier(
                .required(keys: env.verificationSet, algorithms: [.rs256]))
            let token = env.token
            return { iterations, _ in
                for _ in 0..<iterations { _ = try verifier.verify(token) }
            }
        },
        decoding(env, "claims") { env.token },
        decoding(env, "claims-reordered") { try env.signer.sign(env.foreignClaims) },
    ]
}

private func decoding(
    _ env: TestEnvironment, _ name: String, _ token: @escaping () throws -> String
) -> Scenario {
    Scenario(
        "verify/" + name, baseline: "verify/baseline",
        bound: .ratio(hasKernels ? 0.62 : hasDoubles ? 0.80 : 1.20),
        bytes: env.claims.count
    ) {
        let verifier = try env.jwtVerifier(
            .required(keys: env.verificationSet, algorithms: [.rs256]))
        let token = try token()
        return { iterations, _ in
            for _ in 0..<iterations {
                let claims = try verifier.verify(token, as: IDTokenClaims.self)
                try require(claims.updated_at == 1_699_000_000, "claims")
            }
        }
    }
}

func verifyBaseline(_ env: TestEnvironment, _ token: String, key: FixtureKey = .signing2048) throws
    -> Work
{
    let parts = try SignedParts(token)
    let (input, signature) = (parts.input, parts.signature)
    // One a thread, for the scenarios that use two.
    let baselines = [try env.signing(key), try env.signing(key)]
    for baseline in baselines {
        try require(baseline_signing_take(baseline, signature, signature.count) == 1, "signature")
    }
    return { iterations, thread in
        for _ in 0..<iterations {
            try require(
                baseline_signing_verify(baselines[thread], input, input.count) == 1, "verify")
        }
    }
}

/// What a hostile or unlucky caller sends. Without an RSA operation: a microsecond, no allocation.
func rejectScenarios(_ env: TestEnvironment) -> [Scenario] {
    let quick = Bound.nanoseconds(1_000)
    func rejection(
        _ name: String, _ code: JOSEError.Code, baseline: String? = nil, bound: Bound? = quick,
        _ token: @escaping () throws -> String
    ) -> Scenario {
        Scenario("reject/" + name, baseline: baseline, bound: bound) {
            let verifier = env.verifier
            let token = Array(try token().utf8)
            return { iterations, _ in
                for _ in 0..<iterations {
                    do throws(JOSEError) {
                        _ = try verifier.verify(token)
                    } catch {
                        if error.code == code { continue }
                        throw BenchmarkFailure("\(name): rejected as \(error.code)")
                    }
                    throw BenchmarkFailure("\(name): not rejected")
                }
            }
        }
    }
    func resigned(_ header: String) -> String {
        let parts = env.token.split(separator: ".")
        return encodeBase64URL(Array(header.utf8)) + "." + parts[1] + "." + parts[2]
    }
    return [
        // Looked at twice: by the fastest way, then by OpenSSL's Montgomery functions
        // (docs/kernels.md).
        rejection(
            "signature", .signatureInvalid, baseline: "verify/baseline",
            bound: .ratio(hasKernels ? 1.25 : hasDoubles ? 1.60 : 1.88)
        ) {
            var parts = env.token.split(separator: ".").map(String.init)
            var signature = decodeBase64URL(parts[2])
            signature[100] ^= 1
            parts[2] = encodeBase64URL(signature)
            return parts.joined(separator: ".")
        },
        rejection("signature-length", .signatureInvalid) {
            let parts = try SignedParts(env.token)
            return String(decoding: parts.input, as: UTF8.self) + "."
                + encodeBase64URL(parts.signature.dropLast())
        },
        rejection("unknown-kid", .keyNotFound) {
            resigned(#"{"alg":"RS256","kid":"sig-2049","typ":"JWT"}"#)
        },
        rejection("algorithm", .algorithmNotAllowed) {
            resigned(#"{"alg":"none","kid":"sig-2048","typ":"JWT"}"#)
        },
        rejection("header-json", .malformed) {
            resigned(#"{"alg":"RS256","kid":"sig-2048","typ":"JWT"]"#)
        },
        rejection("garbage", .malformed) { String(repeating: "Aa0_-", count: 200) },
        expired(env),
    ]
}

private func expired(_ env: TestEnvironment) -> Scenario {
    Scenario(
        "reject/expired", baseline: "verify/baseline",
        bound: .ratio(hasKernels ? 0.52 : hasDoubles ? 0.68 : 1.09)
    ) {
        let verifier = try env.jwtVerifier(
            .required(keys: env.verificationSet, algorithms: [.rs256]))
        var claims = IDTokenClaims.sample
        claims.exp = 1_700_000_600
        let token = try env.issuer.issue(claims)
        return { iterations, _ in
            for _ in 0..<iterations {
                do throws(JOSEError) {
                    _ = try verifier.verify(token)
                } catch {
                    if error.code == .claimRejected { continue }
                }
                throw BenchmarkFailure("the token should have expired")
            }
        }
    }
}
