// JWT access tokens (RFC 9068) and their binding, from the provider to a resource server.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// A provider with one client, and a resource server that accepts its tokens.
struct ResourceHandler {
    static let resource = "https://api.example"
    let env: TestEnvironment
    let server: ResourceServer
    let prover: DPoPProver
    let store = MemoryReplayStore()
    let proofs: DPoPVerifier

    init(
        nonces: DPoPNonces? = nil, takesProofs: Bool = true, requiresBinding: Bool = false
    ) throws {
        env = try TestEnvironment(.openID)
        prover = try DPoPProver.fresh()
        proofs = try DPoPVerifier(server: ResourceHandler.resource, replays: store, nonces: nonces)
        var rules = ResourceRules()
        rules.requiresBinding = requiresBinding
        server = try ResourceServer(
            issuer: TestEnvironment.issuer, audiences: [ResourceHandler.resource],
            keys: TestKeys.provider.publicKeys, rules: rules, proofs: takesProofs ? proofs : nil)
    }

    var grant: AccessGrant {
        AccessGrant(
            subject: "user-1", audience: [ResourceHandler.resource], scopes: ["read", "write"],
            binding: TokenBinding(keyThumbprint: prover.keyThumbprint))
    }

    func token(
        _ grant: AccessGrant? = nil, claims: some Encodable = NoClaims()
    ) async throws -> String {
        try await env.client.tokenIssuer().accessToken(
            grant ?? self.grant, claims: claims, at: .testNow)
    }

    func request(
        _ token: String, by prover: DPoPProver? = nil, scheme: String = "DPoP",
        url: String = "https://api.example/things?x=1", nonce: DPoPNonce? = nil,
        certificate: [UInt8]? = nil
    ) throws -> ResourceRequest {
        let proof = try (prover ?? self.prover).proof(
            method: "GET", url: url, accessToken: token, nonce: nonce, at: .testNow)
        return try ResourceRequest(
            method: "GET", url: url, authorization: scheme + " " + token,
            proofs: scheme == "DPoP" ? [proof] : [], clientCertificate: certificate)
    }

    /// The claims of a valid token, changed.
    func forged(
        _ change: [String: JSONValue?], type: String? = "at+jwt",
        by key: JWK = TestKeys.providerSigning
    ) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": .issuer, "sub": "user-1", "aud": .string(ResourceHandler.resource),
            "client_id": .clientID, "iat": .now(), "exp": .now(300), "jti": "j-1", "scope": "read",
        ]
        return try env.sealed(claims.with(change), .signed, by: key, type: type)
    }

    func bearer(_ token: String, scopes: [String] = []) async throws -> VerifiedAccessToken {
        try await server.verify(request(token, scheme: "Bearer"), scopes: scopes, at: .testNow)
    }
}

@Suite("Access tokens at a resource server")
struct ResourceServerTests {
    @Test("RFC 9068 3: the printed header and claims are read (no signature is printed)")
    func example() async throws {
        let claims = """
            {
              "iss": "https://authorization-server.example.com/",
              "sub": "5ba552d67",
              "aud":   "https://rs.example.com/",
              "exp": 1639528912,
              "iat": 1618354090,
              "jti" : "dbe39bf3a3ba4238a513f51d6e1691c4",
              "client_id": "s6BhdRkqt3",
              "scope": "openid profile reademail"
            }
            """
        var header = HeaderParameters()
        header.type = "at+JWT"
        let token = try JWSSigner(
            key: TestKeys.providerSigning, algorithm: .rs256, header: header
        ).sign(Array(claims.utf8))
        // The token lives for 245 days.
        func server(_ most: Int?) throws -> ResourceServer {
            var rules = ResourceRules()
            rules.maxLifetime = most.map { .seconds($0) }
            return try ResourceServer(
                issuer: "https://authorization-server.example.com/",
                audiences: ["https://rs.example.com/"], keys: TestKeys.provider.publicKeys,
                rules: rules)
        }
        func read(_ most: Int?, _ scopes: [String] = []) async throws -> VerifiedAccessToken {
            try await server(most).get(
                "Bearer " + token, url: "https://rs.example.com/", scopes: scopes,
                at: need(NumericDate(exactly: 1_618_354_100)))
        }
        await expectRejection("claim-rejected exp") { _ = try await read(86_400) }
        let access = try await read(nil, ["reademail"])
        #expect(access.subject == "5ba552d67" && access.clientID == "s6BhdRkqt3")
        #expect(access.scopes == ["openid", "profile", "reademail"])
    }

