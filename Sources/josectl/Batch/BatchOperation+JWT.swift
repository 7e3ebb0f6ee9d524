// The operations on nested and signed JWTs.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwtSeal = BatchOperation(
        name: "jwt.seal",
        required: ["signing_key", "encryption_key", "claims", "alg", "key_alg"],
        optional: ["enc", "zip"]
    ) { request, desk, writer in
        let (issuer, recipient) = try await request.sealJob(desk)
        let token = try await issuer.issue(
            json: request.json("claims"), encryptedFor: recipient, timeout: ExternalKeys.patience)
        writer.member(token: token, .compact)
    }

    static let jwtOpen = BatchOperation(
        name: "jwt.open", required: ["token"],
        optional: [
            "decryption_keys", "verification_keys", "layers", "algs", "key_algs", "encs", "issuer",
            "audience", "nonce", "subject", "typ", "required", "max_lifetime", "authorized_party",
            "trusted_audiences", "access_token", "at_hash_required", "now", "leeway", "zips",
        ]
    ) { request, desk, writer in
        let job = try await request.openJob(desk)
        writer.opened(try await job.run(request.compactToken()), job)
    }
}

extension JSONWriter {
    /// The members of an opened JWT.
    fileprivate mutating func opened(_ verified: VerifiedJWT, _ job: OpenJob) {
        member("claims", json: verified.document.bytes)
        names("unchecked", job.unchecked)
    }
}

extension BatchRequest {
    /// Who signs and who reads.
    fileprivate func sealJob(_ desk: BatchHandler) async throws -> (JWTIssuer, JWTRecipient) {
        let issuer = try await JWTIssuer(
            key: desk.keys.key(json("signing_key")),
            algorithm: .wanted(requiredString("alg")), requiresExpiration: false,
            limits: desk.limits)
        let recipient = try await JWTRecipient(
            key: desk.keys.key(json("encryption_key")),
            algorithm: .wanted(requiredString("key_alg")),
            content: contentEncryption(), compression: compression(),
            limits: desk.limits)
        return (issuer, recipient)
    }

    fileprivate func openJob(_ desk: BatchHandler) async throws -> OpenJob {
        var job = OpenJob(
            policy: try policy(), expectation: try expectation(), now: try date("now"),
            limits: desk.limits)
        if let layers = try strings("layers") { job.layers = try Layers(layers) }
        if job.layers != .signed {
            job.decryption = DecryptJob(
                keys: .set(try await desk.keys.ownSet(json("decryption_keys"))),
                algorithms: try allowList("key_algs"), contents: try allowList("encs"),
                compression: try compressions(), limits: desk.limits)
        }
        if job.layers != .encrypted {
            job.verification = VerifyJob(
                keys: .set(try desk.keys.publicSet(json("verification_keys"))),
                algorithms: try allowList("algs"), limits: desk.limits)
        }
        return job
    }

    /// What every such token must say.
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
        // As ClaimsPolicy.openID has it (OpenID Connect Core, 2).
        if policy.authorizedParty != nil { policy.maxSubjectBytes = 255 }
        return policy
    }

    /// What this token must say.
    fileprivate func expectation() throws -> ClaimsExpectation {
        var expectation = ClaimsExpectation(
            nonce: try string("nonce"), subject: try string("subject"),
            accessToken: try string("access_token"))
        expectation.requiresAccessTokenHash = try bool("at_hash_required") ?? false
        return expectation
    }
}
