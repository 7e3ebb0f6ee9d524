// Verifies a DPoP proof like the server of one vector, without recording its use.

import JOSE
import JOSEOpenID
import Testing

struct ProofRunner {
    let entry: VectorCase

    func run() throws -> DPoPVerifier.CheckedProof {
        var rules = DPoPRules.standard
        if let names = entry.input["algs"]?.array {
            rules.algorithms = try names.map { name in
                try need(SignatureAlgorithm(name: need(name.string)))
            }
        }
        let asksNonce = entry.input["asks_nonce"]?.isTrue ?? false
        let verifier = try DPoPVerifier(
            server: "https://resource.example.org", replays: MemoryReplayStore(), rules: rules,
            nonces: asksNonce ? DPoPNonces() : nil)
        let now = try need(NumericDate(exactly: Int64(need(entry.input["now"]?.int))))
        return try verifier.check(
            [need(entry["compact"])],
            DPoPVerifier.ExpectedRequest(
                method: need(entry["method"]), url: need(entry["url"]),
                accessToken: entry["access_token"], thumbprint: entry["jkt"]), at: now)
    }
}
