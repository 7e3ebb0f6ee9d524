// A provider's own resources, such as UserInfo, and the tokens it issues for them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Bound tokens at the provider's own resources")
struct OwnResourceTests {
    @Test("a client that requires bound tokens gets no unbound token")
    func unbound() async throws {
        for (demand, binds, isRejected) in [
            (DPoPRequirement.required, false, true), (.accepted, true, true),
            (.accepted, false, false),
        ] {
            let env = try BoundEnvironment(demand, binds: binds)
            let responses = try await env.client.tokenIssuer()
            var grant = AccessGrant(subject: "user-1", audience: ["https://api.example"])
            if isRejected {
                await expectRejection("misuse") {
                    _ = try responses.accessToken(grant, at: .testNow)
                }
                await expectRejection("misuse") {
                    _ = try await responses.accessToken(
                        grant, at: .testNow, timeout: .seconds(3_600))
                }
            } else {
                _ = try responses.accessToken(grant, at: .testNow)
            }
            grant.binding.keyThumbprint = env.prover.keyThumbprint
            _ = try responses.accessToken(grant, at: .testNow)
        }
    }

    @Test("RFC 9449 7.2: a provider without DPoP rejects bound tokens and accepts all others")
    func proofless() async throws {
        let env = try TestEnvironment(.openID)
        #expect(env.provider.proofs == nil)
        let prover = try DPoPProver.fresh()
        func ask(_ scheme: String, _ thumbprint: String?) async throws -> VerifiedDPoPProof? {
            try await env.provider.ask(
                scheme, TokenBinding(keyThumbprint: thumbprint), by: prover)
        }
        #expect(try await ask("Bearer", nil) == nil)
        for (scheme, thumbprint) in [
            ("Bearer", prover.keyThumbprint), ("DPoP", prover.keyThumbprint), ("DPoP", nil),
        ] {
            await expectRejection("claim-rejected cnf", scheme) {
                _ = try await ask(scheme, thumbprint)
            }
        }
    }

    @Test("a provider with DPoP checks proofs as its proof verifier does")
    func judged() async throws {
        let env = try BoundEnvironment(.accepted)
        let proof = try env.prover.userInfoProof()
        func ask(_ scheme: String, _ thumbprint: String?) async throws -> VerifiedDPoPProof? {
            try await env.provider.ask(
                scheme, TokenBinding(keyThumbprint: thumbprint), proof: proof)
        }
        let verified = try await ask("DPoP", env.prover.keyThumbprint)
        #expect(verified?.keyThumbprint == env.prover.keyThumbprint)
        await expectRejection("replayed") { _ = try await ask("DPoP", env.prover.keyThumbprint) }
        await expectRejection("claim-rejected cnf") {
            _ = try await ask("Bearer", env.prover.keyThumbprint)
        }
        #expect(try await ask("Bearer", nil) == nil)
    }

    @Test("RFC 8705 3: a certificate-bound token requires its connection, with or without DPoP")
    func certificates() async throws {
        let fapi = OpenIDProfile.fapi2.with { $0.accessToken.proofs = .ignored }
        let bound = try BoundEnvironment(.accepted)
        let (own, other) = ([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8])
        let certificate = try TokenBinding(clientCertificate: own)
        for provider in [try FAPIEnvironment(fapi).provider, bound.provider] {
            func ask(
                _ scheme: String, _ binding: TokenBinding, _ certificate: [UInt8]?
            ) async throws -> VerifiedDPoPProof? {
                try await provider.ask(
                    scheme, binding, by: bound.prover, certificate: certificate)
            }
            #expect(try await ask("Bearer", certificate, own) == nil)
            #expect(try await ask("Bearer", TokenBinding(), other) == nil)
            let both = TokenBinding(
                keyThumbprint: bound.prover.keyThumbprint,
                certificateThumbprint: certificate.certificateThumbprint)
            for (scheme, binding, shown) in [
                ("Bearer", certificate, nil), ("Bearer", certificate, other),
                ("DPoP", certificate, own), ("DPoP", both, nil), ("DPoP", both, other),
                ("Bearer", both, own),
            ] as [(String, TokenBinding, [UInt8]?)] {
                await expectRejection("claim-rejected cnf", "\(scheme) \(shown ?? [])") {
                    _ = try await ask(scheme, binding, shown)
                }
            }
            if provider.proofs != nil {
                #expect(
                    try await ask("DPoP", both, own)?.keyThumbprint == bound.prover.keyThumbprint)
            }
        }
    }

    @Test("a client's own proof rules apply where they are stricter than the provider's")
    func ownRules() async throws {
        let env = try BoundEnvironment(.accepted)
        var own = env.provider.profile
        own.accessToken.dpop.algorithms = [.es256, .ed25519]
        own.accessToken.dpop.maxAge = .seconds(5)
        own.accessToken.dpop.leeway = .seconds(300)
        func client(_ profile: OpenIDProfile?) throws -> RegisteredClient {
            return try env.provider.client { $0.profile = profile }
        }
        var short = own
        short.accessToken.dpop.leeway = .seconds(0)
        let (grant, session) = try await env.code()
        let rsa = try DPoPProver(key: TestKeys.partySigning)
        for (profile, prover, age, verdict) in [
            (nil, rsa, 0, nil), (nil, env.prover, 100, nil), (nil, env.prover, -60, nil),
            (own, env.prover, 100, nil), (own, env.prover, -60, nil),
            (own, rsa, 0, "algorithm-not-allowed"), (short, env.prover, 5, nil),
            (short, env.prover, 6, "claim-rejected iat"),
            (short, env.prover, -1, "claim-rejected iat"),
            // Looser than the provider's rule: its store would have forgotten the proof.
            (own, env.prover, 121, "claim-rejected iat"),
            (own, env.prover, -61, "claim-rejected iat"),
        ] as [(OpenIDProfile?, DPoPProver, Int64, String?)] {
            let request = try await env.party.tokenRequest(
                code: grant.code, for: session, prover: prover,
                at: TestEnvironment.at(-age))
            func send() async throws -> ReceivedTokenRequest {
                try await client(profile).receiveTokenRequest(
                    request.body, authorization: request.authorization, proofs: request.proofs,
                    at: .testNow)
            }
            guard let verdict else {
                #expect(try await send().keyThumbprint == prover.keyThumbprint)
                continue
            }
            let error = await expectRejection(verdict, "\(age)") { _ = try await send() }
            #expect(error?.step == .proof)
        }
    }
}

extension DPoPProver {
    fileprivate static var userInfo: String { "https://idp.example/v2/userinfo" }

    fileprivate func userInfoProof() throws -> String {
        try proof(method: "GET", url: Self.userInfo, accessToken: "token-1", at: .testNow)
    }
}

extension OpenIDProvider {
    /// The result of a UserInfo request with a token bound this way.
    fileprivate func ask(
        _ scheme: String, _ binding: TokenBinding, by prover: DPoPProver,
        certificate: [UInt8]? = nil
    ) async throws -> VerifiedDPoPProof? {
        try await ask(scheme, binding, proof: prover.userInfoProof(), certificate: certificate)
    }

    fileprivate func ask(
        _ scheme: String, _ binding: TokenBinding, proof: String, certificate: [UInt8]? = nil
    ) async throws -> VerifiedDPoPProof? {
        try await verify(
            ResourceRequest(
                method: "GET", url: DPoPProver.userInfo, authorization: scheme + " token-1",
                proofs: [proof], clientCertificate: certificate), boundTo: binding,
            owner: "client-1", at: .testNow)
    }
}
