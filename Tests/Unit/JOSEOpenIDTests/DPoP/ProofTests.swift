// DPoP proofs: made, verified, claimed, and rejected for every other request.

import JOSE
import JOSEOpenID
import Testing

struct ProofHandler {
    static let url = "https://api.example/things/1"
    static let token = "token-1"
    let prover: DPoPProver
    let store: MemoryReplayStore
    let verifier: DPoPVerifier

    init(
        _ prover: DPoPProver? = nil, server: String = "https://api.example",
        rules: DPoPRules = .standard, nonces: DPoPNonces? = nil,
        store: MemoryReplayStore = MemoryReplayStore()
    ) throws {
        self.prover = try prover ?? DPoPProver.fresh()
        self.store = store
        verifier = try DPoPVerifier(server: server, replays: store, rules: rules, nonces: nonces)
    }

    func proof(
        method: String = "GET", url: String = ProofHandler.url, token: String? = ProofHandler.token,
        nonce: DPoPNonce? = nil, at now: NumericDate = .testNow
    ) throws -> String {
        try prover.proof(method: method, url: url, accessToken: token, nonce: nonce, at: now)
    }

    func request(
        _ proofs: [String], method: String = "GET", url: String = ProofHandler.url,
        scheme: String = "DPoP", token: String = ProofHandler.token
    ) throws -> ResourceRequest {
        try ResourceRequest(
            method: method, url: url, authorization: "\(scheme) \(token)", proofs: proofs)
    }

    var binding: TokenBinding { TokenBinding(keyThumbprint: prover.keyThumbprint) }

    @discardableResult
    func open(
        _ proof: String, method: String = "GET", url: String = ProofHandler.url,
        token: String = ProofHandler.token, owner: String = "user-1", at now: NumericDate = .testNow
    ) async throws -> VerifiedDPoPProof {
        let request = try request([proof], method: method, url: url, token: token)
        return try need(await verifier.verify(request, boundTo: binding, owner: owner, at: now))
    }
}

@Suite("DPoP proofs")
struct ProofTests {
    static let keys: [(String, SignatureAlgorithm)] = [
        ("P-256", .es256), ("Ed25519", .ed25519), ("RSA", .ps256),
    ]

    private static func key(_ name: String) throws -> JWK {
        switch name {
        case "P-256": try JWK.generate(.curve(.p256))
        case "Ed25519": try JWK.generate(.curve(.ed25519))
        default: TestKeys.partySigning
        }
    }

    @Test("a proof key uses only implementations that both the server and the client allow")
    func ways() throws {
        let ways: [KeyAcceleration] = [.automatic, .noKernels, .openSSLOnly]
        let proof = try ProofHandler(DPoPProver(key: TestKeys.partySigning)).proof()
        for (row, server) in ways.enumerated() {
            var rules = DPoPRules.standard
            rules.acceleration = server
            let verifier = try ProofHandler(rules: rules).verifier
            let alone = try TestKeys.partySigning.publicKey.withAcceleration(server).prepared
                .options
            #expect(try verifier.open(proof, nil).key.options == alone)
            for (column, client) in ways.enumerated() {
                rules.acceleration = client
                let wanted = try TestKeys.partySigning.publicKey.withAcceleration(
                    ways[max(row, column)])
                let opened = try verifier.open(proof, rules)
                #expect(opened.key.options == wanted.prepared.options)
            }
        }
    }

