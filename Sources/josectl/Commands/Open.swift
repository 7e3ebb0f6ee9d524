// josectl open: decrypts and verifies a JWT and checks its claims.

import JOSE
import JOSEBytes

extension Command {
    static let open = Command(
        name: "open",
        summary: "decrypt and verify a JWT and check its claims",
        arguments: "[TOKEN|FILE]", maxArguments: 1,
        details: "Claims without an option are not checked; standard error lists them.",
        options: Option.policy + [.out, .force, .raw, .maxBytes, .maxInflated] + Option.externalKey,
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
            throw invocation.externalKeys == nil ? await job.withTime(error, token) : error
        }
        if !job.unchecked.isEmpty {
            invocation.output.note("not checked: \(job.unchecked.joined(separator: ", "))")
        }
        return try invocation.writeResult(verified.document.bytes, isText: true, .secret) {
            writer in
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
    /// Adds to an error of `exp`, `nbf` or `iat` how far the date is from the permitted time.
    nonisolated(nonsending) fileprivate func withTime(
        _ error: JOSEError, _ token: String
    ) async -> any Error {
        guard let claim = error.claim, ["exp", "nbf", "iat"].contains(where: claim.isExactly),
            let explanation = try? await verifier(of: token).explain(
                token, expecting: expectation, at: now, timeout: ExternalKeys.timeout),
            let note = explanation.lines.last(where: { $0.step == .claims && $0.outcome == .note })
        else { return error }
        var rejection = Rejection(error)
        rejection.message += "; \(CommandLineWording.translate(note.text))"
        return rejection
    }
}

extension Option {
    /// The options of `open` and `explain` for keys, layers, algorithms and claims.
    static let policy: [Option] = [
        .value("decryption-keys", "FILE|URI", privateKeyHelp),
        .value("verification-keys", "FILE", "signer's public JWK or JWK Set"),
        .value("layers", "LAYERS", "encrypted,signed (default), signed, or encrypted"),
        .signatures, .keyManagement, .contents, .compressions,
        .value("issuer", "ISS", "required iss"),
        .value("audience", "AUD", "audience that aud must contain"),
        .value("nonce", "NONCE", "required nonce"),
        .value("subject", "SUB", "required sub"),
        .value("typ", "TYPE", "required typ (default: JWT or none)"),
        .choice("cty", "RULE", ["jwt", "absent"]) {
            "required cty of a nested token's outer header: \($0) (absent: may be missing)"
        },
        .critical,
        .value("required", "NAMES", "claims that must be present (default exp)"),
        .value("max-lifetime", "SECONDS", "maximum time between iat and exp"),
        .value(
            "authorized-party", "AZP",
            "client_id for an ID Token: applies OpenID's rules for aud, azp and sub"),
        .value(
            "trusted-audiences", "NAMES",
            "with --authorized-party: further values that aud and azp may have"),
        .value("access-token", "TOKEN", "access token that at_hash must match"),
        .flag("at-hash-required", "require at_hash"),
        .at,
        .value("leeway", "SECONDS", "clock tolerance, 0 to 300 (default 60)"),
    ]
}

extension Invocation {
    /// `notesSkippedKeys` lists skipped keys on standard error. `explain` lists them in its result.
    nonisolated(nonsending) func openJob(
        _ limits: JOSELimits, notesSkippedKeys: Bool = true
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
                    "--decryption-keys is required; or use --layers signed for a signed token"
                )
            }
            job.decryption = DecryptJob(
                keys: try await decryptionKeys(ownKeys(keys), notesSkipped: notesSkippedKeys),
                algorithms: try allowList("key-alg", KeyManagementAlgorithm.self),
                contents: try allowList("enc", ContentEncryptionAlgorithm.self),
                compression: try compressions(), critical: line.all("crit"), limits: limits)
        }
        if job.layers != .encrypted {
            job.verification = VerifyJob(
                keys: try verificationKeys(
                    KeyFile(line.required("verification-keys"), of: .foreign),
                    notesSkipped: notesSkippedKeys),
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
                throw UsageError("--trusted-audiences requires --authorized-party")
            }
            policy.trustedAudiences = trusted
        }
        // As in `ClaimsPolicy.openID` (OpenID Connect Core, 2).
        if policy.authorizedParty != nil { policy.maxSubjectBytes = 255 }
        return policy
    }
}