    @Test("RFC 9068 2.2: the claims a provider writes are the claims a resource server reads")
    func contents() async throws {
        let handler = try ResourceHandler()
        var grant = handler.grant
        grant.audience.append("https://other.example")
        grant.authenticatedAt = TestEnvironment.at(-5)
        grant.acr = "loa"
        grant.methods = ["pwd", "otp"]
        let text = try await handler.token(grant, claims: JSONValue.object(["roles": ["a"]]))
        let access = try await handler.server.verify(
            handler.request(text), scopes: ["read", "write"], at: .testNow)
        #expect(access.subject == "user-1" && access.clientID == TestEnvironment.clientID)
        #expect(access.scopes == ["read", "write"] && access.acr == "loa")
        #expect(access.authenticatedAt == grant.authenticatedAt)
        #expect(access.binding == grant.binding)
        #expect(access["roles"] == ["a"] && access["amr"] == ["pwd", "otp"])
        #expect(access["cnf"]?["jkt"]?.string == handler.prover.keyThumbprint)
        #expect(access.token.expiration == TestEnvironment.at(300))
        #expect(try access.token.header().type == "at+jwt")
        #expect(!"\(access)".contains("user-1"))
        let again = try await handler.token(grant)
        let other = try await handler.server.verify(handler.request(again), at: .testNow)
        #expect(other.token.jwtID != access.token.jwtID)
        let bare = try await handler.token(
            AccessGrant(subject: TestEnvironment.clientID, audience: [ResourceHandler.resource]))
        let client = try await handler.bearer(bare)
        #expect(client.scopes.isEmpty && client.binding.isEmpty && client["scope"] == nil)
    }

    @Test("RFC 9068 2.2: a token that every resource server would reject is not issued")
    func unmade() async throws {
        let handler = try ResourceHandler()
        let responses = try await handler.env.client.tokenIssuer()
        let changes: [((inout AccessGrant) -> Void, JSONValue)] = [
            ({ $0.subject = "" }, [:]), ({ $0.audience = [] }, [:]), ({ $0.audience = [""] }, [:]),
            ({ $0.scopes = [""] }, [:]), ({ $0.scopes = ["a b"] }, [:]),
            ({ $0.scopes = ["a\""] }, [:]), ({ $0.scopes = ["é"] }, [:]),
            ({ $0.binding.keyThumbprint = "x" }, [:]),
            ({ $0.binding.certificateThumbprint = "x" }, [:]),
            ({ $0.authenticatedAt = TestEnvironment.at(100) }, [:]),
            ({ _ in }, ["client_id": "other"]), ({ _ in }, ["cnf": ["jkt": "x"]]),
            // Additional claims may not add what the grant omits.
            ({ $0.scopes = [] }, ["scope": "admin"]),
            ({ $0.binding = TokenBinding() }, ["cnf": [:]]), ({ _ in }, ["auth_time": 1]),
            ({ _ in }, ["acr": "loa"]), ({ _ in }, ["amr": ["otp"]]),
        ]
        for (index, (change, claims)) in changes.enumerated() {
            var grant = handler.grant
            change(&grant)
            await expectRejection("misuse", "\(index)") { [grant] in
                _ = try responses.accessToken(grant, claims: claims, at: .testNow)
            }
        }
    }

