// The operations on nested and signed JWTs.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwtSeal = BatchOperation(
        name: "jwt.seal",
        required: ["signing_key", "encryption_key", "claims", "alg", "key_alg"],
        optional: ["enc", "zip"],
        run: { request, handler, writer in
            let (issuer, recipient) = try await request.sealJob(handler)
            let token = try await issuer.issue(
                json: request.json("claims"), encryptedFor: recipient,
                timeout: ExternalKeys.timeout)
            writer.member(token: token, .compact)
        },
        deferred: { request, handler in
            let key = try await handler.keys.key(request.json("signing_key"))
            guard key.prepared.gainsFromBatch else { return nil }
            let (issuer, recipient) = try await request.sealJob(handler)
            return .issue(
                issuer: issuer, claims: try request.json("claims"), recipient: recipient)
        }
    )

    static let jwtOpen = BatchOperation(
        name: "jwt.open", required: ["token"],
        optional: [
            "decryption_keys", "verification_keys", "layers", "algs", "key_algs", "encs", "issuer",
            "audience", "nonce", "subject", "typ", "required", "max_lifetime", "authorized_party",
            "trusted_audiences", "access_token", "at_hash_required", "now", "leeway", "zips",
        ],
        run: { request, handler, writer in
            let job = try await request.openJob(handler)
            writer.opened(try await job.run(request.compactToken()), job)
        },
        deferred: { request, handler in
            let job = try await request.openJob(handler)
            guard job.decryption?.keys.runTogether == true else { return nil }
            let token = try request.compactToken()
            return .open(try await job.batchEntry(of: token), job)
        }
    )
}

extension JSONWriter {
    mutating func opened(_ verified: VerifiedJWT, _ job: OpenJob) {
        member("claims", json: verified.document.bytes)
        names("unchecked", job.unchecked)
    }
}

extension BatchRequest {
    fileprivate func sealJob(_ handler: BatchHandler) async throws -> (JWTIssuer, JWTRecipient) {
        let issuer = try await JWTIssuer(
            key: handler.keys.key(json("signing_key")),
            algorithm: .named(requiredString("alg")), requiresExpiration: false,
            limits: handler.limits)
        let algorithm = try KeyManagementAlgorithm.named(requiredString("key_alg"))
        let recipient = try await JWTRecipient(
            key: handler.keys.key(json("encryption_key")), algorithm: algorithm,
            content: contentEncryption(for: algorithm), compression: compression(),
            limits: handler.limits)
        return (issuer, recipient)
    }

    fileprivate func openJob(_ handler: BatchHandler) async throws -> OpenJob {
        var job = OpenJob(
            policy: try policy(), expectation: try expectation(), now: try date("now"),
            limits: handler.limits)
        if let layers = try strings("layers") { job.layers = try Layers(layers) }
        if job.layers != .signed {
            job.decryption = DecryptJob(
                keys: .set(try await handler.keys.ownSet(json("decryption_keys"))),
                algorithms: try allowList("key_algs"), contents: try allowList("encs"),
                compression: try compressions(), limits: handler.limits)
        }
        if job.layers != .encrypted {
            job.verification = VerifyJob(
                keys: .set(try handler.keys.publicSet(json("verification_keys"))),
                algorithms: try allowList("algs"), limits: handler.limits)
        }
        return job
    }

    fileprivate func policy() throws -> ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: try string("issuer").map { IssuerRule.exactly($0) } ?? .any,
            audience: try string("audience").map { AudienceRule.contains($0) } ?? .any)
        if let required = try strings("required") { policy.requiredClaims = required }
        if let leeway = try integer("leeway", 0...300) { policy.leewaySeconds = leeway }
        if let type = try string("typ") { policy.type = .exactly(type) }
        policy.maxLifetimeSeconds = try integer("max_lifetime", 0...253_402_300_799)
        policy.authorizedParty = try string("authorized_party")
        if let trusted = try strings("trusted_audiences") { policy.trustedAudiences = trusted }
        // As in `ClaimsPolicy.openID` (OpenID Connect Core, 2).
        if policy.authorizedParty != nil { policy.maxSubjectBytes = 255 }
        return policy
    }

    fileprivate func expectation() throws -> ClaimsExpectation {
        var expectation = ClaimsExpectation(
            nonce: try string("nonce"), subject: try string("subject"),
            accessToken: try string("access_token"))
        expectation.requiresAccessTokenHash = try bool("at_hash_required") ?? false
        return expectation
    }
}
