// josectl open: a nested (or signed) JWT, opened and judged by one policy.

import JOSE
import JOSEBytes

extension Command {
    static let open = Command(
        name: "open",
        summary: "decrypt and verify a nested JWT and judge its claims",
        arguments: "[TOKEN|FILE]", argumentCount: 1,
        details: "What is not asked for is not checked, and standard error says so.",
        options: Option.policy + [.out, .force, .raw, .maxBytes, .maxInflated] + Option.held,
        example: """
            josectl open --decryption-keys b.private.jwks --verification-keys a.public.jwks \\
                --issuer a --audience b token.jwt
            """
    ) { invocation in
        let job = try await invocation.openJob(JOSELimits(invocation.line))
        let token = try invocation.compactToken(job.limits)
        let verified: VerifiedJWT
        do {
            verified = try await job.run(token)
        } catch let error as JOSEError {
            throw invocation.held == nil ? await job.dated(error, token) : error
        }
        if !job.unchecked.isEmpty {
            invocation.output.note("not checked: \(job.unchecked.joined(separator: ", "))")
        }
        return try invocation.give(verified.document.bytes, isText: true, .secret) { writer in
            writer.member("claims", json: verified.document.bytes)
            writer.names("unchecked", job.unchecked)
            guard invocation.line.has("crit") else { return }
            writer.member("header", json: Array(try verified.header().json.utf8))
            if let header = try verified.encryptionHeader() {
                writer.member("encryption_header", json: Array(header.json.utf8))
            }
        }
    }
}

extension OpenJob {
    /// The error of a date, with how far it is away.
    nonisolated(nonsending) fileprivate func dated(
        _ error: JOSEError, _ token: String
    ) async -> any Error {
        guard let claim = error.claim, ["exp", "nbf", "iat"].contains(where: claim.isExactly),
            let explanation = try? await verifier(of: token).explain(
                token, expecting: expectation, at: now, timeout: ExternalKeys.patience),
            let note = explanation.lines.last(where: { $0.step == .claims && $0.outcome == .note })
        else { return error }
        var rejection = Rejection(error)
        rejection.message += "; \(ShellWords.translated(note.text))"
        return rejection
    }
}

extension Option {
    /// Keys, layers, algorithms and claims: what a reader of JWTs demands.
    static let policy: [Option] = [
        .value("decryption-keys", "FILE|URI", "our private JWK or JWK Set, or a key in a token"),
        .value("verification-keys", "FILE", "the signer's public JWK or JWK Set"),
        .value("layers", "LAYERS", "encrypted,signed (default), signed, or encrypted"),
        .signatures, .keyManagement, .contents, .compressions,
        .value("issuer", "ISS", "the iss that it must have"),
        .value("audience", "AUD", "the audience that aud must name"),
        .value("nonce", "NONCE", "the nonce that was sent"),
        .value("subject", "SUB", "the sub that it must have"),
        .value("typ", "TYPE", "the typ that it must have (default: JWT or none)"),
        .choice("cty", "RULE", ["jwt", "absent"]) {
            "the cty of an encrypted token around a signed one: \($0), which lets it be missing"
        },
        .critical,
        .value("required", "NAMES", "claims that must be there (default exp)"),
        .value("max-lifetime", "SECONDS", "the most time between iat and exp"),
        .value(
            "authorized-party", "AZP",
            "the client of an ID Token: OpenID's rules for aud, azp and sub"),
        .value(
            "trusted-audiences", "NAMES",
            "with --authorized-party: others that aud and azp may name"),
        .value("access-token", "TOKEN", "the access token that at_hash must fit"),
        .flag("at-hash-required", "at_hash must be there"),
        .at,
        .value("leeway", "SECONDS", "how far clocks may differ, 0 to 300 (default 60)"),
    ]
}

extension Invocation {
    /// The job that the options of `open` describe.
    ///
    /// - Parameter isNoting: Whether standard error says which keys are skipped; `explain` says it
    ///   elsewhere.
    nonisolated(nonsending) func openJob(
        _ limits: JOSELimits, isNoting: Bool = true
    ) async throws -> OpenJob {
        var job = OpenJob(
            policy: try policy(),
            expectation: ClaimsExpectation(
                nonce: line["nonce"], subject: line["subject"], accessToken: line["access-token"]),
            now: try time(), limits: limits)
        job.expectation.requiresAccessTokenHash = line.has("at-hash-required")
        if let layers = line.list("layers") { job.layers = try Layers(layers) }
        if job.layers != .signed {
            guard let keys = line["decryption-keys"] else {
                throw UsageError(
                    "--decryption-keys is missing, or --layers signed for a token of three parts")
            }
            job.decryption = DecryptJob(
                keys: try await decryptionKeys(ownKeys(keys), isNoting: isNoting),
                algorithms: try allowList("key-alg", KeyManagementAlgorithm.self),
                contents: try allowList("enc", ContentEncryptionAlgorithm.self),
                compression: try compressions(), critical: line.all("crit"), limits: limits)
        }
        if job.layers != .encrypted {
            job.verification = VerifyJob(
                keys: try verificationKeys(
                    KeyFile(line.required("verification-keys"), of: .others), isNoting: isNoting),
                algorithms: try allowList("alg", SignatureAlgorithm.self),
                critical: line.all("crit"), limits: limits)
        }
        return job
    }

    private func policy() throws -> ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: line["issuer"].map { IssuerRule.exactly($0) } ?? .any,
            audience: line["audience"].map { AudienceRule.contains($0) } ?? .any)
        if let required = line.list("required") { policy.requiredClaims = required }
        if let leeway = try line.integer("leeway", 0...300) { policy.leewaySeconds = leeway }
        if let type = line["typ"] { policy.type = .exactly(type) }
        policy.requiresContentType = line["cty"] != "absent"
        policy.maxLifetimeSeconds = try line.integer("max-lifetime", 0...253_402_300_799)
        policy.authorizedParty = line["authorized-party"]
        if let trusted = line.list("trusted-audiences") {
            guard policy.authorizedParty != nil else {
                throw UsageError("--trusted-audiences belongs to --authorized-party")
            }
            policy.trustedAudiences = trusted
        }
        // As ClaimsPolicy.openID has it (OpenID Connect Core, 2).
        if policy.authorizedParty != nil { policy.maxSubjectBytes = 255 }
        return policy
    }
}