    @Test("RFC 9068 4: each missing, mistyped or wrong claim is rejected")
    func claims() async throws {
        let handler = try ResourceHandler()
        let control = try await handler.bearer(handler.forged([:]))
        #expect(control.scopes == ["read"])
        for name in ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"] {
            for value: JSONValue? in [nil, .null, .bool(true)] {
                let token = try handler.forged([name: value])
                await expectRejection("claim-rejected \(name)", "\(value as Any)") {
                    _ = try await handler.bearer(token)
                }
            }
        }
        for (name, value): (String, JSONValue) in [
            ("iss", "https://idp.example"), ("aud", "https://api.example/"), ("aud", [.clientID]),
            ("exp", .now(-60)), ("iat", .now(61)), ("scope", 1), ("cnf", "x"), ("cnf", [:]),
            ("cnf", ["kid": "x"]), ("cnf", ["jkt": 1]), ("cnf", ["jkt": "x"]),
            ("client_id", ""), ("sub", ""),
        ] {
            let token = try handler.forged([name: value])
            await expectRejection("claim-rejected \(name)") { _ = try await handler.bearer(token) }
        }
        await expectRejection("claim-rejected exp", "two days") {
            let token = try handler.forged(["exp": .now(172_800)])
            _ = try await handler.bearer(token)
        }
        for type in [nil, "JWT", "dpop+jwt", "token-introspection+jwt", "x"] {
            let token = try handler.forged([:], type: type)
            await expectRejection("claim-rejected typ") { _ = try await handler.bearer(token) }
        }
        let stranger = try handler.forged([:], by: TestKeys.unrelated)
        await expectRejection("key-not-found") { _ = try await handler.bearer(stranger) }
        let prefixed = try handler.forged([:], type: "application/at+jwt")
        _ = try await handler.bearer(prefixed)
    }

    @Test("RFC 9068 2.1 and 5: ID Tokens and access tokens are not interchangeable")
    func kinds() async throws {
        let handler = try ResourceHandler()
        let login = try await Login(handler.env)
        let idToken = try await login.idToken(
            JSONValue.object(["client_id": "c", "jti": "j", "scope": "read"]))
        await expectRejection("claim-rejected typ") { _ = try await handler.bearer(idToken) }
        var grant = handler.grant
        grant.audience = [TestEnvironment.clientID]
        let access = try await handler.token(
            grant, claims: JSONValue.object(["nonce": .string(login.started.session.nonce)]))
        await expectRejection("claim-rejected typ") { _ = try await login.open(access) }
    }

    @Test("RFC 9449 7: token and proof are checked together: wrong key, request, reuse, bearer")
    func proofs() async throws {
        let handler = try ResourceHandler()
        let token = try await handler.token()
        let proof = try handler.prover.proof(
            method: "GET", url: "https://api.example/things?x=1", accessToken: token, at: .testNow)
        func sent(
            _ path: String, method: String = "GET", _ token: String, _ proofs: [String]
        ) throws -> ResourceRequest {
            try ResourceRequest(
                method: method, url: ResourceHandler.resource + path,
                authorization: "DPoP " + token, proofs: proofs)
        }
        let request = try sent("/things", token, [proof])
        _ = try await handler.server.verify(request, at: .testNow)
        let again = await expectRejection("replayed") {
            _ = try await handler.server.verify(request, at: .testNow)
        }
        #expect(try handler.server.error(rejecting: need(again)).code == .invalidDPoPProof)
        let used = handler.store.count
        let other = try DPoPProver.fresh()
        let fresh = try await handler.token()
        let second = try await handler.token(
            AccessGrant(subject: "user-1", audience: [ResourceHandler.resource]))
        for (verdict, code, request) in [
            (
                "claim-rejected cnf", OAuthErrorCode.invalidToken,
                try handler.request(token, by: other)
            ),
            ("claim-rejected cnf", .invalidToken, try handler.request(token, scheme: "Bearer")),
            ("claim-rejected cnf", .invalidToken, try handler.request(second)),
            ("claim-rejected htu", .invalidDPoPProof, try sent("/others", token, [proof])),
            (
                "claim-rejected htm", .invalidDPoPProof,
                try sent("/things", method: "DELETE", token, [proof])
            ),
            ("claim-rejected ath", .invalidDPoPProof, try sent("/things", fresh, [proof])),
            ("claim-rejected DPoP", .invalidDPoPProof, try sent("/things", token, [])),
        ] as [(String, OAuthErrorCode, ResourceRequest)] {
            let error = await expectRejection(verdict) {
                _ = try await handler.server.verify(request, at: .testNow)
            }
            let response = try handler.server.error(rejecting: need(error), at: .testNow)
            #expect(response.code == code && response.status == 401 && response.nonce == nil)
        }
        #expect(handler.store.count == used)
    }

    @Test("the proof is claimed after the scope check, so a rejected proof can be used elsewhere")
    func order() async throws {
        let handler = try ResourceHandler()
        let token = try await handler.token()
        let request = try handler.request(token)
        let error = await expectRejection("claim-rejected scope") {
            _ = try await handler.server.verify(request, scopes: ["read", "delete"], at: .testNow)
        }
        let response = try handler.server.error(rejecting: need(error)).response()
        #expect(response.status == 403)
        #expect(
            response.header("WWW-Authenticate")?.contains(#"error="insufficient_scope""#) == true)
        #expect(handler.store.count == 0)
        _ = try await handler.server.verify(request, scopes: ["read"], at: .testNow)
        #expect(handler.store.count == 1)
        // Proofs with invalid tokens are not checked.
        let forged = try handler.forged(["exp": .now(-100)])
        let late = try handler.request(forged)
        await expectRejection("claim-rejected exp") {
            _ = try await handler.server.verify(late, at: .testNow)
        }
        #expect(handler.store.count == 1)
    }

    @Test("resource servers without DPoP, and resource servers that require it")
    func demands() async throws {
        let plain = try ResourceHandler(takesProofs: false)
        let bound = try await plain.token()
        for scheme in ["DPoP", "Bearer"] {
            let request = try plain.request(bound, scheme: scheme)
            let error = await expectRejection("claim-rejected cnf") {
                _ = try await plain.server.verify(request, at: .testNow)
            }
            let header = try plain.server.error(rejecting: need(error)).header
            #expect(header == #"Bearer error="invalid_token""#)
        }
        let strict = try ResourceHandler(requiresBinding: true)
        let bare = try strict.forged([:])
        let error = await expectRejection("claim-rejected cnf") {
            _ = try await strict.bearer(bare)
        }
        #expect(
            try strict.server.error(rejecting: need(error)).header
                == #"DPoP error="invalid_token", algs="ES256 Ed25519 EdDSA PS256 RS256""#)
        _ = try await strict.server.verify(strict.request(strict.token()), at: .testNow)
    }

    @Test("RFC 9449 8.2 and 9: a resource server issues and checks nonces")
    func nonces() async throws {
        let handler = try ResourceHandler(nonces: DPoPNonces())
        let token = try await handler.token()
        let first = try handler.request(token)
        let error = await expectRejection("claim-rejected nonce") {
            _ = try await handler.server.verify(first, at: .testNow)
        }
        let response = try handler.server.error(rejecting: need(error), at: .testNow).response()
        let header = try need(response.header("WWW-Authenticate"))
        #expect(header.hasPrefix("DPoP "))
        #expect(try BearerError(header: header).code == .useDPoPNonce)
        let nonce = try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        let second = try handler.request(token, nonce: nonce)
        let access = try await handler.server.verify(second, at: .testNow)
        #expect(access.nextNonce == nil)
        let aged = try handler.prover.proof(
            method: "GET", url: "https://api.example/", accessToken: token, nonce: nonce,
            at: TestEnvironment.at(200))
        let third = try ResourceRequest(
            method: "GET", url: "https://api.example/", authorization: "DPoP " + token,
            proofs: [aged])
        let later = try await handler.server.verify(third, at: TestEnvironment.at(200))
        #expect(later.nextNonce != nil)
    }

    @Test("RFC 8705 3: a certificate-bound token")
    func certificate() async throws {
        let handler = try ResourceHandler()
        let der: [UInt8] = [0x30, 1, 2, 3]
        for (certificate, isGood) in [(der, true), ([0x30, 1, 2, 4], false), (nil, false)] {
            let token = try handler.forged([
                "cnf": ["x5t#S256": "ajVNgycAwauwYxMv4cBkmG4V-5R8oTMCXplJFTQ1DaY"]
            ])
            let request = try handler.request(token, scheme: "Bearer", certificate: certificate)
            await expectResult(isGood ? nil : "claim-rejected cnf") {
                let access = try await handler.server.verify(request, at: .testNow)
                #expect(access.binding.certificateThumbprint != nil)
            }
        }
    }

    @Test("RFC 6750 2 and 3.1: a missing token, a token in the URL, and malformed requests")
    func requests() async throws {
        for (verdict, url, header) in [
            ("claim-rejected access_token", "https://a.example/", nil),
            ("claim-rejected access_token", "https://a.example/", "Basic eDp5"),
            ("claim-rejected access_token", "https://a.example/", "DPoPx t"),
            ("malformed", "https://a.example/", "DPoP "),
            ("malformed", "https://a.example/", "Bearer a b"),
            ("malformed", "https://a.example/?x=1&access_token=t", "Bearer t"),
            ("malformed", "https://a.example/?%61ccess_token=t#x", "Bearer t"),
            (
                "limit-exceeded", "https://a.example/",
                "DPoP " + String(repeating: "a", count: 16_385)
            ),
        ] as [(String, String, String?)] {
            let error = await expectRejection(verdict, header ?? "") {
                _ = try ResourceRequest(method: "GET", url: url, authorization: header)
            }
            let response = try ResourceError(rejecting: need(error))
            let isMissing = verdict.hasSuffix("access_token")
            #expect(response.status == (isMissing ? 401 : 400))
            #expect(response.code == (isMissing ? nil : .invalidRequest))
        }
        let request = try ResourceRequest(
            method: "GET", url: "https://a.example/?my_access_token=1#access_token=2",
            authorization: "dpop t")
        #expect(request.type == .dpop && request.accessToken == "t")
        let handler = try ResourceHandler()
        #expect(
            try handler.server.error(rejecting: .claimRejected("access_token", "x")).response()
                .header(
                    "WWW-Authenticate")
                == #"Bearer realm="resource", DPoP algs="ES256 Ed25519 EdDSA PS256 RS256""#)
    }

    @Test("RFC 9449 11.1: two clients of one user do not share replay store capacity")
    func rooms() async throws {
        let prover = try DPoPProver.fresh()
        let store = MemoryReplayStore(capacity: 100, quota: 4)
        let handler = try ResourceHandler()
        let server = try ResourceServer(
            issuer: TestEnvironment.issuer, audiences: [ResourceHandler.resource],
            keys: TestKeys.provider.publicKeys,
            proofs: DPoPVerifier(server: ResourceHandler.resource, replays: store))
        func ask(_ client: String, _ subject: String) async throws {
            let token = try handler.forged([
                "client_id": .string(client), "sub": .string(subject),
                "cnf": ["jkt": .string(prover.keyThumbprint)],
            ])
            _ = try await server.verify(handler.request(token, by: prover), at: .testNow)
        }
        for _ in 0..<4 { try await ask("greedy", "user-1") }
        await expectRejection("limit-exceeded") { try await ask("greedy", "user-1") }
        try await ask("honest", "user-1")
        try await ask("greedy", "user-2")
        // No two names collide when they are joined.
        try await ask("greedyu", "ser-1")
        #expect(store.count == 7)
    }
}
