// Selects the key that this side signs with, and the other side's key to encrypt to.

import JOSE

struct OwnSigningKey {
    let key: JWK
    let algorithm: SignatureAlgorithm

    static func find(_ keys: JWKSet, _ rules: AlgorithmRules) -> OwnSigningKey? {
        // The first match signs. To rotate, append the new key and move it to the front later.
        for key in keys.keys where key.isPrivate {
            for algorithm in rules.signature where key.match(.signing(algorithm)) == .matches {
                return OwnSigningKey(key: key, algorithm: algorithm)
            }
        }
        return nil
    }

    func makeIssuer(
        _ lifetimeSeconds: Int?, _ header: TokenHeaderRules, _ limits: JOSELimits
    ) throws(JOSEError) -> JWTIssuer {
        try JWTIssuer(
            key: key, algorithm: algorithm, lifetime: lifetimeSeconds.map { .seconds($0) },
            type: header.writtenType, limits: limits)
    }
}

/// Selects the remote key to encrypt to, preferably one with `use` `enc`.
enum RemoteEncryptionKey {
    static func recipient(
        _ keys: PublicJWKSet, _ profile: OpenIDProfile, offered: [String]?
    ) throws(JOSEError) -> JWTRecipient {
        guard let content = profile.algorithms.content.first else {
            throw .misuse("the profile has no content encryption algorithm")
        }
        let all = keys.keys()
        let algorithms = profile.algorithms.keyManagement.filter { algorithm in
            offered?.contains { $0.isExactly(algorithm.name) } ?? true
        }
        for algorithm in algorithms {
            let matching = all.filter { $0.match(.encrypting(algorithm)) == .matches }
            guard let key = matching.first(where: { $0.use == .encryption }) ?? matching.first
            else { continue }
            return try JWTRecipient(
                key: key, algorithm: algorithm,
                content: algorithm.defaultContent == nil ? nil : content, limits: profile.limits)
        }
        throw reason(keys, all, algorithms)
            .adjusted(forStaleKeys: keys.isStale, keyID: nil)
    }

    /// Returns why no key matches: an untrusted certificate, or what the key set lacks.
    private static func reason(
        _ keys: PublicJWKSet, _ usable: [JWK], _ algorithms: [KeyManagementAlgorithm]
    ) -> JOSEError {
        guard !algorithms.isEmpty else {
            return .keyNotFound(
                "the other party supports none of the profile's key management algorithms")
        }
        for algorithm in algorithms {
            if let error = keys.distrust(.encrypting(algorithm)) { return error }
        }
        guard !usable.isEmpty else {
            return .keyNotFound(
                "the other party has no encryption key: its set has no usable key")
        }
        guard usable.contains(where: { $0.use != .signature }) else {
            return .keyNotFound(
                "the other party has no encryption key: none of its keys is for encryption")
        }
        return .keyNotFound(
            "the other party's encryption keys are for other algorithms than the profile's")
    }
}

extension PublicJWKSet {
    func canVerify(_ algorithms: [SignatureAlgorithm]) -> Bool {
        keys().contains { key in algorithms.contains { key.match(.verifying($0)) == .matches } }
    }
}

extension JWKSet {
    func check(signs profile: OpenIDProfile) throws(JOSEError) {
        guard let signer = OwnSigningKey.find(self, profile.algorithms) else {
            throw .noSigningKey
        }
        _ = try signer.makeIssuer(nil, profile.idToken.header, profile.limits)
    }

    /// Throws unless the keys can sign and, if clients may encrypt to the provider, decrypt.
    func check(serves profile: OpenIDProfile) throws(JOSEError) {
        try check(signs: profile)
        guard profile.acceptsEncrypted else { return }
        let canDecrypt = keys.contains { key in
            key.isPrivate
                && profile.algorithms.keyManagement.contains {
                    key.match(.decrypting($0)) == .matches
                }
        }
        guard canDecrypt else {
            throw .keyNotFound("no private key can decrypt with the profile's algorithms")
        }
    }
}

extension OpenIDProfile {
    var encryptsResponses: Bool {
        [idToken.layers, userInfo.layers, introspection.layers].contains(.signedThenEncrypted)
    }

    /// Whether a provider receives encrypted client assertions or request objects.
    fileprivate var acceptsEncrypted: Bool {
        client.authentication == .assertion(.signedThenEncrypted)
            || (requestObject.alsoAccepted + [requestObject.layers])
                .contains(.signedThenEncrypted)
    }

    func encryption(_ layers: TokenLayers, ours keys: JWKSet) -> EncryptionRule {
        guard layers == .signedThenEncrypted else { return .notEncrypted }
        return .required(
            keys: keys, algorithms: algorithms.keyManagement, content: algorithms.content,
            missingKeyID: algorithms.missingKeyID, limits: limits)
    }
}

extension JOSEError {
    static let noSigningKey = JOSEError.keyNotFound(
        "no private key can sign with the profile's algorithms (algorithms.signature)")
}
