// A server's nonces are stateless, and nonces of others are rejected.

import JOSE
import JOSEOpenID
import Testing

@Suite("DPoP nonces")
struct NonceTests {
    private func nonce(_ handler: ProofHandler, at now: NumericDate = .testNow) throws -> DPoPNonce
    {
        try DPoPNonce(header: need(handler.verifier.freshNonce(at: now)))
    }

    private func at(_ seconds: Int64) -> NumericDate { TestEnvironment.at(seconds) }

    @Test("RFC 9449 9: the first request receives a nonce, and the second sends it")
    func exchange() async throws {
        let handler = try ProofHandler(nonces: DPoPNonces())
        let first = try handler.proof()
        let error = await expectRejection("claim-rejected nonce") { try await handler.open(first) }
        let rejection = try ResourceError(
            rejecting: need(error), proofs: handler.verifier, at: .testNow)
        #expect(rejection.code == .useDPoPNonce && rejection.status == 401)
        let response = try rejection.response()
        #expect(
            response.header("WWW-Authenticate")
                == #"DPoP error="use_dpop_nonce", algs="ES256 Ed25519 EdDSA PS256 RS256", Bearer "#
                + #"realm="resource""#
        )
        let text = try need(response.header("DPoP-Nonce"))
        let nonce = try DPoPNonce(header: text)
        #expect(try await handler.open(handler.proof(nonce: nonce)).nextNonce == nil)
        #expect(!"\(nonce)".contains(text))
        // One nonce serves several proofs. Each proof works once.
        let again = try handler.proof(nonce: nonce)
        try await handler.open(again)
        await expectRejection("replayed") { try await handler.open(again) }
    }

    @Test("a nonce is valid from leeway before its time to its end, and is renewed in time")
    func times() async throws {
        let handler = try ProofHandler(nonces: DPoPNonces(lifetime: .seconds(100)))
        let nonce = try nonce(handler)
        for (seconds, isNew) in [(-60, false), (0, false), (50, false), (51, true), (100, true)] {
            let now = at(Int64(seconds))
            let proof = try await handler.open(handler.proof(nonce: nonce, at: now), at: now)
            #expect((proof.nextNonce != nil) == isNew, "\(seconds)")
            if let next = proof.nextNonce {
                try await handler.open(
                    handler.proof(nonce: DPoPNonce(header: next), at: now), at: now)
            }
        }
        for seconds: Int64 in [-61, 101, 100_000] {
            let now = at(seconds)
            let proof = try handler.proof(nonce: nonce, at: now)
            await expectRejection("claim-rejected nonce", "\(seconds)") {
                try await handler.open(proof, at: now)
            }
        }
    }

    @Test("a nonce of another server or key, a changed nonce and a malformed one are rejected")
    func foreign() async throws {
        let nonces = try DPoPNonces()
        let handler = try ProofHandler(nonces: nonces)
        let others = try [
            nonce(ProofHandler(server: "https://api.example.", nonces: nonces)),
            nonce(ProofHandler(nonces: DPoPNonces())),
            DPoPNonce(header: "nonce"), DPoPNonce(header: String(repeating: "A", count: 54)),
            DPoPNonce(header: String(repeating: "A", count: 1_024)),
        ]
        for other in others {
            let proof = try handler.proof(nonce: other)
            await expectRejection("claim-rejected nonce") { try await handler.open(proof) }
        }
        let text = try need(handler.verifier.freshNonce(at: .testNow))
        for place in text.indices {
            var changed = Array(text)
            let offset = text.distance(from: text.startIndex, to: place)
            changed[offset] = changed[offset] == "A" ? "B" : "A"
            let proof = try handler.proof(nonce: DPoPNonce(header: String(changed)))
            await expectRejection("claim-rejected nonce", "\(offset)") {
                try await handler.open(proof)
            }
        }
        #expect(handler.store.count == 0)
    }

    @Test(
        "rotation: the last two keys are valid, and servers that share a key share nonces")
    func rotation() async throws {
        let key = try JWK.generate(.symmetric(bits: 256), algorithm: .hs256)
        let (here, there) = (try DPoPNonces(key: key), try DPoPNonces(key: key))
        let handler = try ProofHandler(nonces: here)
        let other = try ProofHandler(handler.prover, nonces: there, store: handler.store)
        let old = try nonce(other)
        try await handler.open(handler.proof(nonce: old))
        try here.rotate()
        try await handler.open(handler.proof(nonce: old))
        try await handler.open(handler.proof(nonce: nonce(handler)))
        try here.rotate()
        let late = try handler.proof(nonce: old)
        await expectRejection("claim-rejected nonce") { try await handler.open(late) }
        // The other server has not rotated its key.
        try await other.open(handler.proof(nonce: old))
    }

    @Test("invalid keys, lifetimes and nonce headers are rejected")
    func rejected() async throws {
        for key in [
            try JWK(symmetricKey: Array(repeating: 1, count: 31)), try JWK.generate(.curve(.p256)),
            try JWK.generate(.symmetric(bits: 256), use: .encryption),
        ] {
            await expectRejection("key-unusable") { _ = try DPoPNonces(key: key) }
        }
        for life in [0, 3_601] {
            await expectRejection("misuse") { _ = try DPoPNonces(lifetime: .seconds(life)) }
        }
        for header in ["", "a b", "a\"", "a\\", "é", "a\n", String(repeating: "a", count: 1_025)] {
            await expectRejection("malformed") { _ = try DPoPNonce(header: header) }
        }
    }
}
