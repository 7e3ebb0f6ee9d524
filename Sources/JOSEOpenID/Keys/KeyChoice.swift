// Which key signs for us, and which key of the other side we encrypt for.

import JOSE

/// The first of our private keys that can sign, by the first of the profile's algorithms that it can.
struct LocalSigningKey {
    let key: JWK
    let algorithm: SignatureAlgorithm

    static func find(_ keys: JWKSet, _ rules: AlgorithmRules) -> LocalSigningKey? {
        // The keys' order decides, so that a new key behind the old one is published before it signs.
        for key in keys.keys where key.isPrivate {
            for algorithm in rules.signature where key.match(.signing(algorithm)) == .matches {
                return LocalSigningKey(key: key, algorithm: algorithm)
            }
        }
        return nil
    }

    func issuer(
        _ lifetimeSeconds: Int?, _ header: TokenHeaderRules, _ limits: JOSELimits
    ) throws(JOSEError) -> JWTIssuer {
        try JWTIssuer(
            key: key, algorithm: algorithm, lifetime: lifetimeSeconds.map { .seconds($0) },
            type: header.writtenType, limits: limits)
    }
}

/// The key of theirs to encrypt for: one that says it is for encryption before one that says nothing.
enum RemoteEncryptionKey {
    static func recipient(
        _ keys: PublicJWKSet, _ profile: OpenIDProfile, offered: [String]?
    ) throws(JOSEError) -> JWTRecipient {
        guard let content = profile.algorithms.content.first else {
            throw .misuse("the profile names no content encryption")
        }
        let all = keys.keys()
        let algorithms = profile.algorithms.keyManagement.filter { algorithm in
            offered?.contains { $0.isExactly(algorithm.name) } ?? true
        }
        for algorithm in algorithms {
            let fitting = all.filter { $0.match(.encrypting(algorithm)) == .matches }
            guard let key = fitting.first(where: { $0.use == .encryption }) ?? fitting.first
            else { continue }
            return try JWTRecipient(
                key: key, algorithm: algorithm,
                content: algorithm.usualContent == nil ? nil : content, limits: profile.limits)
        }
        throw reason(keys, all, algorithms)
            .adjusted(forStaleKeys: keys.isStale, keyID: nil)
    }

    /// Why none of the keys will do: the first certificate that was not trusted, else what the set is about.
    private static func reason(
        _ keys: PublicJWKSet, _ usable: [JWK], _ algorithms: [KeyManagementAlgorithm]
    ) -> JOSEError {
        guard !algorithms.isEmpty else {
            return .keyNotFound("the other side takes none of the profile's algorithms for keys")
        }
        for algorithm in algorithms {
            if let error = keys.distrust(.encrypting(algorithm)) { return error }
        }
        guard !usable.isEmpty else {
            return .keyNotFound(
                "the other side has no encryption key: its set has no key that can be used")
        }
        guard usable.contains(where: { $0.use != .signature }) else {
            return .keyNotFound(
                "the other side has no encryption key: none of its keys is for encryption")
        }
        return .keyNotFound(
            "the other side's encryption keys are for other algorithms than the profile's")
    }
}

extension PublicJWKSet {
    /// Whether a key of the set fits one of these algorithms.
    func canVerify(_ algorithms: [SignatureAlgorithm]) -> Bool {
        keys().contains { key in algorithms.contains { key.match(.verifying($0)) == .matches } }
    }
}

extension JWKSet {
    /// Throws unless one of these private keys of a provider signs by a profile.
    func check(signs profile: OpenIDProfile) throws(JOSEError) {
        guard let signer = LocalSigningKey.find(self, profile.algorithms) else {
            throw .keyNotFound("no key of ours can sign")
        }
        _ = try signer.issuer(nil, profile.idToken.header, profile.limits)
    }

    /// Throws unless these private keys of a provider do for all that it signs and decrypts by a profile.
    func check(serves profile: OpenIDProfile) throws(JOSEError) {
        try check(signs: profile)
        guard profile.takesEncrypted else { return }
        let canDecrypt = keys.contains { key in
            key.isPrivate
                && profile.algorithms.keyManagement.contains { key.match(.decrypting($0)) == .matches }
        }
        guard canDecrypt else { throw .keyNotFound("no key of ours can decrypt") }
    }
}

extension OpenIDProfile {
    /// Whether a provider encrypts anything for its clients.
    var encryptsResponses: Bool {
        [idToken.layers, userInfo.layers, introspection.layers].contains(.signedThenEncrypted)
    }

    /// Whether a provider takes messages that are encrypted for it.
    fileprivate var takesEncrypted: Bool {
        client.authentication == .assertion(.signedThenEncrypted)
            || (requestObject.alsoAccepted + [requestObject.layers])
                .contains(.signedThenEncrypted)
    }

    /// The rule for tokens that come to us in these layers.
    func encryption(_ layers: TokenLayers, ours keys: JWKSet) -> EncryptionRule {
        guard layers == .signedThenEncrypted else { return .notEncrypted }
        return .required(
            keys: keys, algorithms: algorithms.keyManagement, content: algorithms.content,
            missingKeyID: algorithms.missingKeyID, limits: limits)
    }
}
