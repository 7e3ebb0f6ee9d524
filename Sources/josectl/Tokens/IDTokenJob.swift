// Explains an ID Token as a provider's relying party checks it, for `explain --profile`.

import JOSE
import JOSEBytes
import JOSEOpenID

extension Option {
    static let idToken: [Option] = [
        .choice("profile", "NAME", OpenIDProfile.named.map(\.name)) {
            "check an ID Token by a provider's profile: \($0)"
        },
        .value("acr", "VALUES", "with --profile: requested acr_values, separated by spaces"),
        .value("max-age", "SECONDS", "with --profile: requested max_age"),
        .value("code", "CODE", "with --profile: code that c_hash must match"),
    ]
}

extension OpenIDProfile {
    fileprivate static let named: [(name: String, profile: OpenIDProfile)] = [
        ("itsme0", .itsme0), ("itsme1", .itsme1), ("itsme2", .itsme2),
        ("signicat", .signicatMobileID), ("nets", .netsEIDBroker), ("openid", .openID),
        ("fapi2", .fapi2), ("fapi2-message-signing", .fapi2MessageSigning),
    ]
}

struct IDTokenJob {
    /// Has the access token and the time for `explain`, and lists the checks not requested.
    let openJob: OpenJob
    fileprivate let party: RelyingParty
    fileprivate let session: AuthorizationSession
    fileprivate let code: String?

    nonisolated(nonsending) func explain(_ token: String) async -> TokenExplanation {
        await party.explain(
            idToken: token, for: session, accessToken: openJob.expectation.accessToken,
            code: code, at: openJob.now, timeout: ExternalKeys.timeout)
    }
}

extension Invocation {
    private static let decidedByProfile = [
        "layers", "alg", "key-alg", "enc", "zip", "required", "typ", "max-lifetime",
        "authorized-party",
        "at-hash-required", "subject", "cty", "crit",
    ]

    /// Returns nil without `--profile`.
    nonisolated(nonsending) func idTokenJob(_ limits: JOSELimits) async throws -> IDTokenJob? {
        guard let name = line["profile"] else {
            for option in Option.idToken where line.has(option.name) {
                throw UsageError("--\(option.name) requires --profile")
            }
            return nil
        }
        if let option = Invocation.decidedByProfile.first(where: line.has) {
            throw UsageError("--\(option) cannot be combined with --profile, which decides it")
        }
        guard var profile = OpenIDProfile.named.first(where: { $0.name == name })?.profile else {
            throw Rejection(.internalFailure)
        }
        profile.limits = limits
        profile.idToken.trustedAudiences = line.list("trusted-audiences") ?? []
        if let leeway = try line.integer("leeway", 0...300) { profile.leeway = .seconds(leeway) }
        let (issuer, clientID) = (try line.required("issuer"), try line.required("audience"))
        let isNested = profile.idToken.layers == .signedThenEncrypted
        let file = isNested ? try await ownKeys(line.required("decryption-keys")) : nil
        let providerFile = try KeyFile(line.required("verification-keys"), of: .foreign)
        let openJob = OpenJob(
            layers: isNested ? .encryptedSigned : .signed,
            decryption: try file.map { file in
                DecryptJob(
                    keys: try decryptionKeys(file, notesSkipped: false),
                    algorithms: try AllowList(profile.algorithms.keyManagement.map(\.description)),
                    contents: try AllowList(profile.algorithms.content.map(\.description)),
                    limits: limits)
            },
            verification: VerifyJob(
                keys: try verificationKeys(providerFile, notesSkipped: false),
                algorithms: try AllowList(profile.algorithms.signature.map(\.description)),
                limits: limits),
            policy: .openID(issuer: issuer, clientID: clientID),
            expectation: ClaimsExpectation(
                nonce: try line.required("nonce"), accessToken: line["access-token"]),
            now: try time(), limits: limits)
        return IDTokenJob(
            openJob: openJob,
            party: try RelyingParty(
                verifying: profile, metadata: metadata(profile, issuer), clientID: clientID,
                keys: file?.ownSet() ?? JWKSet(keys: []), providerKeys: providerFile.publicSet()),
            session: AuthorizationSession(
                clientID: clientID, issuer: issuer, nonce: openJob.expectation.nonce ?? "",
                acrValues: (line["acr"] ?? "").split(separator: " ").map(String.init),
                maxAgeSeconds: try line.integer("max-age", 0...Int(Int32.max)).map(Int64.init)),
            code: line["code"])
    }

    /// The endpoints are placeholders: a relying party that only checks tokens does not use them.
    private func metadata(_ profile: OpenIDProfile, _ issuer: String) throws -> ProviderMetadata {
        do {
            return try ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer, tokenEndpoint: issuer,
                userInfoEndpoint: issuer, jwksURI: issuer, pushedRequestEndpoint: issuer,
                profile: profile)
        } catch {
            guard error.code == .claimRejected else { throw error }
            // The library reports wrong metadata as remote input, but `--issuer` is an option.
            throw UsageError(
                "--issuer '\(printable(issuer))' must be an https URL without query and fragment")
        }
    }
}
