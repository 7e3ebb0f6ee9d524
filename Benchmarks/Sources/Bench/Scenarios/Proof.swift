// A request to a protected resource with a bound access token: token and proof in one call, beside
// the raw calls for both.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import JOSE
import JOSEOpenID
import Synchronization

/// Requests in one iteration: the task is woken for all of them once.
private let many = 64

/// What an access token holds.
private struct AccessClaims: Codable {
    var iss = "https://idp.example.com"
    var sub = "8f14e45fceea467a9af0c8f3d7d1b2a6"
    var aud = "https://api.example.com"
    var client_id = "s6BhdRkqt3"
    var scope = "read write"
    var jti = "cQWwnrhKPyyNyPpVKxPwPF6d"
    var iat: Int
    var exp: Int
    var cnf: [String: String]
}

/// Remembers every token for one use in memory as a new one, since each iteration brings the same.
final class FreshStore: ReplayStore {
    private let store = MemoryReplayStore(capacity: 50_000_000, quota: 50_000_000)
    private let count = Atomic<Int>(0)

    func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
        let number = count.add(1, ordering: .relaxed).newValue
        try store.markUsedNow(
            ReplayEntry(
                purpose: use.purpose, issuer: use.issuer, audience: use.audience,
                tokenID: String(number), issuedAt: use.issuedAt, leeway: use.leeway,
                expires: use.expires), at: now)
    }
}

/// One request, its verifier, and the parts that the raw calls need.
private struct ProofPeers {
    let server: ResourceServer
    let request: ResourceRequest
    let token: String
    let proof: String
    let point: [UInt8]
    let now = NumericDate.now

    init(_ env: TestEnvironment) throws {
        let key = try JWK.generate(.curve(.p256))
        let prover = try DPoPProver(key: key)
        let claims = AccessClaims(
            iat: Int(now.seconds), exp: Int(now.seconds) + 300, cnf: ["jkt": prover.keyThumbprint])
        token = try JWTIssuer(key: env.signingKey, algorithm: .rs256, type: "at+jwt")
            .issue(claims)
        let url = "https://api.example.com/accounts/17/transactions"
        proof = try prover.proof(method: "GET", url: url, accessToken: token, at: now)
        request = try ResourceRequest(
            method: "GET", url: url, authorization: "DPoP " + token, proofs: [proof])
        server = try ResourceServer(
            issuer: claims.iss, audiences: [claims.aud], keys: env.verificationSet,
            proofs: DPoPVerifier(server: claims.aud, replays: FreshStore()))
        let json = try key.publicJSON().split(separator: "\"")
        func number(_ name: Substring) throws -> [UInt8] {
            guard let place = json.firstIndex(of: name), place + 2 < json.count else {
                throw BenchmarkFailure("no point")
            }
            return decodeBase64URL(json[place + 2])
        }
        point = [4] + (try number("x")) + (try number("y"))
    }
}

func proofScenarios(_ env: TestEnvironment) -> [Scenario] {
    [
        Scenario("openid/dpop-baseline", gated: false) {
            let sides = try ProofPeers(env)
            let (token, proof) = (try SignedParts(sides.token), try SignedParts(sides.proof))
            let point = sides.point
            let text = Array(sides.token.utf8)
            let members = [UInt8](repeating: 0x61, count: 130)
            let baseline = SigningBaseline(try env.signing(.signing2048))
            try require(
                baseline_signing_take(baseline.pointer, token.signature, token.signature.count)
                    == 1,
                "signature")
            return { iterations, _ in
                try waiting {
                    for _ in 0..<iterations * many {
                        try require(
                            baseline_signing_verify(
                                baseline.pointer, token.input, token.input.count)
                                == 1, "token")
                        try require(
                            baseline_proof(
                                point, point.count, proof.input, proof.input.count,
                                proof.signature) == 1, "proof")
                        // ath and jkt.
                        baseline_sha256(text, text.count)
                        baseline_sha256(members, members.count)
                    }
                }
            }
        },
        // Not held by the gate: its allocations are another thread's, which are counted apart.
        Scenario("openid/dpop", baseline: "openid/dpop-baseline", bound: .ratio(1.06), gated: false)
        {
            let sides = try ProofPeers(env)
            return { iterations, _ in
                try waiting {
                    for _ in 0..<iterations * many {
                        let access = try await sides.server.verify(
                            sides.request, scopes: ["read"], at: sides.now)
                        try require(!access.binding.isEmpty, "binding")
                    }
                }
            }
        },
    ]
}

/// A baseline that one task at a time uses.
private struct SigningBaseline: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
}
