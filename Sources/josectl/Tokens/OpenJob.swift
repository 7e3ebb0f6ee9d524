// Decrypts and verifies a JWT and checks its claims, for `josectl open`, `explain` and `batch`.

import JOSE

enum Layers: String, CaseIterable {
    case encryptedSigned = "encrypted signed"
    case signed
    case encrypted

    init(_ names: [String]) throws {
        let word = names.joined(separator: " ")
        guard let layers = Layers.allCases.first(where: { word.isExactly($0.rawValue) }) else {
            throw Rejection.misuse("layers must be encrypted and signed, signed, or encrypted")
        }
        self = layers
    }
}

struct OpenJob {
    var layers = Layers.encryptedSigned
    var decryption: DecryptJob?
    var verification: VerifyJob?
    var policy: ClaimsPolicy
    var expectation = ClaimsExpectation.none
    var now: NumericDate?
    var limits: JOSELimits

    nonisolated(nonsending) func run(_ token: String) async throws -> VerifiedJWT {
        try await verifier(of: token).verify(
            token, expecting: expectation, at: now, timeout: ExternalKeys.timeout)
    }

    /// Throws a defect of the token, or `algorithmNotAllowed` if a list has no available algorithm.
    nonisolated(nonsending) func verifier(of token: String) async throws -> AsyncJWTVerifier {
        let (encryption, signature) = try await rules(of: token)
        return try AsyncJWTVerifier(
            policy: policy, encryption: encryption, signature: signature, limits: limits)
    }

    /// As `verifier(of:)`, for a token that is verified together with others. Keys must be local.
    nonisolated(nonsending) func batchEntry(
        of token: String
    ) async throws -> JWTVerifier.BatchEntry {
        let (encryption, signature) = try await rules(of: token)
        let verifier = try JWTVerifier(
            policy: policy, encryption: encryption, signature: signature, limits: limits)
        return JWTVerifier.BatchEntry(
            verifier: verifier, token: token, expectation: expectation, now: now)
    }

    nonisolated(nonsending) private func rules(
        of token: String
    ) async throws -> (EncryptionRule, SignatureRule) {
        var encryption = EncryptionRule.notEncrypted
        var signature = SignatureRule.insecureNotSigned
        if let decryption, layers != .signed {
            guard let decrypter = try decryption.decrypter() else {
                throw try decryption.unmatched(token)
            }
            encryption = .required(by: decrypter)
        }
        if let verification, layers != .encrypted {
            guard !verification.matchingAlgorithms.isEmpty else {
                // Report defects of the token before the missing algorithm.
                let opened = layers == .encryptedSigned ? try await decryption?.run(token) : nil
                let inner = opened.map {
                    String(decoding: $0.unauthenticatedPlaintext, as: UTF8.self)
                }
                _ = try verification.run(inner ?? token)
                throw JOSEError.algorithmNotAllowed
            }
            signature = .required(by: try verification.verifier(of: token))
        }
        return (encryption, signature)
    }

    /// For `explain`. The verifier rejects every token if no key matches an available algorithm.
    func explainer() throws -> AsyncJWTVerifier {
        var encryption = EncryptionRule.notEncrypted
        var signature = SignatureRule.insecureNotSigned
        if let job = decryption, layers != .signed {
            encryption = .explaining(
                job.keys, algorithms: job.matchingAlgorithms, content: job.contentAlgorithms,
                compression: job.compression, critical: job.critical, limits: limits)
        }
        if let job = verification, layers != .encrypted {
            signature = .explaining(
                job.keys, algorithms: job.matchingAlgorithms, critical: job.critical,
                limits: limits)
        }
        return try AsyncJWTVerifier(
            policy: policy, encryption: encryption, signature: signature, limits: limits)
    }

    /// The checks that the user did not request, by their member names in `batch`.
    var unchecked: [String] {
        var names: [String] = []
        if policy.issuer == .any { names.append("issuer") }
        if policy.audience == .any { names.append("audience") }
        if expectation.nonce == nil { names.append("nonce") }
        if expectation.subject == nil { names.append("subject") }
        if policy.authorizedParty == nil { names.append("authorized_party") }
        if expectation.accessToken == nil { names.append("access_token") }
        if policy.maxLifetimeSeconds == nil { names.append("max_lifetime") }
        // The user must check the extensions of `--crit`.
        if verification?.critical.isEmpty == false || decryption?.critical.isEmpty == false {
            names.append("crit")
        }
        return names
    }
}
