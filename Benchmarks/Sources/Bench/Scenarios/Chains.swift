// Certificate chains of a JWK, x5c: two certificates below one root, validated in
// full and from the cache.

@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE

func chainScenarios(_ env: TestEnvironment) -> [Scenario] {
    let seconds: Int64 = 1_800_000_000
    return [
        Scenario("chain/baseline") {
            let chain = try ChainFixture(env)
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(chain.validateRaw(at: seconds), "X509_verify_cert")
                }
            }
        },
        // The store of each pass is new, so that nothing is remembered; the baseline reads the root
        // too. Not gated: a new table of what is remembered asks for memory once or twice.
        Scenario("chain/validate", baseline: "chain/baseline", bound: .ratio(1.05), gated: false) {
            let chain = try ChainFixture(env)
            let now = try NumericDate(seconds: seconds)
            return { iterations, _ in
                for _ in 0..<iterations {
                    let store = try TrustStore(anchors: [chain.root])
                    _ = try chain.key.validated(by: store, purpose: .signature, at: now)
                }
            }
        },
        Scenario("chain/remembered", bound: .nanoseconds(1_000)) {
            let chain = try ChainFixture(env)
            let now = try NumericDate(seconds: seconds)
            let store = try TrustStore(anchors: [chain.root])
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try chain.key.validated(by: store, purpose: .signature, at: now)
                }
            }
        },
        Scenario("chain/read-jwk") {
            let json = try ChainFixture(env).json
            return { iterations, _ in
                for _ in 0..<iterations { _ = try JWK(json: json) }
            }
        },
    ]
}

/// A leaf for the signing key, an authority above it and a root.
private final class ChainFixture {
    let root: [UInt8]
    let json: [UInt8]
    let key: JWK
    private let chain: [[UInt8]]

    init(_ env: TestEnvironment) throws {
        func certificate(
            _ subject: FixtureKey, _ name: String, by issuer: FixtureKey, _ issuerName: String,
            isAuthority: Bool
        ) throws -> [UInt8] {
            var der = [UInt8](repeating: 0, count: 4_096)
            let count = baseline_certificate(
                try env.baselineKey(subject), name, try env.baselineKey(issuer), issuerName,
                isAuthority ? 1 : 0, &der, der.count)
            try require(count > 0, "libcrypto makes no certificate")
            return Array(der[..<count])
        }
        root = try certificate(.rsa3072, "Root", by: .rsa3072, "Root", isAuthority: true)
        let authority = try certificate(
            .encryption2048, "Issuing authority", by: .rsa3072, "Root", isAuthority: true)
        let leaf = try certificate(
            .signing2048, "client.example.org", by: .encryption2048, "Issuing authority",
            isAuthority: false)
        chain = [leaf, authority]
        let encoded = chain.map { #""\#(encodeBase64($0))""# }.joined(separator: ",")
        let plain = FixtureKey.signing2048.publicJWK(use: "sig", alg: "RS256").dropLast()
        json = Array((plain + #","x5c":[\#(encoded)]}"#).utf8)
        key = try JWK(json: json)
    }

    func validateRaw(at now: Int64) throws -> Bool {
        guard let anchor = baseline_anchor_new(root, root.count) else { return false }
        defer { baseline_anchor_free(anchor) }
        return chain[0].withUnsafeBufferPointer { leaf in
            chain[1].withUnsafeBufferPointer { authority in
                let pointers = [leaf.baseAddress, authority.baseAddress]
                let counts = [leaf.count, authority.count]
                return baseline_validate(anchor, pointers, counts, 2, now) == 1
            }
        }
    }
}