    @Test("RFC 9449 4: a proof by each kind of key is accepted once", arguments: keys)
    func once(_ name: String, _ algorithm: SignatureAlgorithm) async throws {
        let prover = try DPoPProver(key: Self.key(name))
        #expect(prover.algorithm == algorithm)
        let handler = try ProofHandler(prover)
        let proof = try handler.proof()
        #expect(try await handler.open(proof).keyThumbprint == prover.keyThumbprint)
        let error = await expectRejection("replayed") { try await handler.open(proof) }
        #expect(error?.step == .proof)
        // The next request needs a new proof.
        try await handler.open(handler.proof())
        #expect(handler.store.count == 2)
        #expect(
            !"\(prover)".contains(prover.keyThumbprint) && !"\(handler.verifier)".contains("api"))
    }

    @Test("RFC 9449 4.2: the header has only the public members of the key")
    func header() throws {
        for name in ["P-256", "Ed25519", "RSA"] {
            var key = try Self.key(name)
            key.keyID = "name"
            key.use = .signature
            let proof = try DPoPProver(key: key).post("https://as.example/token?a=b#c")
            let parts = proof.split(separator: ".")
            let header = try text(parts[0])
            for word in ["\"d\"", "\"p\"", "kid", "\"use\"", "name"] {
                #expect(!header.contains(word), "\(word)")
            }
            #expect(header.hasPrefix(#"{"alg":"#) && header.contains(#""typ":"dpop+jwt","jwk":{"#))
            let claims = try text(parts[1])
            #expect(claims.contains(#""htm":"POST","htu":"https://as.example/token","iat":"#))
            #expect(!claims.contains("ath") && !claims.contains("nonce"))
        }
        let jtis = try (0..<64).map { _ in
            let proof = try DPoPProver.fresh().proof(method: "GET", url: ProofHandler.url)
            // {"jti":"…": the fourth piece between quotation marks.
            return try text(proof.split(separator: ".")[1]).split(separator: "\"")[3]
        }
        #expect(Set(jtis).count == 64 && jtis.allSatisfy { $0.utf8.count == 22 })
    }

    private func text(_ part: Substring) throws -> String {
        String(decoding: try need(Base64URLText.decode(part)), as: UTF8.self)
    }

    @Test("RFC 9449 4.3: a proof for another method, URI, token or key is rejected")
    func others() async throws {
        let handler = try ProofHandler()
        for (verdict, proof) in [
            ("claim-rejected htm", try handler.proof(method: "POST")),
            ("claim-rejected htm", try handler.proof(method: "get")),
            ("claim-rejected htu", try handler.proof(url: "https://api.example/things/2")),
            ("claim-rejected htu", try handler.proof(url: "https://api.example.net/things/1")),
            ("claim-rejected htu", try handler.proof(url: "https://api.example:444/things/1")),
            ("claim-rejected htu", try handler.proof(url: "https://api.example/things/1/")),
            ("claim-rejected htu", try handler.proof(url: "https://api.example/things/%31%2f")),
            ("claim-rejected ath", try handler.proof(token: "token-2")),
            ("claim-rejected ath", try handler.proof(token: nil)),
        ] {
            let error = await expectRejection(verdict) { try await handler.open(proof) }
            #expect(error?.step == .proof)
        }
        // An untrusted request may contain an invalid URI. This is a rejection and not misuse.
        for url in [
            "https://api.example/%zz", "https://api.example/a|b", "http://api.example/", "",
        ] {
            let proof = try handler.proof()
            await expectRejection("claim-rejected htu", url) {
                try await handler.open(proof, url: url)
            }
        }
        let stranger = try ProofHandler(store: handler.store)
        let foreign = try stranger.proof()
        let error = await expectRejection("claim-rejected cnf") { try await handler.open(foreign) }
        #expect(error?.step == .claims)
        #expect(handler.store.count == 0)
    }

    @Test("RFC 9449 4.3, RFC 3986 6.2: equivalent spellings of a URI match")
    func spellings() async throws {
        let handler = try ProofHandler()
        for (signed, seen) in [
            ("https://api.example/things/1", "https://api.example/things/1?x=2#y"),
            ("https://API.example:443/things/1?z", "HTTPS://api.EXAMPLE/things/1"),
            ("https://api.example/%74hings/%31", "https://api.example/things/1"),
            ("https://api.example/a%3ab", "https://api.example/a%3Ab"),
            ("https://api.example", "https://api.example/"),
            ("https://api.example/x/../things/./1", "https://api.example/things/1"),
            ("https://api.example/x/%2e%2E/1/.", "https://api.example/1/"),
            ("https://api.example/../../1/..", "https://api.example/"),
            ("https://[::1]:8443/a", "https://[::1]:8443/a"),
        ] {
            try await handler.open(handler.proof(url: signed), url: seen)
        }
        for (signed, seen) in [
            ("https://api.example/a%2Fb", "https://api.example/a/b"),
            ("https://api.example/a//b", "https://api.example/a/b"),
            ("https://api.example/a%3Fb", "https://api.example/a"),
            ("https://api.example/A", "https://api.example/a"),
            ("https://api.example/a;b", "https://api.example/a"),
        ] {
            let proof = try handler.proof(url: signed)
            await expectRejection("claim-rejected htu", signed) {
                try await handler.open(proof, url: seen)
            }
        }
    }

    @Test(
        "RFC 9449 4.3: a proof is valid from leeway before iat to maximum age plus leeway after it"
    )
    func times() async throws {
        var rules = DPoPRules()
        rules.maxAge = .seconds(30)
        rules.leeway = .seconds(10)
        let handler = try ProofHandler(rules: rules)
        func at(_ seconds: Int64) -> NumericDate { TestEnvironment.at(seconds) }
        for good: Int64 in [-10, 0, 30, 40] {
            try await handler.open(handler.proof(), at: at(good))
        }
        for bad: Int64 in [-11, 41, 400] {
            let proof = try handler.proof()
            await expectRejection("claim-rejected iat", "\(bad)") {
                try await handler.open(proof, at: at(bad))
            }
        }
        // The replay entry outlives the proof: at its last second it still counts as used.
        let proof = try handler.proof()
        try await handler.open(proof, at: at(0))
        await expectRejection("replayed") { try await handler.open(proof, at: at(40)) }
        await expectRejection("claim-rejected iat") { try await handler.open(proof, at: at(41)) }
    }

    @Test("RFC 9449 11.1: invalid proofs fill no store, and one user does not use another's quota")
    func rooms() async throws {
        let handler = try ProofHandler(store: MemoryReplayStore(capacity: 100, quota: 4))
        for _ in 0..<50 {
            // Fresh keys of an unknown client, with a bound token and without one.
            let stranger = try ProofHandler(store: handler.store)
            let proof = try stranger.proof()
            await expectRejection("claim-rejected cnf") { try await handler.open(proof) }
        }
        #expect(handler.store.count == 0)
        for _ in 0..<4 { try await handler.open(handler.proof()) }
        let error = await expectRejection("limit-exceeded") {
            try await handler.open(handler.proof())
        }
        #expect(error?.step == .proof)
        try await handler.open(handler.proof(), owner: "user-2")
        // Two owners, or two keys of one owner, may have generated the same jti.
        #expect(handler.store.count == 5)
    }

    @Test("RFC 9449 4.3: exactly one DPoP header with one proof is accepted")
    func headers() async throws {
        let handler = try ProofHandler()
        let proofs = try [handler.proof(), handler.proof()]
        for (verdict, given) in [
            ("claim-rejected DPoP", []), ("malformed", proofs),
            ("malformed", [proofs.joined(separator: ", ")]), ("malformed", [""]),
            ("malformed", ["a.b"]), ("limit-exceeded", [String(repeating: "a", count: 16_385)]),
        ] {
            let error = await expectRejection(verdict, "\(given.count)") {
                _ = try await handler.verifier.verify(
                    handler.request(given), boundTo: handler.binding, owner: "u", at: .testNow)
            }
            #expect(error?.step == .proof)
        }
    }

    @Test("RFC 9449 7.2: bound tokens and bearer tokens are not interchangeable")
    func schemes() async throws {
        let handler = try ProofHandler()
        let proof = try handler.proof()
        for (code, scheme, proofs, binding) in [
            ("claim-rejected cnf", "Bearer", [proof], handler.binding),
            ("claim-rejected cnf", "DPoP", [proof], TokenBinding()),
            (nil, "bearer", [], TokenBinding()),
        ] as [(String?, String, [String], TokenBinding)] {
            await expectResult(code) {
                let proof = try await handler.verifier.verify(
                    handler.request(proofs, scheme: scheme), boundTo: binding, owner: "u",
                    at: .testNow)
                #expect(proof == nil)
            }
        }
    }

    @Test("proof keys may be P-256, Ed25519, or RSA up to 4,096 bits with e = 65537")
    func kinds() async throws {
        for key in [
            try JWK.generate(.curve(.p384)), try JWK.generate(.curve(.p521)),
            try JWK.generate(.curve(.ed448)), try JWK.generate(.curve(.x25519)),
            try JWK.generate(.symmetric(bits: 256)), try JWK.generate(.curve(.p256)).publicKey,
        ] {
            await expectRejection("key-unusable") { _ = try DPoPProver(key: key) }
        }
        await expectRejection("key-unusable") {
            _ = try DPoPProver(key: .generate(.curve(.p256)), algorithm: .ps256)
        }
        var rules = DPoPRules()
        for algorithms in [[SignatureAlgorithm.es256, .hs256], []] {
            rules.algorithms = algorithms
            await expectRejection("misuse") { _ = try ProofHandler(rules: rules) }
        }
        rules = DPoPRules()
        for (age, leeway) in [(0, 60), (301, 60), (60, -1), (60, 301)] {
            rules.maxAge = .seconds(age)
            rules.leeway = .seconds(leeway)
            await expectRejection("misuse") { _ = try ProofHandler(rules: rules) }
        }
    }

    @Test("a proof is not made for invalid request values")
    func unprovable() async throws {
        let prover = try DPoPProver.fresh()
        for (method, url) in [
            ("", ProofHandler.url), ("G T", ProofHandler.url), ("GET", "http://api.example/"),
            ("GET", "/things"), ("GET", "https://a@b.example/"), ("GET", "https://"), ("GET", ""),
        ] {
            await expectRejection("misuse") { _ = try prover.proof(method: method, url: url) }
        }
        await expectRejection("malformed") {
            _ = try prover.headers(method: "GET", url: ProofHandler.url, accessToken: "a b")
        }
    }

    @Test("a failure of the store or of our key is not reported as the proof's fault")
    func outage() async throws {
        struct Away: ReplayStore {
            func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
                throw .unavailable
            }
        }
        let handler = try ProofHandler()
        let verifier = try DPoPVerifier(server: "s", replays: Away())
        let request = try handler.request([handler.proof()])
        let error = await expectRejection("unavailable") {
            _ = try await verifier.verify(
                request, boundTo: handler.binding, owner: "u", at: .testNow)
        }
        let response = try ResourceError(rejecting: need(error), proofs: verifier)
        #expect(response.status == 503 && response.code == .temporarilyUnavailable)
    }
}
