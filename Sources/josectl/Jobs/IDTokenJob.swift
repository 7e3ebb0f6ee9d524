// An ID Token judged as a provider's relying party judges it, for `explain --profile`.

import JOSE
import JOSEBytes
import JOSEOpenID

extension Option {
    /// What a relying party remembers of its request, besides the options of `open`.
    static let idToken: [Option] = [
        .choice("profile", "NAME", OpenIDProfile.named.map(\.name)) {
            "judge an ID Token by a provider's rules: \($0)"
        },
        .value(
            "acr", "VALUES", "with --profile: the acr_values that were asked for, spaces between"),
        .value("max-age", "SECONDS", "with --profile: the max_age that was asked for"),
        .value("code", "CODE", "with --profile: the code that c_hash must fit"),
    ]
}

extension OpenIDProfile {
    /// The profiles by the names that `--profile` takes.
    fileprivate static let named: [(name: String, profile: OpenIDProfile)] = [
        ("itsme0", .itsme0), ("itsme1", .itsme1), ("itsme2", .itsme2),
        ("signicat", .signicatMobileID), ("nets", .netsEIDBroker), ("openid", .openID),
        ("fapi2", .fapi2), ("fapi2-message-signing", .fapi2MessageSigning),
    ]
}

/// A relying party, and what it remembers of the request that a token answers.
struct IDTokenJob {
    /// The same keys and rules as a job of `open`, for what is shown of the claims.
    let open: OpenJob
    fileprivate let party: RelyingParty
    fileprivate let remembered: AuthorizationSession
    fileprivate let code: String?

    /// Does what `RelyingParty.verifyIDToken` does and says what happened.
    nonisolated(nonsending) func explain(_ token: String) async -> TokenExplanation {
        await party.explain(
            idToken: token, for: remembered, accessToken: open.expectation.accessToken,
            code: code, at: open.now, timeout: ExternalKeys.patience)
    }
}

extension Invocation {
    /// What the profile decides, so that no option may.
    private static let decided = [
        "layers", "alg", "key-alg", "enc", "required", "typ", "max-lifetime", "authorized-party",
        "at-hash-required", "subject", "cty", "crit",
    ]

    /// The job that the options describe; nil without `--profile`.
    nonisolated(nonsending) func idTokenJob(_ limits: JOSELimits) async throws -> IDTokenJob? {
        guard let name = line["profile"] else {
            for option in Option.idToken where line.has(option.name) {
                throw UsageError("--\(option.name) belongs to --profile")
            }
            return nil
        }
        if let option = Invocation.decided.first(where: line.has) {
            throw UsageError("--\(option) is decided by the profile")
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
        let theirs = try KeyFile(line.required("verification-keys"), of: .others)
        let open = OpenJob(
            layers: isNested ? .encryptedSigned : .signed,
            decryption: try file.map { file in
                DecryptJob(
                    keys: try decryptionKeys(file, isNoting: false),
                    algorithms: try AllowList(profile.algorithms.keyManagement.map(\.description)),
                    contents: try AllowList(profile.algorithms.content.map(\.description)),
                    limits: limits)
            },
            verification: VerifyJob(
                keys: try verificationKeys(theirs, isNoting: false),
                algorithms: try AllowList(profile.algorithms.signature.map(\.description)),
                limits: limits),
            policy: .openID(issuer: issuer, clientID: clientID),
            expectation: ClaimsExpectation(
                nonce: try line.required("nonce"), accessToken: line["access-token"]),
            now: try time(), limits: limits)
        return IDTokenJob(
            open: open,
            party: try RelyingParty(
                judging: profile, metadata: metadata(profile, issuer), clientID: clientID,
                keys: file?.ownSet() ?? JWKSet(keys: []), providerKeys: theirs.publicSet()),
            remembered: AuthorizationSession(
                clientID: clientID, issuer: issuer, nonce: open.expectation.nonce ?? "",
                acrValues: (line["acr"] ?? "").split(separator: " ").map(String.init),
                maxAgeSeconds: try line.integer("max-age", 0...Int(Int32.max)).map(Int64.init)),
            code: line["code"])
    }

    /// What a party that only judges needs to know of the provider: its name; the addresses are made up.
    private func metadata(_ profile: OpenIDProfile, _ issuer: String) throws -> ProviderMetadata {
        do {
            return try ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer, tokenEndpoint: issuer,
                userInfoEndpoint: issuer, jwksURI: issuer, pushedRequestEndpoint: issuer,
                profile: profile)
        } catch {
            guard error.code == .claimRejected else { throw error }
            // To the engine the metadata is a message of others; here an option made it.
            throw UsageError(
                "--issuer '\(printable(issuer))': an issuer of this profile is an https address without query and "
                    + "fragment")
        }
    }
}
